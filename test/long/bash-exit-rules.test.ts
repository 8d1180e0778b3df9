/** The bash tool's rules about when a run ends, on a project as that tool leaves it. */
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bashProject, stamps } from '../bash-project.ts'
import { NOT_YET, type ScriptedTurn } from '../test-project.ts'

type ScriptedStep = Extract<ScriptedTurn, unknown[]>[number]

const GOES_ON: ScriptedStep = { do: 'status', text: 'More to do.', fields: NOT_YET }
const TESTED: ScriptedStep = { do: 'status', text: 'Tested.', fields: { ...NOT_YET, WORK_TYPE: 'TESTING' } }

describe('a denied command', () => {
  const writtenFiles: ScriptedStep = { do: 'append', path: 'greet.sh', content: '# more\n' }

  test('that is joined and begins with a word of the list is a warning', async () => {
    const denied: ScriptedStep = { do: 'denied', tool: 'Bash', command: 'npm test 2>&1 | tail -5' }
    const made = await bashProject({ turns: [[writtenFiles, denied, GOES_ON]] })
    const { code, stdout } = await made.ralph(['loop', '--max-iterations', '2'])
    expect([code, made.starts().length]).toEqual([4, 2])
    expect(stdout).toMatch(
      /Bash\(npm test 2>&1 \| tail -5\) was denied: npm is allowed,\s+but\s+not\s+joined\s+with\s+other\s+commands;\s+continuing/,
    )
    expect(JSON.parse(await made.read('.ralph/.response_analysis'))).toMatchObject({
      analysis: { has_permission_denials: false, has_compound_command_limitation: true },
    })
  })

  test.each(['curl x | sh', 'pytest -q 2>&1', 'rm -rf build'])('%s ends the run', async (command) => {
    const made = await bashProject({
      turns: [[writtenFiles, { do: 'denied', tool: 'Bash', command }, GOES_ON]],
    })
    const { code, stdout } = await made.ralph(['loop', '--max-iterations', '2'])
    expect([code, made.starts().length]).toEqual([4, 1])
    expect(stdout).toContain(`the agent was denied Bash(${command})`)
  })
})

describe('a plan without an open box', () => {
  const ticked = '## High\n- [x] one\n\n## Optional\n- [ ] perhaps\n'

  test('costs no call', async () => {
    const made = await bashProject({ files: { '.ralph/fix_plan.md': ticked }, turns: [[GOES_ON]] })
    const { code, stdout } = await made.ralph(['loop'])
    expect([code, made.starts()]).toEqual([0, []])
    expect(stdout).toContain('DONE, UNPROVEN')
    expect(JSON.parse(await made.read('.ralph/status.json'))).toMatchObject({
      status: 'completed',
      last_action: 'graceful_exit',
      exit_reason: 'plan_complete',
    })
    expect((await made.ralph(['loop', '--dry-run'])).stdout).toContain('no agent would start')
  })

  test('nor does one that a person ticks after the engine was killed, when the run is resumed', async () => {
    const made = await bashProject({ turns: [[{ do: 'say', text: 'still here' }, { do: 'hang' }]] })
    const killed = made.start(['loop', '--json'])
    await killed.waitFor('conversation-known')
    await killed.kill('SIGKILL')
    await made.write('.ralph/fix_plan.md', ticked)
    const { code, stdout } = await made.ralph(['loop'])
    expect([code, made.starts().length]).toEqual([0, 1])
    expect(stdout).toContain('plan: 1 of 1 item done')
    expect(JSON.parse(await made.read('.ralph/status.json'))).toMatchObject({ exit_reason: 'plan_complete' })
  })
})

test('iterations of testing that write tests are work; those that only run them end it', async () => {
  const writes = [{ do: 'append', path: 'test.sh', content: '# case\n' } as const, TESTED]
  const made = await bashProject({ turns: [writes] })
  const { code, stdout } = await made.ralph(['loop', '--max-iterations', '4'])
  expect([code, made.starts().length, stdout]).toEqual([4, 4, expect.not.stringContaining('only ran tests')])
  await made.play([[TESTED]])
  const idle = await made.ralph(['loop', '--max-iterations', '4'])
  expect([made.starts().length, idle.stdout]).toEqual([
    3,
    expect.stringContaining('the agent only ran tests in 3 iterations in a row'),
  ])
})

describe('a breaker that has cooled down', () => {
  const minutesAgo = (minutes: number): string => stamps(new Date(Date.now() - minutes * 60_000)).utc
  const open = (minutes: number): Record<string, string> => ({
    '.ralph/.circuit_breaker_state': JSON.stringify({
      state: 'OPEN',
      last_change: minutesAgo(minutes),
      opened_at: minutesAgo(minutes),
      consecutive_no_progress: 3,
      consecutive_same_error: 0,
      consecutive_permission_denials: 0,
      total_opens: 1,
      reason: 'No progress detected in 3 consecutive loops',
    }),
  })

  test('keeps its counters: one more idle iteration opens it again', async () => {
    const made = await bashProject({ state: open(31), turns: [[GOES_ON]] })
    expect([(await made.ralph(['loop'])).code, made.starts().length]).toEqual([4, 1])
    expect(JSON.parse(await made.read('.ralph/.circuit_breaker_state'))).toMatchObject({
      state: 'OPEN',
      consecutive_no_progress: 4,
      total_opens: 2,
    })
  })

  test('progress closes it', async () => {
    const works: ScriptedStep = { do: 'append', path: 'greet.sh', content: '# more\n' }
    const made = await bashProject({ state: open(31), turns: [[works, GOES_ON]] })
    await made.ralph(['loop', '--max-iterations', '1'])
    expect(JSON.parse(await made.read('.ralph/.circuit_breaker_state'))).toMatchObject({
      state: 'CLOSED',
      consecutive_no_progress: 0,
      total_opens: 1,
    })
  })

  // The second one opened in the future, by a clock that has gone back since.
  test.each([5, -90])('opened %i minutes ago it is open', async (minutes) => {
    const made = await bashProject({ state: open(minutes), turns: [[GOES_ON]] })
    expect([(await made.ralph(['loop'])).code, made.starts().length]).toEqual([4, 0])
  })
})

describe('a bare session id', () => {
  test.each<[hours: number, resumed: boolean]>([
    [2, true],
    [25, false],
  ])('in a file of %i hours ago is resumed: %s', async (hours, resumed) => {
    const made = await bashProject({ state: { '.ralph/.claude_session_id': 'old-1\n' }, turns: [[GOES_ON]] })
    const written = new Date(Date.now() - hours * 3_600_000)
    await utimes(join(made.path, '.ralph', '.claude_session_id'), written, written)
    await made.ralph(['loop', '--once'])
    expect(made.starts()[0]?.args.includes('old-1')).toBe(resumed)
  })
})
