/** A run and `ralph verify` judge by the same gates. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ADDS, CLAIM, FILES, makeProofProject, loop } from './proof-project.ts'
import { eventually, isProcessAlive } from './handler-world.ts'

const gate = (name: string, run: string, when: string): string =>
  `[[gate]]\nname = "${name}"\nrun = "${run}"\nwhen = "${when}"\n`

const BOTH = gate('test', 'sh test/add.sh', 'completion') + gate('lint', 'sh -n src/add.sh', 'task')

test('a run and verify use the same list of gates, which the start block shows', async () => {
  const fixture = await makeProofProject({ toml: BOTH, turns: [[ADDS, CLAIM]] })
  const listed = (await fixture.ralph(['loop', '--dry-run'])).stdout
  const night = await loop(fixture)
  expect([night.code, night['verdict']]).toEqual([0, 'proven'])
  const verified = await fixture.ralph(['verify', '--json'])
  const { evidence } = JSON.parse(verified.stdout) as { evidence: { gate: string }[] }
  const names = evidence.map((one) => one.gate)
  expect(names).toEqual(['test', 'lint'])
  expect(gatesOfCompletion(night.said)).toEqual(names)
  for (const name of names) expect(listed).toContain(`${name}: `)
})

/** The gates that the completion of a run had to pass, as `--json` says. */
function gatesOfCompletion(said: string): string[] {
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; evidence: { gate: string; purpose: string } })
    .filter(({ type, evidence }) => type === 'gate-ended' && evidence.purpose === 'completion')
    .map(({ evidence }) => evidence.gate)
}

test.each(['loop --dry-run', 'loop', 'verify', 'status'])(
  'a gate for landing is refused by ralph %s: it would never run',
  async (command) => {
    const toml = gate('test', 'true', 'completion') + gate('e2e', 'exit 1', 'landing')
    const fixture = await makeProofProject({ toml, files: { ...FILES, 'src/add.sh': ADDS.content } })
    const ran = await fixture.ralph(command.split(' '))
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('gate[1].when: "landing" is not supported yet, so this gate would never run')
    expect(ran.stderr).toContain('Write when = "completion", or remove the gate from .ralph.toml.')
  },
)

test('ralph doctor reports it', async () => {
  const fixture = await makeProofProject({ toml: gate('e2e', 'exit 1', 'landing') })
  const { code, stdout } = await fixture.ralph(['doctor'])
  expect([code, stdout]).toEqual([1, expect.stringContaining('"landing" is not supported yet')])
})

describe('a verification is a run that nobody but its caller hears of', () => {
  test('no screen takes it for the last run, and runs --all lists it', async () => {
    const night = await makeProofProject({ turns: [[ADDS, CLAIM]] })
    const { run } = JSON.parse((await night.ralph(['loop', '--json'])).stdout.trim().split('\n').at(-1) ?? '') as {
      run: string
    }
    const refs = await night.git('for-each-ref', 'refs/ralph')
    expect((await night.ralph(['verify'])).code).toBe(0)
    const idsOf = async (...args: string[]): Promise<string[]> =>
      (JSON.parse((await night.ralph([...args, '--json'])).stdout) as { id: string }[]).map(({ id }) => id)
    const [verified, last] = await idsOf('runs', '--all')
    expect([await idsOf('runs'), last]).toEqual([[run], run])
    expect(JSON.parse((await night.ralph(['status', '--json'])).stdout)).toMatchObject({ run })
    expect((await night.ralph(['runs', '--all'])).stdout).toContain('verify: proven')
    expect(await night.git('for-each-ref', 'refs/ralph')).toEqual(refs)
    expect((await night.ralph(['replay', verified ?? '', '--check'])).code).toBe(0)
    const undo = await night.ralph(['undo', verified ?? ''])
    expect([undo.code, undo.stderr]).toEqual([2, expect.stringContaining('cannot be undone')])
    const resume = await night.ralph(['resume', verified ?? ''])
    expect([resume.code, resume.stderr]).toEqual([2, expect.stringContaining('cannot be resumed')])
  })

  test('one that was killed is dropped by the next command, with what it left running', async () => {
    const fixture = await makeProofProject({ toml: `[[gate]]\nname = "test"\nrun = "${HOLDS}"\n` })
    const killed = fixture.start(['verify'])
    await eventually(() => existsSync(join(fixture.path, '..', 'held')))
    const gate = Number(readFileSync(join(fixture.path, '..', 'held'), 'utf8'))
    await killed.kill('SIGKILL')
    const extras = await fixture.ralph(['status', '--json'])
    expect(JSON.parse(extras.stdout)).toMatchObject({ run: null })
    await fixture.write('.ralph.toml', '[[gate]]\nname = "test"\nrun = "true"\n')
    expect((await fixture.ralph(['verify', '--quick'])).code).toBe(0)
    expect(isProcessAlive(gate)).toBe(false)
    expect(JSON.parse((await fixture.ralph(['runs', '--all', '--json'])).stdout)).toHaveLength(1)
  })
})

const HOLDS = 'echo $$ > ../held && exec sleep 600'
