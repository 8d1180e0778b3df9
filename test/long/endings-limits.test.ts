/** Ends by a limit, by the breaker, by a person or by an accident: what is advised is typed, and the work goes on. */
import { describe, expect, test } from 'vitest'
import {
  NOT_YET,
  type TestProject,
  type CommandResult,
  type ScriptedTurn,
  type RunningCommand,
} from '../test-project.ts'
import {
  expectAdvice,
  CLAIM,
  runToEnding,
  followAdvice,
  expectContinues,
  LAST,
  MORE,
  once,
  ONE_CLAIM,
  read,
  STEP,
  THINKS,
  jsonResultOf,
  type EndingOptions,
} from './ending-kit.ts'

const IDLE: ScriptedTurn = [THINKS]
const STEPS = [MORE, { do: 'status', text: 'One step.', fields: NOT_YET }] as const
const DEAR: ScriptedTurn = { steps: [...STEPS], usage: { input: 1000, output: 100, usd: 0.6 } }
/** Longer than the limit of time. */
const LONG: ScriptedTurn = [{ do: 'delay', ms: 2500 }, ...STEPS]

const LIMITS: [string, EndingOptions, string, string][] = [
  ['iterations', { args: ['--max-iterations', '1'], turns: [STEP, LAST] }, 'iteration_limit', 'ralph loop'],
  ['one iteration', { args: ['--once'], turns: [STEP, LAST] }, 'iteration_limit', 'ralph loop'],
  ['money', { args: ['--budget-usd', '1'], turns: [DEAR, LAST] }, 'cost_limit', 'ralph loop --budget-usd 1'],
  [
    'tokens',
    { args: ['--budget-tokens', '1000'], turns: [DEAR, LAST] },
    'token_limit',
    'ralph loop --budget-tokens 1000',
  ],
  ['time', { args: ['--minutes', '0.04'], turns: [LONG, LAST] }, 'time_limit', 'ralph loop --minutes 0.04'],
]

describe('a limit of', () => {
  test.each(LIMITS)('%s', async (_, plot, outcome, command) => {
    const ending = await runToEnding(plot)
    expectAdvice(ending, outcome, command)
    await expectContinues(ending)
  })

  test('money in the settings: the flag holds all the same', async () => {
    const ending = await runToEnding({ toml: `${ONE_CLAIM}[budget]\nusd = 1\n`, turns: [DEAR, LAST] })
    expectAdvice(ending, 'cost_limit', 'ralph loop --budget-usd 1')
    await expectContinues(ending)
  })

  // The same number again would be over before the first iteration again.
  test('time that was over before the first iteration is not advised once more', async () => {
    const gate = '[[gate]]\nname = "test"\nrun = "sleep 0.4"\n'
    const ending = await runToEnding({ toml: gate, args: ['--minutes', '0.005'], turns: [LAST] })
    expect(ending.next[0]).not.toBe('ralph loop --minutes 0.005')
    await expectContinues(ending)
  })

  test('iterations, in a run with --agent: the same agent continues', async () => {
    const ending = await runToEnding({ args: ['--once', '--agent', 'codex'], turns: [STEP, LAST] })
    await expectContinues(ending)
    expect(ending.fixture.starts().map(({ dialect }) => dialect)).toEqual(['codex', 'codex'])
  })
})

const NOISY = { do: 'flood', lines: 50, size: 1000 } as const
const LESS = { do: 'flood', lines: 5, size: 1000 } as const
const SAME_ERROR = `${ONE_CLAIM}[retry]\nfirst = "1ms"\n[breaker]\nsame_error = 2\n`
const DENIED: ScriptedTurn = [
  { do: 'denied', tool: 'Bash', command: 'npm install' },
  { do: 'status', text: 'I may not.', fields: NOT_YET },
]

const BREAKERS: [string, EndingOptions, string[]][] = [
  [
    'nothing moved',
    { turns: [IDLE, IDLE, IDLE, LAST] },
    ['The agent made no progress. Change the prompt or the plan so that it tries something else.'],
  ],
  [
    'the same error',
    {
      toml: SAME_ERROR,
      turns: [...twice({ steps: [{ do: 'stderr', text: 'cannot frobnicate\n' }, { do: 'no-final' }], exit: 1 }), LAST],
    },
    ['The error: cannot frobnicate'],
  ],
  [
    'crashes of the agent',
    { toml: SAME_ERROR, turns: [...twice([{ do: 'crash', signal: 'SIGSEGV' }]), LAST] },
    ['The error: ended by SIGSEGV, which Ralph did not send'],
  ],
  [
    'output decline',
    { turns: [[NOISY, ...STEPS], [LESS, THINKS], IDLE, LAST] },
    ['The agent prints less and less. A smaller next item may help.'],
  ],
]

describe('the breaker by', () => {
  test.each(BREAKERS)('%s', async (_, plot, lines) => {
    const ending = await runToEnding(plot)
    expectAdvice(ending, 'breaker', 'ralph loop --auto-reset-circuit')
    expect(ending.status.lines).toEqual(lines)
    await expectContinues(ending)
  })

  const denied = once(() =>
    runToEnding({ toml: `${ONE_CLAIM}[agent]\npermission = "bypass"\n`, turns: [...twice(DENIED), LAST] }),
  )

  test('denied tools', async () => {
    const ending = await denied()
    expectAdvice(ending, 'breaker', 'ralph loop --auto-reset-circuit')
    await expectContinues(ending)
  })

  test('denied tools: they are named', async () => {
    const { screens } = await denied()
    for (const screen of Object.values(screens)) expect(screen).toContain('Bash(npm install)')
  })

  test('shows the same for a run that an open breaker stops', async () => {
    const ending = await runToEnding({
      turns: [IDLE, IDLE, IDLE, LAST],
      live: async (fixture) => {
        await fixture.ralph(['loop', '--quiet'])
        return fixture.ralph(['loop'])
      },
    })
    expectAdvice(ending, 'breaker', 'ralph loop --auto-reset-circuit')
    // No agent was called, so there is no output to read.
    expect(ending.next.filter((command) => command.startsWith('ralph logs'))).toEqual([])
    await expectContinues(ending)
  })

  test('a program gets the same', async () => {
    expect((await jsonResultOf({ turns: [IDLE] })).next[0]).toBe('ralph loop --auto-reset-circuit')
  })
})

describe('a person', () => {
  test.each(['SIGINT', 'ralph stop'])('stopped it by %s', async (by) => {
    const ending = await runToEnding({
      turns: [HANGS, LAST],
      live: async (fixture) => {
        const walk = await working(fixture)
        if (by === 'SIGINT') return walk.kill('SIGINT')
        await fixture.ralph(['stop'])
        return walk.ended
      },
    })
    expectAdvice(ending, 'stopped', 'ralph loop')
    await expectContinues(ending)
  })

  test('stopped it at a usage limit: the advice says until when the next run waits', async () => {
    const limit: ScriptedTurn = [{ do: 'limit', kind: 'usage-limit', resetsInMs: 3 * 3_600_000 }]
    const ending = await runToEnding({
      turns: [limit, LAST],
      live: async (fixture) => {
        const walk = fixture.start(['loop'])
        await walk.waitFor(/^wait /m)
        await fixture.ralph(['stop'])
        return walk.ended
      },
    })
    expectAdvice(ending, 'stopped', 'ralph loop')
    for (const screen of Object.values(ending.screens)) expect(screen).toMatch(/it waits until \d\d:\d\d/)
    // The same wait again: the person who types it knows how long.
    const again = ending.fixture.start(['loop'])
    await again.waitFor(/waits until \d\d:\d\d/)
    await again.kill('SIGINT')
  })

  test('paused it: status, report and JSON say how to continue', async () => {
    const { ending, walk } = await paused()
    expectAdvice(ending, null, 'ralph resume')
    expect((await followAdvice(ending)).code).toBe(0)
    expect([(await walk.ended).code, ending.fixture.starts().length]).toEqual([0, 2])
  })

  test('paused it: so does the foreground, and the report does not call that cut off', async () => {
    const { ending, walk } = await paused()
    const said = walk.output()
    await walk.kill('SIGKILL')
    expect.soft(said).toContain('ralph resume')
    expect.soft(ending.screens.report).not.toContain('cut off')
  })
})

describe('an accident', () => {
  test('kill -9', async () => {
    const ending = await runToEnding({
      turns: [HANGS, LAST],
      live: async (fixture) => {
        await (await working(fixture)).kill('SIGKILL')
        return null
      },
    })
    expectAdvice(ending, null, 'ralph resume')
    await expectContinues(ending)
  })

  test('an outage leaves it unfinished, and the same run continues', async () => {
    const ending = await runToEnding({
      toml: `${ONE_CLAIM}[retry]\nfirst = "1ms"\noutage = 0\n`,
      turns: [[{ do: 'limit', kind: 'overload' }], LAST],
    })
    expectAdvice(ending, 'outage', 'ralph loop')
    expect((await expectContinues(ending)).stdout).toMatch(/Resuming run \w+/)
  })

  test('deleted files', async () => {
    const deletes: ScriptedTurn = [{ do: 'delete', path: '.ralph/PROMPT.md' }, ...STEPS]
    const ending = await runToEnding({ turns: [...twice(deletes), LAST] })
    expectAdvice(ending, 'files_deleted', 'ralph loop')
    expect(ending.status.lines).toEqual(['Ralph restored the files. Tell the agent in the prompt not to delete them.'])
    await ending.fixture.write('.ralph/PROMPT.md', 'Do what the plan says, and leave this file alone.\n')
    await expectContinues(ending)
    expect(ending.fixture.starts().at(-1)?.resume).toBe(null)
  })

  test('an agent that only runs tests', async () => {
    const works: ScriptedTurn = [MORE, { do: 'status', text: 'Written.', fields: NOT_YET }]
    const tests: ScriptedTurn = [{ do: 'status', text: 'Green.', fields: { ...NOT_YET, WORK_TYPE: 'TESTING' } }]
    const gate = '[[gate]]\nname = "test"\nrun = "sh src/more.sh"\n'
    const ending = await runToEnding({ toml: `${gate}[exit]\ntest_only = 1\n`, turns: [works, tests] })
    expectAdvice(ending, 'test_saturation', 'ralph verify')
    expect(await followAdvice(ending)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('gates passed') as string,
    })
  })
})

const SAYS = 'I am at it.'
const HANGS: ScriptedTurn = [{ do: 'say', text: SAYS }, { do: 'hang' }]

/** A run whose agent is at work. */
async function working(fixture: TestProject): Promise<RunningCommand> {
  const walk = fixture.start(['loop', '--live'])
  await walk.waitFor(SAYS)
  return walk
}

/** A run that was paused in its first iteration, and has finished that. */
async function paused(): Promise<{ ending: Awaited<ReturnType<typeof read>>; walk: RunningCommand }> {
  const waits = { do: 'shell', command: 'until test -e ../go; do sleep 0.05; done' } as const
  let walk: RunningCommand | undefined
  const ending = await runToEnding({
    turns: [
      [{ do: 'say', text: SAYS }, waits, ...STEPS],
      [MORE, CLAIM],
    ],
    live: async (fixture): Promise<CommandResult | null> => {
      walk = await working(fixture)
      await fixture.ralph(['pause'])
      await fixture.write('../go', '')
      await walk.waitFor(/^\w+ .*paused by ralph pause; resume: ralph resume/m)
      return null
    },
  })
  if (walk === undefined) throw new Error('it was never started')
  return { ending, walk }
}

function twice(turn: ScriptedTurn): ScriptedTurn[] {
  return [turn, turn]
}
