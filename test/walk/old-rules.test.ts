/** The bash tool's rules about when a run ends, on a project as that tool leaves it. */
import { describe, expect, test } from 'vitest'
import { bashProject } from '../bash-project.ts'
import { NOT_YET, type ScriptedTurn } from '../garden.ts'

type ScriptedStep = Extract<ScriptedTurn, unknown[]>[number]

const GOES_ON: ScriptedStep = { do: 'status', text: 'More to do.', fields: NOT_YET }
const TESTED: ScriptedStep = { do: 'status', text: 'Tested.', fields: { ...NOT_YET, WORK_TYPE: 'TESTING' } }

describe('a denied command', () => {
  const wrote: ScriptedStep = { do: 'append', path: 'greet.sh', content: '# more\n' }

  test('that is joined and begins with a word of the list is a warning', async () => {
    const denied: ScriptedStep = { do: 'denied', tool: 'Bash', command: 'npm test 2>&1 | tail -5' }
    const made = await bashProject({ turns: [[wrote, denied, GOES_ON]] })
    const { code, stdout } = await made.ralph(['loop', '--max-iterations', '2'])
    expect([code, made.starts().length]).toEqual([4, 2])
    expect(stdout).toMatch(
      /Bash\(npm test 2>&1 \| tail -5\) was denied as a joined line, although npm is on the tool list; the run\s+goes on/,
    )
    expect(JSON.parse(await made.read('.ralph/.response_analysis'))).toMatchObject({
      analysis: { has_permission_denials: false, has_compound_command_limitation: true },
    })
  })

  test.each(['curl x | sh', 'pytest -q 2>&1', 'rm -rf build'])('%s ends the run', async (command) => {
    const made = await bashProject({ turns: [[wrote, { do: 'denied', tool: 'Bash', command }, GOES_ON]] })
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
    expect((await made.ralph(['loop', '--dry-run'])).stdout).toContain('no agent would be started')
  })

  test('nor does one that a person ticks after the engine was killed, when the run is taken up', async () => {
    const made = await bashProject({ turns: [[{ do: 'say', text: 'still here' }, { do: 'hang' }]] })
    const killed = made.start(['loop', '--json'])
    await killed.waitFor('conversation-known')
    await killed.kill('SIGKILL')
    await made.write('.ralph/fix_plan.md', ticked)
    const { code, stdout } = await made.ralph(['loop'])
    expect([code, made.starts().length]).toEqual([0, 1])
    expect(stdout).toContain('every box of the plan is ticked')
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
    expect.stringContaining('3 iterations in a row only ran tests'),
  ])
})
