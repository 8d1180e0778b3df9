/** Agents and disks with bad manners: what was acknowledged stays, what was forged does not count, and nothing hangs. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DONE, testProject, NOT_YET } from '../test-project.ts'
import { ADDS, CLAIM, runProof, WEAKENED_TEST } from '../walk/proof-project.ts'
import { lastResultOf } from '../run-in-process.ts'

const GATE = '[[gate]]\nname = "test"\nrun = "sh test.sh"\n'
const FILES = { 'test.sh': 'test -f one.txt\n' }
const WORK = [
  { do: 'write', path: 'one.txt', content: 'one\n' },
  { do: 'status', text: 'Done.', fields: DONE },
] as const
const LIE = [{ do: 'status', text: 'Done.', fields: DONE }] as const
const ROOT = join(import.meta.dirname, '..', '..')

/** Runs SQL on the project's own database, as an agent with a shell could. */
function forge(sql: string): string {
  const script = `const {DatabaseSync}=require('${ROOT}/node_modules/@photostructure/sqlite');const d=new DatabaseSync('.git/ralph/root/ralph.db');d.exec(\`${sql}\`);d.close()`
  return `node -e "${script.replaceAll('"', '\\"').replaceAll('`', '\\`')}"`
}

describe('an agent that reaches for the database', () => {
  test('forged evidence proves nothing', async () => {
    const sql = `insert into evidence (run, worker, iteration, gate, command, tree, guarded, exit_code, signal, timed_out, missing, duration_ms, at, log, summary, unstable, purpose, failing) select id, '1', 1, 'test', 'sh test/add.sh', 'x', '', 0, null, 0, 0, 1, 1, '', '', 0, 'completion', '[]' from runs`
    const ran = await runProof([[{ do: 'shell', command: forge(sql) }, ...LIE]], {}, ['--max-iterations', '2'])
    expect(ran).toMatchObject({ proven: false })
    expect(ran.said).toContain('"what":"refuse","why":"test failed (exit 1)"')
  })

  test('a forged base changes nothing during the run', async () => {
    const sql = `update bases set tree = 'w:0', origin = 'accepted'`
    const ran = await runProof([[{ do: 'shell', command: forge(sql) }, ...WEAKENED_TEST, CLAIM]])
    expect(ran).toMatchObject({
      code: 5,
      verdict: 'needs-review',
      acceptance: { names: ['test/add.sh'] },
    })
  })

  test('a forged end of the run is not believed by the engine that serves it', async () => {
    const sql = `update runs set ended_at = 1, outcome = 'project_complete', verdict = 'proven', exit_code = 0`
    const ran = await runProof([
      [{ do: 'shell', command: forge(sql) }, ...LIE],
      [ADDS, CLAIM],
    ])
    expect(ran).toMatchObject({ verdict: 'proven', iterations: 2 })
    expect((await ran.fixture.ralph(['replay', '--check'])).code).toBe(0)
  })

  test('a database that is taken away ends the run at once, with the reason and exit 7', async () => {
    const fixture = await testProject({
      toml: GATE,
      files: FILES,
      turns: [[{ do: 'shell', command: 'rm -rf .git/ralph' }, ...WORK]],
    })
    const ran = await fixture.ralph(['loop'])
    expect(ran.code).toBe(7)
    expect(ran.stderr).toMatch(/ralph\.db was moved or deleted while the run was using it/)
    expect(fixture.has('one.txt'), 'what the agent did stays').toBe(true)
    await fixture.play([[...WORK]])
    expect((await fixture.ralph(['loop'])).code, 'the next start begins anew').toBe(0)
  })
})

describe('an agent that reaches for the tree archive', () => {
  const ARCHIVE = '$HOME/.local/state/ralph/archive'

  test('taken away, it proves nothing: the work is kept, and can be verified later', async () => {
    const ran = await runProof([[{ do: 'shell', command: `rm -rf ${ARCHIVE}` }, ADDS, CLAIM]])
    expect(ran).toMatchObject({ code: 5, outcome: 'room_failed', verdict: 'unproven', proven: false })
    expect(await ran.fixture.read('src/add.sh')).toBe(ADDS.content)
    const verified = await ran.fixture.ralph(['verify', '--json', '--since', 'HEAD'])
    expect(JSON.parse(verified.stdout)).toMatchObject({ verdict: 'proven' })
  })

  test('with another content in place of the old test, it is not believed', async () => {
    const lax = `find ${ARCHIVE} -type f -path '*objects*' -exec grep -l 'add.sh 1 2' {} + | while read file; do chmod u+w "$file"; echo true > "$file"; done`
    const ran = await runProof([[{ do: 'shell', command: lax }, ...WEAKENED_TEST, CLAIM]])
    expect(ran).toMatchObject({ proven: false })
  })
})

describe('output without end', () => {
  test.each([
    ['a line of 100 MB', [{ do: 'longline', megabytes: 100 }]],
    ['a flood of lines', [{ do: 'flood', lines: 200_000, size: 100 }]],
    ['garbage', [{ do: 'garbage', bytes: 300_000, seed: 7 }]],
  ] as const)('%s does not hide the result', async (_, noise) => {
    const fixture = await testProject({ toml: GATE, files: FILES, turns: [[...noise, ...WORK]] })
    expect(lastResultOf((await fixture.ralph(['loop', '--json'])).stdout)).toMatchObject({
      verdict: 'gates-passed',
    })
  })

  test('half a JSON line at the end is a failure of its own, never a success', async () => {
    const fixture = await testProject({
      toml: '[retry]\nfirst = "1ms"\n',
      files: FILES,
      turns: [[{ do: 'say', text: 'x' }, { do: 'cut' }]],
    })
    const ran = await fixture.ralph(['loop', '--json', '--max-iterations', '1'])
    expect(lastResultOf(ran.stdout)).toMatchObject({ outcome: 'iteration_limit', proven: false })
  })
})

const strace = spawnSync('strace', ['--version']).status === 0

describe.skipIf(!strace)('a full disk (needs strace)', () => {
  test('stops before the next agent call, keeps what was acknowledged, and continues when there is space again', async () => {
    const turns = [[{ do: 'status', text: 'Not yet.', fields: NOT_YET }], [...WORK]] as const
    const fixture = await testProject({
      toml: `${GATE}[proof]\nbaseline = "off"\n`,
      files: FILES,
      turns: turns.map((turn) => [...turn]),
    })
    const inject = ['-q', '-o', '/dev/null', '-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=ENOSPC:when=60+']
    const full = spawnSync('strace', [...inject, process.execPath, join(ROOT, 'bin/ralph.cjs'), 'loop', '--json'], {
      cwd: fixture.path,
      env: fixture.env,
      encoding: 'utf8',
    })
    expect(full.status).toBe(7)
    expect(full.stdout).toMatch(/disk is full|disk/i)
    const again = await fixture.ralph(['loop', '--json'])
    expect(lastResultOf(again.stdout)).toMatchObject({ verdict: 'gates-passed' })
    expect((await fixture.ralph(['replay', '--check'])).code).toBe(0)
  })
})
