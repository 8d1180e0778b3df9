/** What follows from an iteration: one row a rule, through the front door of the core. */
import { describe, expect, test } from 'vitest'
import { emptyAgentReport } from '../../agent-output/agent-report.ts'
import type { EffectOf } from '../../state/effect.ts'
import type { Worker } from '../../state/state.ts'
import type { Rules } from '../../state/rules.ts'
import {
  answer,
  requestedEffectTypes,
  decisionNames,
  START_TIME,
  openEffectOf,
  afterTurn,
  withRules,
  until,
  workerAt,
  working,
  type RunMoment,
  type AgentTurn,
} from '../../../../test/kit/core.ts'

const OPEN = { open: 3, done: 0 }
const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Works, and has more to do. */
const WORKS: AgentTurn = { files: 1, checkboxes: OPEN }
const IDLES: AgentTurn = { files: 0, checkboxes: OPEN }

const TWO_AGENTS = withRules({ agent: { order: ['claude', 'codex'] } })

/** Turns one after the other; what the last one led to. */
function after(turns: AgentTurn[], rules?: (rules: Rules) => Rules): RunMoment {
  let moment = working(rules === undefined ? {} : { rules })
  for (const turn of turns) {
    moment = until(moment, ({ is }) => is === 'working' || is === 'finished')
    moment = afterTurn(moment, turn)
  }
  return moment
}

function workAsked({ effects }: RunMoment): EffectOf<'run-agent'> | undefined {
  return effects.find((effect) => effect.type === 'run-agent')
}

function words({ decisions }: RunMoment, what: string): string[] {
  return decisions.flatMap((one) => (one.what === what ? [one.why] : []))
}

/** What is asked and decided, where the worker is then, and those of its fields that the row is about. */
interface Row {
  asks: string[]
  decides: string[]
  phase: Worker['phase']['is']
  worker?: Partial<Worker>
}

function rowOf(moment: RunMoment, fields: Partial<Worker> = {}): Row {
  const worker = workerAt(moment)
  const picked = Object.keys(fields).map((name) => [name, worker[name as keyof Worker]])
  return {
    asks: requestedEffectTypes(moment),
    decides: decisionNames(moment),
    phase: worker.phase.is,
    ...(picked.length === 0 ? {} : { worker: Object.fromEntries(picked) as Partial<Worker> }),
  }
}

const GOES_ON: Row = { asks: ['snapshot', 'run-agent'], decides: ['iteration/progress'], phase: 'working' }
const CLOSED = { is: 'closed' as const, opens: 0, changedAt: START_TIME }
const counts = (change: Partial<Worker['breaker']['counts']>): Worker['breaker']['counts'] => ({
  idle: 0,
  failed: 0,
  denied: 0,
  declined: 0,
  ...change,
})

describe('an iteration that worked', () => {
  test.each<[what: string, turn: AgentTurn, row: Row]>([
    [
      'changed files',
      WORKS,
      {
        ...GOES_ON,
        worker: {
          iteration: 2,
          counted: 1,
          failures: 0,
          rejections: 0,
          consecutiveDeletions: 0,
          measured: false,
          previous: 'worked',
          corrections: [],
          previousErrors: [],
          lastLength: 100,
          conversation: null,
          breaker: { ...CLOSED, counts: counts({}) },
        },
      },
    ],
    [
      'made commits only',
      { ...IDLES, commits: ['a'] },
      { ...GOES_ON, worker: { breaker: { ...CLOSED, counts: counts({}) } } },
    ],
    [
      'ticked a box',
      { ...IDLES, checkboxes: { open: 2, done: 1 } },
      {
        ...GOES_ON,
        worker: { checkboxes: { open: 2, done: 1 }, breaker: { ...CLOSED, counts: counts({}) } },
      },
    ],
    [
      'changed nothing',
      IDLES,
      {
        ...GOES_ON,
        decides: ['iteration/no-progress'],
        worker: { counted: 1, breaker: { ...CLOSED, counts: counts({ idle: 1 }) } },
      },
    ],
    [
      'asked a question',
      { ...IDLES, signals: { questions: 1 } },
      {
        ...GOES_ON,
        decides: ['iteration/no-progress'],
        worker: { breaker: { ...CLOSED, counts: counts({}) } },
      },
    ],
    [
      'ran out of time after some work',
      { ...WORKS, reply: { end: 'timed-out' } },
      { ...GOES_ON, worker: { counted: 1, failures: 0 } },
    ],
    [
      'met a server error after its work',
      { ...WORKS, fails: { kind: 'server', message: 'x' }, reply: { end: 'timed-out' } },
      { ...GOES_ON, worker: { counted: 1 } },
    ],
  ])('that %s', (_, turn, row) => {
    expect(rowOf(after([turn]), row.worker)).toEqual(row)
  })

  test.each<[AgentTurn, string]>([
    [WORKS, 'changes made; not finished yet'],
    [{ ...WORKS, checkboxes: { open: 2, done: 1 } }, 'progress made; more items left'],
    [IDLES, 'no changes; not finished yet'],
    [
      { ...WORKS, signals: { block: { status: 'BLOCKED', recommendation: 'no key' } } },
      'the agent says it is blocked: no key',
    ],
    [{ ...WORKS, signals: { block: { status: 'BLOCKED' } } }, 'the agent says it is blocked: no reason given'],
  ])('why the run goes on: %#', (turn, why) => {
    expect(words(after([turn]), 'ended')).toEqual([why])
  })

  test('what it said goes into the next prompt, cut to what has room there', () => {
    const prompt = workAsked(after([{ ...WORKS, summary: `x${'y'.repeat(300)}` }]))?.context
    expect(prompt).toEqual({
      iteration: 2,
      openCheckboxes: 3,
      breaker: null,
      previous: `x${'y'.repeat(199)}`,
      corrections: [],
      steering: [],
    })
    expect(workAsked(after([{ ...WORKS, summary: '' }]))?.context.previous).toBeNull()
  })

  test('its failures in a row, its errors and its length are those of the last one', () => {
    const crash: AgentTurn = { ...IDLES, fails: { kind: 'crash', message: 'boom' } }
    expect(rowOf(after([crash]), { failures: 0 }).worker).toEqual({ failures: 1 })
    const moment = after([crash, { ...WORKS, signals: { errors: ['E1'] }, reply: { textLength: 7 } }])
    expect(rowOf(moment, { failures: 0, previousErrors: [], lastLength: 0 }).worker).toEqual({
      failures: 0,
      previousErrors: ['E1'],
      lastLength: 7,
    })
    expect(workAsked(moment)?.previousLength).toBe(7)
  })

  test('the very errors of the one before count for the breaker', () => {
    const same: AgentTurn = { ...WORKS, signals: { errors: ['E: no such table'] } }
    const other: AgentTurn = { ...WORKS, signals: { errors: ['E: quite another thing'] } }
    expect(workerAt(after([same, same])).breaker.counts.failed).toBe(1)
    expect(workerAt(after([same, other])).breaker.counts.failed).toBe(0)
  })

  test('less output than the rule allows counts for the breaker, where nothing moves', () => {
    const rules = withRules({ breaker: { outputDecline: 50, halfOpenAt: 0 } })
    const long = (textLength: number): AgentTurn => ({ ...IDLES, reply: { textLength } })
    const declined = (lengths: number[], by = rules): number =>
      workerAt(after(lengths.map(long), by)).breaker.counts.declined
    expect([declined([100, 49]), declined([100, 50]), declined([0, 0]), declined([100])]).toEqual([1, 0, 0, 0])
    expect(declined([100, 1], withRules({ breaker: { outputDecline: 0, halfOpenAt: 0 } }))).toBe(0)
  })

  test('what it was denied is told with what it may use', () => {
    const denials = [{ tool: 'Bash', command: 'rm -rf x' }]
    const lenient = (tools: string[] | null): ((rules: Rules) => Rules) =>
      withRules({ agent: { tools }, exit: { denial: 'continue' } })
    expect(workAsked(after([{ ...WORKS, denials }], lenient(['Edit'])))?.context.corrections).toEqual([
      'Bash(rm -rf x) is not allowed; find another way. You may use: Edit.',
    ])
    expect(workAsked(after([{ ...WORKS, denials }], lenient(null)))?.context.corrections).toEqual([
      'Bash(rm -rf x) is not allowed; find another way.',
    ])
  })

  test('denials open the breaker only where a threshold is set, with what was denied and how it is allowed', () => {
    const denials = [{ tool: 'Bash', command: 'rm -rf x' }]
    const allow = { say: 'Allow it.', args: ['--allow', 'x'] }
    const turn: AgentTurn = { ...WORKS, denials, reply: { allow }, signals: { errors: ['E1'] } }
    const at = (denial: Rules['exit']['denial']): RunMoment =>
      after([turn], withRules({ exit: { denial }, breaker: { denials: 1 } }))
    expect(workerAt(at('continue')).breaker).toMatchObject({ is: 'closed', counts: { denied: 0 } })
    expect(at('threshold').state.run.outcome).toMatchObject({
      is: 'breaker',
      cause: { is: 'stuck', why: 'denials', said: 'Bash(rm -rf x)', allow },
    })
  })

  test('a question is answered: nobody will', () => {
    expect(workAsked(after([{ ...WORKS, signals: { questions: 2 } }]))?.context.corrections).toEqual([
      'You asked a question. Nobody will answer: choose the most conservative option, note it in the plan, and continue.',
    ])
  })

  test('what was wrong with its tags is one thing to put right', () => {
    const told = {
      ...emptyAgentReport(),
      problems: ['You did not close <journal>.', 'An empty <journal> does not count.'],
    }
    expect(workAsked(after([{ ...WORKS, reply: { told } }]))?.context.corrections).toEqual([
      'You did not close <journal>. An empty <journal> does not count.',
    ])
  })

  test('at most four corrections are told, where it stands first', () => {
    const snapshot = {
      tree: 'tree1',
      head: 'h',
      branch: null,
      ref: null,
      unstored: [],
      busy: null,
      open: 'merge' as const,
    }
    const turn: AgentTurn = {
      ...WORKS,
      done: true,
      denials: [
        { tool: 'Bash', command: 'rm -rf x' },
        { tool: 'Bash', command: 'npm test | tail' },
      ],
      signals: { questions: 1 },
      look: { snapshot, deleted: ['.ralph/PROMPT.md'] },
    }
    const told = workAsked(
      after([turn], withRules({ agent: { tools: ['Bash(npm *)'] }, exit: { denial: 'continue' } })),
    )
    expect(told?.context.corrections.map((one) => one.split(' ').slice(0, 3).join(' '))).toEqual([
      'You left a',
      'You deleted .ralph/PROMPT.md,',
      'the plan still',
      'You asked a',
    ])
  })

  test('a pause is kept between two iterations, but not before an open breaker', () => {
    const rules = withRules({ loop: { pauseMs: 5_000 }, breaker: { noProgress: 1 } })
    expect(openEffectOf(after([WORKS], rules))).toMatchObject({ type: 'wait', forMs: 5_000 })
    expect(workerAt(after([IDLES], rules)).phase.is).toBe('finished')
  })
})

describe('its conversation', () => {
  const TALKS: AgentTurn = { ...WORKS, reply: { conversation: 'c1', conversationUsage: { input: 5 } } }

  test('is gone on with', () => {
    const moment = after([TALKS])
    expect(workerAt(moment).conversation).toEqual({
      agent: 'claude',
      id: 'c1',
      usedAt: START_TIME + MINUTE,
      usage: { input: 5 },
    })
    expect(workAsked(moment)).toMatchObject({ resume: 'c1', resumeUsage: { input: 5 } })
  })

  test.each<[what: string, turn: AgentTurn, kept: string | null]>([
    ['says nothing of one', WORKS, 'c1'],
    ['begins another', { ...WORKS, reply: { conversation: 'c2' } }, 'c2'],
    [
      'deletes its own instructions',
      { ...WORKS, reply: { conversation: 'c2' }, look: { deleted: ['.ralph/PROMPT.md'] } },
      null,
    ],
    ['crashes', { ...IDLES, fails: { kind: 'crash', message: 'boom' } }, null],
    ['is cut off', { ...IDLES, reply: { end: 'interrupted' } }, null],
    ['is out of reach', { ...IDLES, fails: { kind: 'network', message: 'no' } }, null],
    ['meets its limit', { ...IDLES, fails: { kind: 'usage-limit', message: 'no' } }, 'c1'],
  ])('when the next iteration %s', (_, turn, kept) => {
    expect(workerAt(after([TALKS, turn])).conversation?.id ?? null).toBe(kept)
  })

  test('of another agent is not gone on with', () => {
    const missing: AgentTurn = { ...IDLES, fails: { kind: 'missing', message: 'no' } }
    const moment = after([TALKS, missing, WORKS], TWO_AGENTS)
    expect(workAsked(moment)?.resume).toBeNull()
    expect(workerAt(moment).conversation).toBeNull()
  })

  test('that is at fault is begun afresh, at once and without blame', () => {
    const moment = after([TALKS, { ...IDLES, fails: { kind: 'bad-conversation', message: 'no such session' } }])
    expect(rowOf(moment, { conversation: null, counted: 0, breaker: { ...CLOSED, counts: counts({}) } })).toEqual({
      asks: ['snapshot', 'run-agent'],
      decides: ['iteration/failed', 'retry/fresh'],
      phase: 'working',
      worker: { conversation: null, counted: 2, breaker: { ...CLOSED, counts: counts({}) } },
    })
    expect(workAsked(moment)?.resume).toBeNull()
  })

  test('that is said to be at fault where there was none is a failure like any other', () => {
    const moment = after([{ ...IDLES, fails: { kind: 'bad-conversation', message: 'no such session' } }])
    expect(rowOf(moment)).toEqual({
      asks: ['snapshot', 'wait'],
      decides: ['iteration/failed', 'retry/wait'],
      phase: 'waiting',
    })
  })
})

describe('an iteration that failed', () => {
  const FAILS: AgentTurn = { ...IDLES, fails: { kind: 'crash', message: 'boom' } }

  test.each<[what: string, turn: AgentTurn, said: string, breaker: Partial<Worker['breaker']['counts']>]>([
    ['crashed', FAILS, 'boom', { failed: 1 }],
    ['crashed after some work', { ...FAILS, files: 1 }, 'boom', { failed: 1 }],
    ['fell silent', { ...IDLES, reply: { end: 'silent' } }, 'no output within the idle limit', { failed: 1, idle: 1 }],
    [
      'ran out of time',
      { ...IDLES, reply: { end: 'timed-out' } },
      'it reached its time limit and changed nothing',
      { failed: 1, idle: 1 },
    ],
    ['ended without a word', { ...IDLES, reply: { end: 'failed' } }, 'it ended without giving a reason', { failed: 1 }],
  ])('because it %s', (_, turn, said, failed) => {
    const moment = after([turn])
    const worker = {
      counted: 1,
      failures: 1,
      previous: `It failed: ${said}`,
      breaker: { ...CLOSED, counts: counts(failed) },
    }
    expect(rowOf(moment, worker)).toEqual({
      asks: ['snapshot', 'wait'],
      decides: ['iteration/failed', 'retry/wait'],
      phase: 'waiting',
      worker,
    })
    expect([words(moment, 'ended'), words(moment, 'wait')]).toEqual([[`claude: ${said}`], ['retrying in 5.0 s']])
    expect(openEffectOf(moment)).toMatchObject({ type: 'wait', forMs: 5_000, why: `claude: ${said}` })
  })

  test('the wait doubles with each failure in a row', () => {
    const waits = [1, 2, 3].map((n) => openEffectOf(after(Array<AgentTurn>(n).fill(FAILS))))
    expect(waits.map((wait) => wait.type === 'wait' && wait.forMs)).toEqual([5_000, 10_000, 20_000])
  })

  test('an open breaker is not waited for first', () => {
    const moment = after([FAILS], withRules({ breaker: { sameError: 1 } }))
    expect(rowOf(moment)).toEqual({
      asks: ['snapshot'],
      decides: ['iteration/failed', 'breaker/open', 'exit/end'],
      phase: 'finished',
    })
    expect(moment.state.run.outcome?.cause).toEqual({ is: 'stuck', why: 'same-error', said: 'boom' })
  })

  test('long words are cut', () => {
    const { previous } = workerAt(after([{ ...IDLES, fails: { kind: 'crash', message: 'x'.repeat(300) } }]))
    expect(previous).toBe(`It failed: ${'x'.repeat(189)}`)
  })

  test('one that was cut off is repeated and counts', () => {
    const moment = after([{ ...WORKS, reply: { end: 'interrupted' } }])
    expect(rowOf(moment, { counted: 0, failures: 0 })).toEqual({
      asks: ['snapshot', 'run-agent'],
      decides: ['iteration/interrupted'],
      phase: 'working',
      worker: { counted: 1, failures: 0 },
    })
    expect(words(moment, 'ended')).toEqual(['iteration 1 was interrupted; its changes stay'])
  })

  test('one that was ended for its cost is nobody’s attempt', () => {
    const moment = after([{ ...WORKS, reply: { end: 'over-budget' } }])
    expect(rowOf(moment, { counted: 0, failures: 0 })).toEqual({
      asks: ['snapshot', 'run-agent'],
      decides: ['iteration/over-budget'],
      phase: 'working',
      worker: { counted: 0, failures: 0 },
    })
  })
})

describe('an agent that could not be asked', () => {
  const LIMITED: AgentTurn = {
    ...IDLES,
    fails: { kind: 'usage-limit', message: 'no more', resetsAt: START_TIME + HOUR },
  }
  const AWAY: AgentTurn = { ...IDLES, fails: { kind: 'network', message: 'no route' } }
  const MISSING: AgentTurn = { ...IDLES, fails: { kind: 'missing', message: 'no such program' } }

  test.each<[what: string, turn: AgentTurn, decides: string[]]>([
    ['at its usage limit', LIMITED, ['iteration/limited', 'limit/cooldown', 'agent/switch']],
    [
      'asked too fast',
      { ...IDLES, fails: { kind: 'rate-limit', message: 'slow' } },
      ['iteration/limited', 'limit/cooldown', 'agent/switch'],
    ],
    ['out of reach', AWAY, ['iteration/unreachable', 'retry/outage', 'agent/switch']],
    ['missing', MISSING, ['iteration/unusable', 'agent/switch']],
  ])('%s hands over to the next one, and no attempt is counted', (_, turn, decides) => {
    const moment = after([turn], TWO_AGENTS)
    const worker = { counted: 0, failures: 0, iteration: 2, breaker: { ...CLOSED, counts: counts({}) } }
    expect(rowOf(moment, worker)).toEqual({
      asks: ['snapshot', 'run-agent'],
      decides,
      phase: 'working',
      worker,
    })
    expect(workAsked(moment)?.agent).toBe('codex')
  })

  test('alone at its limit is waited for until its reset', () => {
    const moment = after([LIMITED])
    expect(rowOf(moment)).toEqual({
      asks: ['snapshot', 'wait'],
      decides: ['iteration/limited', 'limit/cooldown'],
      phase: 'waiting',
    })
    expect(openEffectOf(moment)).toMatchObject({
      until: START_TIME + HOUR,
      forMs: null,
      why: 'claude hit its usage limit',
    })
    expect(words(moment, 'cooldown')).toEqual(['claude hit its usage limit (no more); waiting until its reset'])
  })

  test.each<[AgentTurn['fails'], string, number]>([
    [
      { kind: 'usage-limit', message: 'no more' },
      'claude hit its usage limit (no more); waiting 1 h (no reset time given)',
      HOUR,
    ],
    [{ kind: 'rate-limit', message: 'slow' }, 'claude is rate-limited (slow); waiting 5.0 s', 5_000],
    [
      { kind: 'rate-limit', message: 'slow', resetsAt: START_TIME + MINUTE + 90_000 },
      'claude is rate-limited (slow); waiting 1.5 min',
      90_000,
    ],
    [
      { kind: 'rate-limit', message: 'slow', resetsAt: START_TIME + MINUTE + 120_000 },
      'claude is rate-limited (slow); waiting 2 min',
      120_000,
    ],
  ])('how long it rests: %#', (fails, why, ms) => {
    const moment = after([{ ...IDLES, ...(fails === undefined ? {} : { fails }) }])
    expect([words(moment, 'cooldown'), moment.state.run.cooldowns['claude']?.until]).toEqual([
      [why],
      START_TIME + MINUTE + ms,
    ])
  })

  test('alone out of reach is waited for with back-off, and what it changed is told', () => {
    const moment = after([{ ...AWAY, files: 1 }])
    expect(rowOf(moment, { previous: null })).toEqual({
      asks: ['snapshot', 'wait'],
      decides: ['iteration/unreachable', 'retry/outage'],
      phase: 'waiting',
      worker: { previous: 'An outage interrupted it; its changes stay.' },
    })
    expect(openEffectOf(moment)).toMatchObject({
      forMs: 5_000,
      outage: { since: START_TIME + MINUTE, outageDeadline: START_TIME + MINUTE + 2 * HOUR },
    })
    expect(workerAt(after([AWAY])).previous).toBeNull()
  })

  test('alone and missing ends the run', () => {
    const moment = after([MISSING])
    expect(rowOf(moment)).toEqual({
      asks: ['snapshot'],
      decides: ['iteration/unusable', 'exit/end'],
      phase: 'finished',
    })
    expect(moment.state.run.outcome).toMatchObject({ is: 'agent_unusable', exit: 6 })
  })

  test('that answers again has rested enough', () => {
    const hasPaused = until(after([LIMITED]), ({ is }) => is === 'working')
    expect(afterTurn(hasPaused, WORKS).state.run.cooldowns).toEqual({})
    expect(afterTurn(hasPaused, { ...IDLES, fails: { kind: 'crash', message: 'boom' } }).state.run.cooldowns).toEqual(
      {},
    )
  })
})

describe('an agent that deletes its own instructions', () => {
  const DELETES: AgentTurn = { ...WORKS, look: { deleted: ['.ralph/PROMPT.md', '.ralph/fix_plan.md'] } }

  test('once is told so, and goes on afresh', () => {
    const moment = after([DELETES])
    expect(rowOf(moment, { consecutiveDeletions: 0, conversation: null })).toEqual({
      asks: ['snapshot', 'run-agent'],
      decides: ['guard/restore', 'iteration/progress'],
      phase: 'working',
      worker: { consecutiveDeletions: 1, conversation: null },
    })
    expect(words(moment, 'restore')).toEqual([
      "the agent deleted .ralph/PROMPT.md, .ralph/fix_plan.md; restored from Ralph's copy",
    ])
    expect(workAsked(moment)?.context.corrections).toEqual([
      'You deleted .ralph/PROMPT.md, .ralph/fix_plan.md, which Ralph needs. Ralph restored them; leave them alone.',
    ])
  })

  test('twice in a row needs a person', () => {
    const { state } = after([DELETES, DELETES])
    expect(state.run.outcome).toMatchObject({
      is: 'files_deleted',
      reason: 'the agent deleted .ralph/PROMPT.md, .ralph/fix_plan.md in 2 iterations in a row',
    })
  })

  test('twice, but not in a row, goes on', () => {
    expect(workerAt(after([DELETES, WORKS, DELETES])).consecutiveDeletions).toBe(1)
  })
})

describe('where Ralph commits', () => {
  const COMMITS = withRules({ loop: { commit: 'iteration' } })

  test('each iteration that changed something is committed under what it said', () => {
    const moment = answer(working({ rules: COMMITS }), { ...WORKS, summary: ` ${'s'.repeat(100)} ` })
    const looked = answer(moment, WORKS)
    expect(openEffectOf(looked)).toMatchObject({
      type: 'commit',
      iteration: 1,
      message: `ralph: iteration 1: ${'s'.repeat(72)}`,
    })
    const silent = answer(answer(working({ rules: COMMITS }), { ...WORKS, summary: ' ' }), WORKS)
    expect(openEffectOf(silent)).toMatchObject({ message: 'ralph: iteration 1' })
  })

  test.each<[what: string, turn: AgentTurn, asks: string[], decides: string[]]>([
    ['changed something', WORKS, ['snapshot', 'commit', 'run-agent'], ['iteration/progress']],
    ['changed nothing', IDLES, ['snapshot', 'run-agent'], ['iteration/no-progress']],
    [
      'left something out',
      { ...WORKS, commit: { problem: 'too large' } },
      ['snapshot', 'commit', 'run-agent'],
      ['loop/note', 'iteration/progress'],
    ],
    [
      'was refused by a hook',
      { ...WORKS, commit: { sha: null, problem: 'a hook' } },
      ['snapshot', 'commit', 'run-agent'],
      ['loop/note', 'iteration/progress'],
    ],
  ])('an iteration that %s', (_, turn, asks, decides) => {
    const moment = after([turn], COMMITS)
    expect([requestedEffectTypes(moment), decisionNames(moment)]).toEqual([asks, decides])
  })

  test('what became of the commit is told, and where HEAD is then', () => {
    const said = (commit: AgentTurn['commit']): string[] =>
      words(after([{ ...WORKS, ...(commit === undefined ? {} : { commit }) }], COMMITS), 'note')
    expect(said({ problem: 'too large' })).toEqual(['the commit does not include all changes: too large'])
    expect(said({ sha: null, problem: 'a hook' })).toEqual(['the commit failed; the changes stay uncommitted: a hook'])
    const look = {
      snapshot: {
        tree: 't',
        head: 'old',
        branch: 'main',
        ref: null,
        unstored: [],
        busy: null,
        uncommitted: 4,
        uncommittedPaths: ['a'],
      },
    }
    const committed = workerAt(after([{ ...WORKS, look, commit: { sha: 'new' } }], COMMITS))
    expect(committed.seen).toMatchObject({ head: 'new', uncommitted: 0, uncommittedPaths: [] })
    expect(workerAt(after([{ ...WORKS, look, commit: { sha: null } }], COMMITS)).seen).toMatchObject({
      head: 'old',
    })
  })

  test('not while git is busy', () => {
    const snapshot = {
      tree: 't',
      head: 'h',
      branch: 'main',
      ref: null,
      unstored: [],
      busy: 'a rebase is in progress',
    }
    const moment = after([{ ...WORKS, look: { snapshot } }], COMMITS)
    expect(requestedEffectTypes(moment)).not.toContain('commit')
    expect(words(moment, 'warn')).toEqual(['not committed: a rebase is in progress'])
    expect(words(after([{ ...IDLES, look: { snapshot } }], COMMITS), 'warn')).toEqual([])
  })
})

describe('a claim of completion', () => {
  const CLAIMS: AgentTurn = { ...WORKS, done: true }

  test('is refused while boxes are open, and the next one is named', () => {
    const moment = after([{ ...CLAIMS, nextCheckbox: 'the parser' }])
    expect(rowOf(moment, { rejections: 0 })).toEqual({
      asks: ['snapshot', 'run-agent'],
      decides: ['iteration/rejected', 'proof/refuse'],
      phase: 'working',
      worker: { rejections: 0 },
    })
    expect(workAsked(moment)?.context.corrections).toEqual([
      'the plan still has 3 open items. Do the open ones first, next: the parser.',
    ])
    expect(workAsked(after([{ ...CLAIMS, look: { nextCheckbox: null } }]))?.context.corrections).toEqual([
      'the plan still has 3 open items. Do the open ones first.',
    ])
  })

  test('is proven by the gates, and refused with what they say', () => {
    const moment = after([{ ...CLAIMS, checkboxes: { open: 0, done: 3 } }])
    expect(rowOf(moment)).toEqual({
      asks: ['snapshot', 'run-gate'],
      decides: ['iteration/claimed', 'proof/check'],
      phase: 'proving',
    })
    const red = until(moment, ({ is }) => is === 'working', { green: false })
    expect(workerAt(red)).toMatchObject({
      rejections: 1,
      corrections: [expect.stringMatching(/^Ralph rejected your completion\. /)],
    })
    expect(workerAt(afterTurn(red, WORKS)).rejections).toBe(0)
  })

  test('counts as progress', () => {
    const moment = after(
      [IDLES, { ...IDLES, done: true, checkboxes: null as never }],
      withRules({ exit: { plan: 'ignore' } }),
    )
    expect(workerAt(moment).breaker.counts.idle).toBe(0)
  })
})
