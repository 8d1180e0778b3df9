/** `ralph conversation`, as a user types it; `ralph session` is its old name. */
import { expect, test } from 'vitest'
import { testProject, NOT_YET, type TestProject, type ScriptedTurn } from '../test-project.ts'
import { runInProcess } from '../run-in-process.ts'

function works(conversation: string): ScriptedTurn {
  return {
    conversation,
    steps: [
      { do: 'append', path: 'work.txt', content: 'more\n' },
      { do: 'status', fields: NOT_YET },
    ],
  }
}

async function facts(made: TestProject, ...args: string[]): Promise<unknown> {
  const { out } = await runInProcess([...args, '--json'], { cwd: made.path, env: made.env })
  return JSON.parse(out) as unknown
}

function resumed(made: TestProject): (string | null)[] {
  return made
    .starts()
    .map(({ args }) => (args.includes('--resume') ? (args[args.indexOf('--resume') + 1] ?? '') : null))
}

const ONCE = ['--max-iterations', '1']

test('a run that a limit cut short hands its conversation on; a reset begins a fresh one', async () => {
  const made = await testProject({
    toml: '[ui]\nprojections = true\n',
    turns: [works('c1'), works('c1'), works('c2')],
  })
  expect(await facts(made, 'conversation')).toMatchObject({ conversation: null, resumes: false })
  await made.ralph(ONCE)
  expect(await facts(made, 'conversation', 'show')).toMatchObject({
    conversation: { agent: 'claude', id: 'c1' },
    resumes: true,
  })
  const { out } = await runInProcess(['conversation'], { cwd: made.path, env: made.env })
  expect(out).toMatch(/id +c1\n.*agent +claude\n.*\n.*the next iteration resumes it/)
  await made.ralph(ONCE)
  const reset = await made.ralph(['conversation', 'reset'])
  expect([reset.code, reset.stdout]).toEqual([0, 'The next run starts a new agent session.\n'])
  expect([await facts(made, 'session'), made.has('.ralph/.claude_session_id')]).toMatchObject([
    { conversation: null },
    false,
  ])
  expect(JSON.parse(await made.read('.ralph/.ralph_session'))).toMatchObject({
    session_id: '',
    reset_reason: 'manual_reset',
  })
  await made.ralph(ONCE)
  expect(resumed(made)).toEqual([null, 'c1', null])
  expect(await facts(made, 'session', 'history')).toMatchObject([
    { from: 'active', to: 'reset', reason: 'manual_reset' },
  ])
})

test('does not resume a conversation that is too old', async () => {
  const made = await testProject({ toml: '[agent]\nconversation_hours = "1ms"\n', turns: [works('c1')] })
  await made.ralph(ONCE)
  expect(await facts(made, 'conversation')).toMatchObject({ conversation: { id: 'c1' }, resumes: false })
  await made.ralph(ONCE)
  expect(resumed(made)).toEqual([null, null])
})

test('an unfinished run keeps its own, and the reset says so', async () => {
  const made = await testProject({
    toml: '',
    turns: [works('c1'), [{ do: 'say', text: 'still here' }, { do: 'hang' }]],
  })
  const walk = made.start(['--live'])
  await walk.waitFor('still here')
  const live = await runInProcess(['conversation', 'reset'], { cwd: made.path, env: made.env })
  expect([live.code, live.err]).toEqual([1, expect.stringContaining('ralph stop')])
  await walk.kill('SIGKILL')
  const cut = await runInProcess(['conversation', 'reset'], { cwd: made.path, env: made.env })
  expect([cut.code, cut.out]).toEqual([
    0,
    expect.stringContaining('is unfinished. This reset does not change it, even if you resume it'),
  ])
})
