/** What the screens of the morning after promise, looked at by somebody who only knows the documents. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DONE, testProject, NOT_YET, type TestProject } from '../test-project.ts'
import { runInProcess, type CapturedOutput } from '../run-in-process.ts'
import { runCommand } from '../walk/sample-run.ts'

const LONG = 'x'.repeat(150)
const ALL_TICKED = { do: 'write', path: '.ralph/fix_plan.md', content: '- [x] one\n- [x] two\n' } as const
/** As much as a terminal shows: no character here is wider than a cell. */
const tooWide = ({ out }: CapturedOutput, columns: number): string[] =>
  out.split('\n').filter((line) => line.length > columns)

function wide({ path, env }: TestProject, columns: number, ...argv: string[]): Promise<CapturedOutput> {
  return runInProcess(argv, { cwd: path, env, columns })
}

/** Refused three times, by a gate with a line that has no blank to break at. */
async function refused(): Promise<TestProject> {
  const fixture = await testProject({
    toml: '[[gate]]\nname = "test"\nrun = "sh test.sh"\n',
    plan: '- [ ] one\n- [ ] two\n',
    files: { 'test.sh': `echo "FAIL test.sh: ${LONG}"; echo "1 passed, 1 failed"; exit 1\n` },
    turns: [
      [
        { do: 'write', path: 'lie.txt', content: 'a\nb\n' },
        { do: 'status', text: 'Going.', fields: NOT_YET },
      ],
      [ALL_TICKED, { do: 'append', path: 'lie.txt', content: 'c\n' }, { do: 'status', text: 'Done.', fields: DONE }],
    ],
    until: 'removed',
  })
  await fixture.ralph(['loop', '--yes'])
  return fixture
}

/** Nothing moved until the breaker opened. */
async function opened(): Promise<TestProject> {
  const fixture = await testProject({
    toml: '[[gate]]\nname = "test"\nrun = "true"\n',
    plan: '- [ ] one\n',
    turns: [
      [
        { do: 'say', text: 'Hm.' },
        { do: 'status', fields: NOT_YET },
      ],
    ],
    until: 'removed',
  })
  await fixture.ralph(['loop', '--yes'])
  return fixture
}

describe('after refused completions', () => {
  let fixture: TestProject
  beforeAll(async () => void (fixture = await refused()))
  afterAll(() => fixture.remove())

  test('the report counts what git counts', async () => {
    const report = JSON.parse((await runCommand(fixture, 'report', '--json')).out) as {
      changed: Record<string, number>
      iterations: Record<string, number>
    }
    await fixture.git('add', '-N', '.')
    const counted = (await fixture.git('diff', '--numstat', '--', '.', ':!.ralph'))
      .split('\n')
      .map((row) => row.split('\t'))
    await fixture.git('reset', '-q')
    expect(report.changed).toMatchObject({
      files: counted.length,
      added: counted.reduce((sum, [added]) => sum + Number(added), 0),
      removed: counted.reduce((sum, [, removed]) => sum + Number(removed), 0),
    })
    const { made, moved, nothing, refused: times } = report.iterations
    expect([made, times]).toEqual([4, 3])
    expect(moved).toBe(1)
    expect(nothing).toBe(0)
  })

  test.each([60, 80, 120])('report and circuit fit %i columns', async (columns) => {
    for (const command of ['report', 'circuit']) {
      // What is typed or pasted is not broken.
      const heard = await wide(fixture, columns, command)
      const [prose = ''] = heard.out.split(/^ {2}Next {2}/m)
      expect(tooWide({ ...heard, out: prose }, columns)).toEqual([])
    }
  })

  test.each([60, 80, 120])('status fits %i columns', async (columns) => {
    expect(tooWide(await wide(fixture, columns, 'status'), columns)).toEqual([])
  })
})

describe('after the breaker opened', () => {
  let fixture: TestProject
  beforeAll(async () => void (fixture = await opened()))
  afterAll(() => fixture.remove())

  test('status and circuit agree', async () => {
    const status = JSON.parse((await runCommand(fixture, 'status', '--json')).out) as { breaker: string }
    expect(status.breaker).toBe('open')
    expect((await runCommand(fixture, 'circuit')).out).toMatch(/^ +state +open: no changes in 3 iterations in a row$/m)
  })

  test('status fits 60 columns', async () => {
    expect(tooWide(await wide(fixture, 60, 'status'), 60)).toEqual([])
  })

  test('the history of the breaker fits 80 columns', async () => {
    expect(tooWide(await wide(fixture, 80, 'circuit', 'history'), 80)).toEqual([])
  })

  test('the history of the breaker writes dates as the other screens do', async () => {
    expect((await runCommand(fixture, 'circuit', 'history')).out).toMatch(/\b\d{4}-\d\d-\d\d \d\d:\d\d/)
  })

  test('undo is not advised where nothing was changed', async () => {
    expect((await runCommand(fixture, 'undo', '--dry-run')).code).toBe(3)
    expect((await runCommand(fixture, 'status')).out).not.toContain('ralph undo')
  })
})

describe('words that are wrong', () => {
  let fixture: TestProject
  beforeAll(async () => void (fixture = await testProject({ until: 'removed' })))
  afterAll(() => fixture.remove())

  test('a bad value points to the help in which the flag stands', async () => {
    expect(await runCommand(fixture, 'loop', '--max-iterations', 'x')).toMatchObject({
      code: 2,
      err: expect.stringContaining('ralph loop --help') as string,
    })
  })

  test('a slip in a flag of ralph itself', async () => {
    expect((await runCommand(fixture, '--verson')).err).toContain('Did you mean --version?')
  })

  test('settings that are no TOML are a bad setting: exit code 2', async () => {
    await fixture.write('.ralph.toml', '[proof\n')
    expect(await runCommand(fixture, 'status')).toMatchObject({ code: 2 })
  })
})
