/** `ralph watch`, as a user types it: in a pipe, in a script, for a run that goes on and for one that is over. */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Row } from '../../src/core/state/row.ts'
import { openSqlite } from '../../src/store/db/sqlite.ts'
import { DONE, testProject, NOT_YET, type TestProject, type TestProjectOptions } from '../test-project.ts'
import { runInProcess, type CapturedOutput } from '../run-in-process.ts'

const GATE = '[[gate]]\nname = "test"\nrun = "sh -c true"\n'
const PLAN = '# Plan\n\n- [ ] one\n- [ ] two\n'
const TICK = { do: 'replace', path: '.ralph/fix_plan.md', find: '- [ ]', with: '- [x]' } as const

/** Two iterations, each ticking a checkbox. */
const TWO_CHECKBOXES: TestProjectOptions = {
  toml: GATE,
  plan: PLAN,
  turns: [
    [{ do: 'say', text: 'I begin with one.' }, TICK, { do: 'status', text: 'more to do', fields: NOT_YET }],
    [TICK, { do: 'status', text: 'all is done', fields: DONE }],
  ],
}

function store(made: TestProject): string {
  return join(made.path, '.git', 'ralph', 'root', 'ralph.db')
}

async function change(made: TestProject, script: string): Promise<void> {
  const sqlite = openSqlite(store(made), { immutable: false, notice: () => {} })
  await sqlite.script(script)
  await sqlite.close()
}

/** One run for all of these; the last ones spoil more and more of it. */
describe('a run that is over', () => {
  let made: TestProject
  let run: string
  const watched = (...args: string[]): Promise<CapturedOutput> =>
    runInProcess(['watch', ...args], { cwd: made.path, env: made.env })
  beforeAll(async () => {
    made = await testProject({ ...TWO_CHECKBOXES, until: 'removed' })
    const { code, stderr } = await made.ralph(['loop', '--quiet'])
    expect([code, stderr]).toEqual([0, ''])
  })
  afterAll(() => made.remove())

  test('is shown event by event, with its result', async () => {
    const { code, stdout, stderr } = await made.ralph(['watch'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^✓ 1 {2}.*1\/2 items.*$/m)
    expect(stdout).toMatch(/^✓ 2 {2}.*2\/2 items.*$/m)
    expect(stdout).toMatch(/^GATES PASSED$/m)
  })

  test('is printed for programs as the rows of its record', async () => {
    const { code, out } = await watched('--json')
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row)
    expect(code).toBe(0)
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1))
    expect([rows[0]?.event.type, rows.at(-1)?.event.type]).toEqual(['run-started', 'run-ended'])
    run = rows[0]?.run ?? ''
  })

  test('ends quietly when nobody reads on', async () => {
    const ralph = fileURLToPath(new URL('../../bin/ralph.cjs', import.meta.url))
    const said = await new Promise<{ stdout: string; stderr: string }>((done) => {
      const line = '"$0" "$1" watch | head -1'
      execFile(
        'sh',
        ['-c', line, process.execPath, ralph],
        { cwd: made.path, env: made.env },
        (_error, stdout, stderr) => done({ stdout, stderr }),
      )
    })
    expect(said.stderr).toBe('')
    expect(said.stdout.split('\n').length).toBe(2)
  })

  test('under a name that is not quite its own is suggested', async () => {
    const wrong = `${run.slice(0, -1)}${run.endsWith('0') ? '1' : '0'}`
    const { code, err } = await watched(wrong)
    expect(code).toBe(1)
    expect(err).toContain(`ralph: there is no run "${wrong}"\n       Did you mean ${run}?`)
  })

  test('is shown without its logs if those were deleted by hand', async () => {
    await rm(join(dirname(store(made)), 'logs'), { recursive: true })
    const { code, out } = await watched()
    expect(code).toBe(0)
    expect(out).toContain('GATES PASSED')
  })

  test('is shown without the rows of a newer Ralph, which are counted', async () => {
    await change(made, `update record set event = '{"type":"from-the-future"}' where seq = 2`)
    const { code, out } = await watched()
    expect(code).toBe(0)
    expect(out).toContain('row 2 was written by a newer Ralph and is not shown')
    expect(out).toContain('GATES PASSED')
  })

  test('in a store that a newer Ralph wrote is left alone, with a clear word', async () => {
    await change(made, 'pragma user_version = 999')
    const { code, err } = await watched()
    expect(code).toBe(7)
    expect(err).toContain('was written by a newer Ralph')
  })
})

describe('a run that goes on', () => {
  test('is followed to its end by somebody who came later', async () => {
    const made = await testProject({
      ...TWO_CHECKBOXES,
      turns: [
        [
          { do: 'shell', command: 'until test -e go; do sleep 0.05; done; rm go' },
          TICK,
          { do: 'status', text: 'more to do', fields: NOT_YET },
        ],
        [TICK, { do: 'status', text: 'all is done', fields: DONE }],
      ],
    })
    const loop = made.start(['loop', '--quiet'])
    while (made.starts().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    const watch = made.start(['watch'])
    await watch.waitFor('baseline: test')
    await made.write('go', '')
    const { code, stdout } = await watch.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^GATES PASSED$/m)
    expect((await loop.ended).code).toBe(0)
  })

  test('that was cut off is not waited for', async () => {
    const made = await testProject({ ...TWO_CHECKBOXES, turns: [[{ do: 'hang' }]] })
    const loop = made.start(['loop', '--quiet'])
    while (made.starts().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await loop.kill('SIGKILL')
    const { code, stdout } = await made.ralph(['watch'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/was interrupted \(not running\)\.\n {2}continue: ralph resume/)
  })
})

describe('what cannot be watched is said plainly', () => {
  test('nothing has run yet', async () => {
    const made = await testProject({ toml: GATE })
    const { code, err } = await runInProcess(['watch'], { cwd: made.path, env: made.env })
    expect(code).toBe(3)
    expect(err).toMatch(/^ralph: this project has no runs yet\n {7}Start one: ralph loop/)
  })

  test('a pane that does not exist', async () => {
    const made = await testProject({ toml: GATE })
    const { code, err } = await runInProcess(['watch', '--pane', 'mesages'], { cwd: made.path, env: made.env })
    expect([code, err]).toEqual([2, 'ralph: there is no pane "mesages"\n       Did you mean "messages"?\n'])
  })
})
