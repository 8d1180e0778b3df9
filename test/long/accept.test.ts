/** What only a person can settle: a run that is done if changed tests are accepted, and the answers. And ends that are no proof. */
import { join } from 'node:path'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DONE, testProject, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { hasTmux, openTmux } from '../tmux.ts'
import { collapseSpaces, lastResultOf } from '../run-in-process.ts'
import { runCommand } from '../walk/sample-run.ts'

const FILES = {
  'src/double.sh': 'echo $(($1 + 1))\n',
  'test/double.sh': 'echo testing; [ "$(sh src/double.sh 2)" = 3 ]\n',
}
const TOML = '[[gate]]\nname = "test"\nrun = "sh test/double.sh"\n'
const DOUBLES = { do: 'write', path: 'src/double.sh', content: 'echo $(($1 * 2))\n' } as const
const ANOTHER_TEST = {
  do: 'write',
  path: 'test/double.sh',
  content: '[ "$(sh src/double.sh 2)" = 4 ]\n',
} as const
const SAID = { do: 'status', text: 'It doubles.', fields: DONE } as const
const CLAIM = [{ do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ]', with: '- [x]' }, SAID] as const

/** The agent does what the plan asks, and the old test said the opposite. */
function aTestProject(more: TestProjectOptions = {}): Promise<TestProject> {
  return testProject({
    toml: TOML,
    plan: '- [ ] double must double\n',
    files: FILES,
    proof: 'full',
    turns: [[DOUBLES, ANOTHER_TEST, ...CLAIM]],
    ...more,
  })
}

/** Lived through until it asks. */
async function aQuestion(more: TestProjectOptions = {}): Promise<TestProject & { said: string }> {
  const fixture = await aTestProject(more)
  const { code, stdout, stderr } = await fixture.ralph(['loop'])
  if (code !== 5) throw new Error(`it ended with ${code}:\n${stdout}\n${stderr}`)
  return { ...fixture, said: stdout }
}

describe('a run that needs a changed test', () => {
  let fixture: TestProject & { said: string }
  beforeAll(async () => void (fixture = await aQuestion({ until: 'removed' })))
  afterAll(() => fixture.remove())

  test.each(['loop', 'status', 'show', 'report'])('says what, why and the way out: ralph %s', async (command) => {
    const screen = collapseSpaces(command === 'loop' ? fixture.said : (await runCommand(fixture, command)).out)
    expect(screen).toContain(command === 'loop' ? 'DONE, NEEDS REVIEW: 1 test file changed' : 'done, needs review')
    expect(screen).toContain('the gates pass only because test/double.sh was changed')
    expect(screen).toContain('with the original file: test failed (exit 1)')
    expect(screen).toContain('ralph accept')
    expect(screen).not.toMatch(/\bproven done/i)
  })

  test('reports each proof step as soon as it is known', () => {
    expect(fixture.said).toMatch(/^proof +✗ original tests: failed \(exit 1\) · [\d.]+ m?s$/m)
  })

  test('tells programs the same', async () => {
    expect(lastResultOf((await runCommand(fixture, 'status', '--json')).out)).toMatchObject({
      outcome: {
        is: 'needs_acceptance',
        verdict: 'needs-review',
        acceptance: { names: ['test/double.sh'], red: { lines: 'testing' } },
      },
      next: ['ralph accept', expect.stringMatching(/^ralph show/) as string, 'ralph undo'],
    })
  })

  test('ralph accept shows each file with its change, and decides nothing where nobody can answer', async () => {
    const { code, out } = await runCommand(fixture, 'accept')
    expect([code, out.replaceAll(/run \w+/gi, 'Run R')]).toEqual([
      5,
      [
        'Run R is done, but needs your review.',
        'The gates pass only with 1 changed file that nobody approved beforehand.',
        'With the original file: test failed (exit 1)',
        '  testing',
        '',
        'test/double.sh (changed): it is a test or a test helper, by its folder or name',
        '  @@ -1 +1 @@',
        '  -echo testing; [ "$(sh src/double.sh 2)" = 3 ]',
        '  +[ "$(sh src/double.sh 2)" = 4 ]',
        '',
        'Not decided: test/double.sh',
        'Accept all: ralph accept --yes. Some: ralph accept --yes FILE. None: ralph accept --no',
        '',
      ].join('\n'),
    ])
    expect(lastResultOf((await runCommand(fixture, 'accept', '--json')).out)).toMatchObject({
      accepted: false,
      answer: null,
      open: ['test/double.sh'],
      files: [{ path: 'test/double.sh', kind: 'changed', diff: expect.stringContaining('= 4 ]') as string }],
    })
  })

  test('a file that nobody asks about cannot be accepted', async () => {
    expect(await runCommand(fixture, 'accept', '--yes', 'tset/double.sh')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Waiting: test/double.sh') as string,
    })
  })

  test('the answer holds only for the tree that was tried', async () => {
    await fixture.write('src/more.sh', 'exit 0\n')
    const late = await runCommand(fixture, 'accept', '--yes')
    await rm(join(fixture.path, 'src', 'more.sh'))
    expect(late).toMatchObject({
      code: 5,
      err: expect.stringMatching(/files changed since the proof: src\/more\.sh[^]*ralph verify/) as string,
    })
  })
})

describe('the answer', () => {
  test('a yes counts as a proof by name and becomes the base of later work', async () => {
    const fixture = await aQuestion()
    const yes = await runCommand(fixture, 'accept', '--yes', 'test/double.sh')
    expect([yes.code, yes.out]).toEqual([0, expect.stringMatching(/^proven: .+ accepted 1 file of run/m) as string])
    expect(collapseSpaces((await runCommand(fixture, 'status')).out)).toMatch(
      /state proven done · the gates pass only .+; accepted by /,
    )
    expect((await runCommand(fixture, 'runs')).out).toMatch(/proven done: .+; accepted by /)
    expect(await runCommand(fixture, 'accept')).toMatchObject({
      code: 3,
      err: expect.stringContaining('nothing needs review here') as string,
    })
    // Nobody has changed anything since, so the next run has its proof, and pays nobody for it.
    const again = await fixture.ralph(['loop', '--json'])
    expect([again.code, lastResultOf(again.stdout)]).toMatchObject([
      0,
      {
        verdict: 'proven',
        reason: expect.stringContaining('since the last accepted state') as string,
      },
    ])
  })

  test('no keeps the work, and the next run tells the agent', async () => {
    const fixture = await aQuestion({ plan: '# No boxes\n', turns: [[DOUBLES, ANOTHER_TEST, SAID]] })
    const no = await runCommand(fixture, 'accept', '--no')
    expect([no.code, no.out]).toEqual([5, expect.stringContaining('Not accepted: test/double.sh') as string])
    expect(await fixture.read('src/double.sh')).toBe(DOUBLES.content)
    expect(collapseSpaces((await runCommand(fixture, 'status')).out)).toMatch(
      /not done · .+; not accepted by .+: test\/double\.sh/,
    )
    await fixture.play([
      [{ do: 'expect-prompt', matches: 'A person did not accept your changes to test/double.sh' }, SAID],
    ])
    const { stdout } = await fixture.ralph(['loop', '--once'])
    expect([fixture.starts().length, stdout]).toEqual([1, expect.stringContaining('"It doubles."') as string])
  })

  test('after an undo nothing is pending, and no screen asks to accept', async () => {
    const fixture = await aTestProject()
    const { code, stdout } = await fixture.ralph(['loop', '--json'])
    expect([code, lastResultOf(stdout)]).toMatchObject([
      5,
      { outcome: 'needs_acceptance', proven: false, acceptance: { count: 1 } },
    ])
    expect((await runCommand(fixture, 'undo', '--yes')).code).toBe(0)
    expect((await runCommand(fixture, 'accept')).code).toBe(3)
    const status = collapseSpaces((await runCommand(fixture, 'status')).out)
    expect(status).toContain('undone · run')
    expect(status).not.toContain('ralph accept')
  })

  test('is not asked for where nothing has run', async () => {
    expect((await runCommand(await aTestProject(), 'accept')).code).toBe(3)
  })
})

const RALPH = `'${process.execPath}' '${join(import.meta.dirname, '..', '..', 'bin', 'ralph.cjs')}'`

describe.skipIf(!(await hasTmux()))('on a terminal (skipped where tmux is not installed)', () => {
  test('each file is asked about, and breaking off decides nothing', async () => {
    const fixture = await aQuestion()
    const tmux = await openTmux(fixture, { columns: 110, rows: 40 })
    await tmux.type(`${RALPH} accept; echo "code $?"`, 'Enter')
    await tmux.shows('Accept test/double.sh?')
    await tmux.type('C-c')
    await tmux.shows('code 130')
    await tmux.type(`clear; ${RALPH} accept; echo "code $?"`, 'Enter')
    await tmux.shows('Accept test/double.sh?')
    await tmux.type('y')
    await tmux.shows(/proven: .+ accepted 1 file/)
    await tmux.shows('code 0')
  })
})

describe('gates that passed where the work was made', () => {
  test('are called so, and never a proof', async () => {
    const fixture = await aTestProject({ toml: `${TOML}[proof]\nlevel = "quick"\n` })
    const ran = await fixture.ralph(['loop'])
    const screens = [ran.stdout]
    for (const argv of [['status'], ['show'], ['report'], ['runs']])
      screens.push((await runCommand(fixture, ...argv)).out)
    expect(ran.code).toBe(0)
    for (const screen of screens) {
      expect(screen).toMatch(/gates passed/i)
      expect(screen.replaceAll(/nothing counts as proven/g, '')).not.toMatch(/proven/i)
    }
    expect(lastResultOf((await runCommand(fixture, 'status', '--json')).out)).toMatchObject({
      outcome: { verdict: 'gates-passed' },
      next: ['RALPH_PROOF_LEVEL=full ralph verify', {}, {}],
    })
  })

  test('can be had proven by the command that is advised', async () => {
    const fixture = await aTestProject({
      toml: `${TOML}[proof]\nlevel = "quick"\n`,
      turns: [[DOUBLES, ...CLAIM]],
      files: {
        ...FILES,
        'test/double.sh': '[ "$(sh src/double.sh 2)" = 4 ]\n',
      },
    })
    await fixture.ralph(['loop', '--quiet'])
    const { code, stdout } = await fixture.ralph(['verify'], { env: { RALPH_PROOF_LEVEL: 'full' } })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^proven: /m) as string])
  })
})

describe('a completion that no gate can speak about', () => {
  const turns = [[{ do: 'write', path: 'README.md', content: '# Twice\n' } as const, ...CLAIM]]

  test('gives its true reason, and does not ask for a gate that is there', async () => {
    const fixture = await aTestProject({ turns })
    const ran = await fixture.ralph(['loop'])
    expect(ran.code).toBe(0)
    const screens = [ran.stdout, (await runCommand(fixture, 'status')).out, (await runCommand(fixture, 'report')).out]
    for (const screen of screens.map(collapseSpaces)) {
      expect(screen).toMatch(/done, unproven/i)
      expect(screen).toContain('only documents changed, and no gate reads them')
      expect(screen).not.toMatch(/add a gate|ralph init/)
    }
  })
})
