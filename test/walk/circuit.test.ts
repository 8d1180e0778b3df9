/** `ralph circuit`, as a user types it. */
import { expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

const IDLE: ScriptedTurn = [
  { do: 'say', text: 'Hm.' },
  { do: 'status', fields: NOT_YET },
]
const HANGS: ScriptedTurn = [{ do: 'say', text: 'working on it' }, { do: 'hang' }]

async function facts(made: TestProject, ...args: string[]): Promise<unknown> {
  const { out } = await runInProcess(['circuit', ...args, '--json'], { cwd: made.path, env: made.env })
  return JSON.parse(out) as unknown
}

test('a project in which nothing has run has a closed breaker, and no store is made for the question', async () => {
  const made = await testProject({ toml: '' })
  expect(await facts(made, 'status')).toMatchObject({
    breaker: { is: 'closed', opens: 0 },
    nextStart: 'closed',
    run: null,
    live: null,
  })
  expect([await facts(made, 'history'), made.has('.git/ralph')]).toEqual([[], false])
})

test('an open breaker holds the next run back, and a reset lets it go, once', async () => {
  const made = await testProject({ toml: '[ui]\nprojections = true\n', turns: [IDLE] })
  const first = await made.ralph([])
  expect([first.code, made.starts().length]).toEqual([4, 3])
  expect(await facts(made)).toMatchObject({
    breaker: { is: 'open', why: 'no-progress', opens: 1 },
    nextStart: 'open',
  })
  const screen = await runInProcess(['circuit'], { cwd: made.path, env: made.env })
  expect(screen.out).toMatch(/^ {2}state {5}open: no changes in 3 iterations in a row$/m)
  expect(screen.out).toMatch(/now: ralph circuit reset$/m)
  const held = await made.ralph([])
  expect([held.code, made.starts().length]).toEqual([4, 3])

  const reset = await made.ralph(['circuit', 'reset'])
  expect([reset.code, reset.stdout]).toEqual([0, 'The breaker is closed. The next run starts a new agent session.\n'])
  expect(await facts(made)).toMatchObject({ breaker: { is: 'closed', opens: 0 }, nextStart: 'closed' })
  expect(JSON.parse(await made.read('.ralph/.circuit_breaker_state'))).toMatchObject({ state: 'CLOSED' })

  const again = await made.ralph([])
  expect([again.code, made.starts().length]).toEqual([4, 6])
  const turns = (await facts(made, 'history')) as { from: string; to: string }[]
  expect(turns.map(({ from, to }) => `${from} → ${to}`)).toEqual([
    'closed → half-open',
    'half-open → open',
    'open → closed',
    'closed → half-open',
    'half-open → open',
  ])
  const told = await runInProcess(['circuit', 'history'], { cwd: made.path, env: made.env })
  expect(told.out.split('\n')[1]).toMatch(/half-open → open {2}iteration 3 {2}no changes in 3 iterations in a row$/)
})

test('refuses a reset during a run and says what to do instead', async () => {
  const made = await testProject({ toml: '', turns: [HANGS] })
  const walk = made.start(['--live'])
  await walk.waitFor('working on it')
  const { code, err } = await runInProcess(['circuit', 'reset'], { cwd: made.path, env: made.env })
  expect([code, err]).toEqual([1, expect.stringMatching(/is running.*\n.*ralph stop.*ralph steer/s)])
  await walk.kill('SIGINT')
})

test('an agent cannot reset the breaker of its own run, nor anybody a word that is none', async () => {
  const made = await testProject({ toml: '' })
  const inside = await runInProcess(['circuit', 'reset'], {
    cwd: made.path,
    env: { ...made.env, RALPH_INSIDE: 'k7f3qa' },
  })
  expect([inside.code, inside.err]).toEqual([1, expect.stringContaining('inside run k7f3qa')])
  const wrong = await runInProcess(['circuit', 'rest'], { cwd: made.path, env: made.env })
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Did you mean: ralph circuit reset?')])
})
