import { describe, expect, test } from 'vitest'
import type { Effect } from '../../core/state/effect.ts'
import type { Event } from '../../core/state/event.ts'
import type { RunState, Worker } from '../../core/state/state.ts'
import type { Breaker } from '../../core/admission/breaker.ts'
import type { Outcome, OutcomeName } from '../../core/state/outcome.ts'
import type { Decision, IterationOutcome } from '../../core/state/decision.ts'
import { emptyAgentReport } from '../../core/agent-output/agent-report.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import type { Row } from '../../core/state/row.ts'
import type { Rules } from '../../core/state/rules.ts'
import { foldView, type RunView } from '../../core/presentation/run-view.ts'
import { bashLogLines, metricsLine } from './log-files.ts'
import { foldBashHistory, EMPTY_BASH_HISTORY, addUnrecordedTransitions, type BashHistory } from './fold-history.ts'
import { GITIGNORE_TEXT, STATE_FILES, type StateFile } from '../../core/control-files.ts'
import { stateFileTexts, type LiveRunState, type TimeFormatter } from './state-files.ts'

/** `t+5` for five seconds after the beginning: enough to see which instant is shown. */
const times: TimeFormatter = {
  utc: (at) => `t+${at / 1000}`,
  local: (at) => `2027-03-28 01:02:${String(at / 1000).padStart(2, '0')}`,
}

const BREAKER_RULES = {
  noProgress: 3,
  sameError: 5,
  denials: 2,
  outputDecline: 70,
  halfOpenAt: 2,
  cooldownMs: 1_800_000,
  autoReset: false,
  wait: false,
}
const RULES = { quota: { callsPerHour: 100, tokensPerHour: 0 }, breaker: BREAKER_RULES } as Rules

const CLOSED: Breaker = {
  is: 'closed',
  counts: { idle: 0, failed: 0, denied: 0, declined: 0 },
  opens: 0,
  changedAt: 0,
}

function row(event: Event, more: { at?: number; effects?: Effect[]; decisions?: Decision[] } = {}): Row {
  const { at = 0, effects = [], decisions = [] } = more
  return { run: 'k7f3qa', seq: 1, at, up: at, rules: 1, event, effects, decisions }
}

function started(more: { breaker?: Breaker | null; at?: number } = {}): Row {
  const event: Event = {
    type: 'run-started',
    run: 'k7f3qa',
    rules: RULES,
    programs: { agents: {}, programs: {} },
    workers: 1,
    project: '/p',
    command: 'ralph loop',
    breaker: more.breaker ?? null,
    conversation: null,
    limited: {},
    pid: 1,
    version: '1.0.0',
  }
  return row(event, { at: more.at ?? 0 })
}

const ANSWER = { worker: '1', effect: 'e1' }

function surveyed(
  files: number | null,
  more: { head?: string; effects?: Effect[]; decisions?: Decision[]; at?: number } = {},
): Row {
  const change = files === null ? null : { paths: [], files, added: 1, removed: 0, commits: [] }
  const snapshot = {
    tree: 't',
    head: more.head ?? 'sha1',
    branch: 'main',
    ref: null,
    unstored: [],
    busy: null,
  }
  return row({ type: 'snapshot-taken', ...ANSWER, snapshot, change, checkboxes: null, nextCheckbox: null }, more)
}

function asksAgent(iteration: number, at: number): Row {
  const effect = {
    type: 'run-agent',
    id: 'e2',
    worker: '1',
    iteration,
    agent: 'claude',
    role: 'work',
    how: { output: 'json', tools: ['Bash(git *)'] },
    resume: null,
    context: { corrections: [] },
  } as unknown as Effect
  return row({ type: 'admitted', ...ANSWER, callsThisHour: iteration, tokensThisHour: 0 }, { at, effects: [effect] })
}

function known(id: string): Row {
  return row({ type: 'conversation-known', ...ANSWER, conversation: id, model: null })
}

function replied(more: { at?: number; reply?: Partial<Reply>; signals?: Partial<Reply['signals']> } = {}): Row {
  const reply: Reply = {
    end: 'success',
    failure: null,
    limit: null,
    signals: {
      from: 'block',
      block: null,
      exitSignal: false,
      complete: false,
      testOnly: false,
      noWork: false,
      questions: 0,
      errors: [],
      confidence: 0,
      summary: 'did it',
      because: {},
      ...more.signals,
    },
    told: emptyAgentReport(),
    denials: [],
    usage: { input: 10, output: 5 },
    conversationUsage: null,
    conversation: 'c1',
    model: null,
    tools: 0,
    textLength: 321,
    lastMessage: 'did it',
    remarks: 0,
    durationMs: 61_600,
    log: { path: '/logs/1/agent.log', bytes: 9 },
    ...more.reply,
  }
  return row({ type: 'agent-ended', ...ANSWER, effect: 'e2', reply }, { at: more.at ?? 0 })
}

function endedAs(is: OutcomeName): Row {
  const outcome: Outcome = { is, reason: 'so', verdict: 'unproven', exit: 4 }
  return row({ type: 'run-ended', ...ANSWER, outcome })
}

function decided(by: Decision['by'], what: string, why: string): Row {
  return row({ type: 'wait-ended', ...ANSWER }, { at: 7_000, decisions: [{ by, what, why } as Decision] })
}

function iterationOver(outcome: IterationOutcome): Row {
  return row(
    { type: 'wait-ended', ...ANSWER },
    { decisions: [{ by: 'iteration', what: 'ended', worker: '1', n: 1, outcome, why: 'so' }] },
  )
}

function pastOf(rows: Row[]): BashHistory {
  return rows.reduce(foldBashHistory, EMPTY_BASH_HISTORY)
}

function viewOf(rows: Row[]): RunView {
  const view = rows.reduce<RunView | null>(foldView, null)
  if (view === null) throw new Error('no rows')
  return view
}

function present(rows: Row[], more: Partial<LiveRunState> & { worker?: Partial<Worker> } = {}): LiveRunState {
  const worker = {
    breaker: CLOSED,
    conversation: null,
    exitCounts: { testOnly: 0, done: 0, indicators: 0, claims: 0 },
    lastLength: null,
    ...more.worker,
  }
  return {
    view: viewOf(rows),
    state: { run: { rules: RULES }, workers: { '1': worker } } as unknown as RunState,
    used: { calls: 7, tokens: 1234 },
    at: 9_000,
    lastMessage: '',
    broken: false,
    times,
    ...more,
  }
}

function files(rows: Row[], more: Parameters<typeof present>[1] = {}): Record<StateFile, string | null> {
  return stateFileTexts(pastOf(rows), present(rows, more))
}

function parsed(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown)
}

const ONE_ITERATION = [
  started(),
  surveyed(null),
  asksAgent(1, 2_000),
  known('c1'),
  replied({ at: 5_000 }),
  surveyed(2, { head: 'sha2', at: 6_000 }),
]

describe('status.json', () => {
  test('has the keys of the bash tool, in its order', () => {
    expect(files([started(), surveyed(null), asksAgent(1, 2_000)])['status.json']).toBe(`{
  "timestamp": "t+9",
  "loop_count": 1,
  "calls_made_this_hour": 7,
  "max_calls_per_hour": 100,
  "tokens_used_this_hour": 1234,
  "max_tokens_per_hour": 0,
  "last_action": "executing",
  "status": "running",
  "exit_reason": "",
  "sandbox": {
    "provider": "none"
  },
  "next_reset": "01:02:3600"
}
`)
  })

  test.each<[OutcomeName, string, string, string]>([
    ['plan_complete', 'completed', 'graceful_exit', 'plan_complete'],
    ['project_complete', 'completed', 'graceful_exit', 'project_complete'],
    ['test_saturation', 'halted', 'graceful_exit', 'test_saturation'],
    ['permission_denied', 'halted', 'permission_denied', 'permission_denied'],
    ['breaker', 'halted', 'circuit_breaker_open', 'stagnation_detected'],
    ['files_deleted', 'halted', 'integrity_failure', 'files_deleted'],
    ['stopped', 'stopped', 'interrupted', ''],
    ['cost_limit', 'stopped', 'cost_limit', 'cost_limit'],
    ['agent_unusable', 'error', 'failed', 'agent_unusable'],
  ])('a run that ended as %s is %s', (outcome, status, last_action, exit_reason) => {
    const text = files([...ONE_ITERATION, endedAs(outcome)])['status.json']
    expect(parsed(text)).toMatchObject({ status, last_action, exit_reason })
  })

  test.each<[string, Row, string, string]>([
    ['a usage limit', waits('both rest', [{ by: 'limit', what: 'cooldown', why: 'limit' }]), 'paused', 'api_limit'],
    [
      'the quota',
      { ...waits('used', []), event: { type: 'call-deferred', ...ANSWER, until: 1, why: 'used' } },
      'paused',
      'rate_limit',
    ],
    ['a failure', waits('claude: broken', [{ by: 'retry', what: 'wait', why: 'again' }]), 'error', 'failed'],
    [
      'the breaker, whatever the sentence is',
      waits('nothing moved', [{ by: 'breaker', what: 'open', why: 'idle' }]),
      'paused',
      'circuit_breaker_open',
    ],
    ['the pause', waits('pause between iterations', []), 'success', 'completed'],
    ['a pause that only speaks of a breaker', waits('the breaker is open: idle', []), 'success', 'completed'],
  ])('waiting for %s is told apart', (_, waiting, status, last_action) => {
    expect(parsed(files([...ONE_ITERATION, waiting])['status.json'])).toMatchObject({ status, last_action })
  })

  test('a breaker that opened earlier is what is waited for until it is half open', () => {
    const opened = decided('breaker', 'open', 'idle')
    expect(pastOf([...ONE_ITERATION, opened, waits('so', [])]).waits).toBe('circuit_breaker_open')
    const cooled = waits('so', [{ by: 'breaker', what: 'half-open', why: 'cooled down' }])
    expect(pastOf([...ONE_ITERATION, opened, cooled]).waits).toBe('completed')
  })

  test('an engine that broke off does not leave "running" behind', () => {
    const text = files(ONE_ITERATION, { broken: true })['status.json']
    expect(parsed(text)).toMatchObject({
      status: 'stopped',
      last_action: 'interrupted',
      exit_reason: 'engine_failed',
    })
  })
})

function waits(why: string, decisions: Decision[]): Row {
  const effect = { type: 'wait', id: 'e5', worker: '1', until: 60_000, forMs: null, why } as Effect
  return surveyed(0, { effects: [effect], decisions })
}

describe('progress.json', () => {
  test('is valid JSON whatever the agent says', () => {
    const rows = [started(), surveyed(null), asksAgent(1, 2_000)]
    const text = files(rows, { lastMessage: 'say "no"\n\\ \u001b[31mred' })['progress.json']
    expect(parsed(text)).toEqual({
      status: 'executing',
      indicator: '⠸',
      elapsed_seconds: 7,
      last_output: 'say "no" \\ red',
      timestamp: '2027-03-28 01:02:09',
    })
  })

  test('says how the last iteration ended', () => {
    expect(parsed(files(ONE_ITERATION)['progress.json'])).toMatchObject({ status: 'completed' })
    const late = [...ONE_ITERATION.slice(0, 4), replied({ reply: { end: 'timed-out' } }), surveyed(3)]
    const failed = [
      ...ONE_ITERATION.slice(0, 4),
      replied({
        reply: { end: 'failed', failure: { kind: 'server', message: 'HTTP "500"' } },
      }),
    ]
    expect(parsed(files(failed)['progress.json'])).toMatchObject({ status: 'failed', error: 'HTTP "500"' })
    // The view takes a change only after its own "measuring", which the survey effect begins.
    const measured = [...late.slice(0, 5).with(4, withMeasuring(late[4])), surveyed(3)]
    expect(parsed(files(measured)['progress.json'])).toMatchObject({
      status: 'timed_out_productive',
      files_changed: 3,
    })
  })

  test('is absent before the first iteration: an older one would be a lie', () => {
    expect(files([started()])['progress.json']).toBe(null)
  })
})

function withMeasuring(one: Row | undefined): Row {
  if (one === undefined) throw new Error('no row')
  const effect: Effect = {
    type: 'snapshot',
    id: ANSWER.effect,
    worker: '1',
    for: 'after',
    iteration: 1,
    since: null,
    sinceHead: null,
  }
  return { ...one, effects: [effect] }
}

test('counters are one number a line, and the hour is the local one', () => {
  const written = files(ONE_ITERATION, { worker: { lastLength: 321 } })
  expect([
    written['.call_count'],
    written['.token_count'],
    written['.last_reset'],
    written['.last_output_length'],
  ]).toEqual(['7\n', '1234\n', '2027032801\n', '321\n'])
})

test('the commit that an iteration began on is kept', () => {
  expect(files(ONE_ITERATION)['.loop_start_sha']).toBe('sha1\n')
  expect(files([...ONE_ITERATION, asksAgent(2, 8_000)])['.loop_start_sha']).toBe('sha2\n')
})

test('exit signals name the iterations that the exit rules count, and no others', () => {
  const rows = [
    ...ONE_ITERATION,
    asksAgent(2, 0),
    replied({ signals: { exitSignal: true } }),
    asksAgent(3, 0),
    replied({ signals: { exitSignal: true, testOnly: true } }),
  ]
  const exitCounts = { testOnly: 1, done: 0, indicators: 2, claims: 2 }
  expect(parsed(files(rows, { worker: { exitCounts } })['.exit_signals'])).toEqual({
    test_only_loops: [3],
    done_signals: [],
    completion_indicators: [2, 3],
  })
  expect(parsed(files(rows)['.exit_signals'])).toEqual({
    test_only_loops: [],
    done_signals: [],
    completion_indicators: [],
  })
})

const JOINED = { tool: 'Bash', command: 'git add . && git commit' }

test('the analysis has the shape of the bash tool, and a new run starts with none', () => {
  const denials = [{ tool: 'Bash', command: 'rm -rf x' }, JOINED]
  const rows = [
    ...ONE_ITERATION.slice(0, 4),
    replied({ at: 5_000, reply: { denials }, signals: { questions: 2 } }),
    surveyed(2),
  ]
  expect(parsed(files(rows)['.response_analysis'])).toEqual({
    loop_number: 1,
    timestamp: 't+5',
    output_file: '/logs/1/agent.log',
    output_format: 'json',
    analysis: {
      has_completion_signal: false,
      is_test_only: false,
      is_stuck: false,
      has_progress: true,
      files_modified: 2,
      confidence_score: 0,
      exit_signal: false,
      work_summary: 'did it',
      output_length: 321,
      has_permission_denials: true,
      permission_denial_count: 2,
      denied_commands: ['Bash(rm -rf x)', 'Bash(git add . && git commit)'],
      has_compound_command_limitation: false,
      compound_command_count: 0,
      asking_questions: true,
      question_count: 2,
    },
  })
  expect(pastOf([...rows, started()]).analyzedReply).toBe(null)
})

test('denials that are all limits of the matcher are none to the analysis', () => {
  const rows = [...ONE_ITERATION.slice(0, 4), replied({ at: 5_000, reply: { denials: [JOINED] } })]
  expect(parsed(files(rows)['.response_analysis'])).toMatchObject({
    analysis: {
      has_permission_denials: false,
      permission_denial_count: 0,
      denied_commands: [],
      has_compound_command_limitation: true,
      compound_command_count: 1,
    },
  })
})

test('an open breaker is written with the time it opened', () => {
  const breaker: Breaker = {
    is: 'open',
    counts: { idle: 3, failed: 1, denied: 0, declined: 0 },
    opens: 2,
    changedAt: 4_000,
    openedAt: 4_000,
    why: 'no-progress',
    reason: 'nothing moved in 3 iterations in a row',
  }
  expect(parsed(files(ONE_ITERATION, { worker: { breaker } })['.circuit_breaker_state'])).toEqual({
    state: 'OPEN',
    last_change: 't+4',
    consecutive_no_progress: 3,
    consecutive_same_error: 1,
    consecutive_permission_denials: 0,
    last_progress_loop: 1,
    total_opens: 2,
    reason: 'nothing moved in 3 iterations in a row',
    current_loop: 1,
    opened_at: 't+4',
  })
})

describe('histories', () => {
  test('every turn of the breaker is told, over runs and resets by hand', () => {
    const open: Breaker = { ...CLOSED, is: 'open', openedAt: 0, why: 'no-progress', reason: 'idle' }
    const past = pastOf([
      ...ONE_ITERATION,
      decided('breaker', 'half-open', '2 iterations without progress'),
      decided('breaker', 'open', 'idle'),
      started({ breaker: open, at: 1_800_000 }),
    ])
    const whole = addUnrecordedTransitions(past, {
      old: {
        breaker: [{ at: -5, loop: 9, from: 'closed', to: 'open', reason: 'long ago' }],
        conversation: [],
      },
      resets: { breaker: [{ at: 1_900_000, reason: 'by hand' }], conversation: [] },
    })
    expect(whole.breakerTransitions).toEqual([
      { at: -5, loop: 9, from: 'closed', to: 'open', reason: 'long ago' },
      { at: 7_000, loop: 1, from: 'closed', to: 'half-open', reason: '2 iterations without progress' },
      { at: 7_000, loop: 1, from: 'half-open', to: 'open', reason: 'idle' },
      { at: 1_800_000, loop: 0, from: 'open', to: 'half-open', reason: 'cooldown over after 30 min' },
      { at: 1_900_000, loop: 0, from: 'half-open', to: 'closed', reason: 'by hand' },
    ])
  })

  test.each<[string, Row, string | null]>([
    ['completion', endedAs('plan_complete'), 'project_complete'],
    ['a denied tool', endedAs('permission_denied'), 'permission_denied'],
    ['a stop', endedAs('stopped'), 'manual_interrupt'],
    ['a lost file', endedAs('files_deleted'), 'integrity_failure'],
    ['the breaker', decided('breaker', 'open', 'idle'), 'circuit_breaker_trip'],
    ['an error of the agent', decided('retry', 'wait', 'claude: HTTP 500'), 'api_error_is_error_true'],
    [
      'a concurrency error',
      decided('retry', 'wait', 'claude: tool use concurrency issues'),
      'tool_use_concurrency_error',
    ],
    ['an iteration that was cut off', iterationOver('interrupted'), 'interrupted'],
    ['a review that was cut off', decided('retry', 'repeat', 'it is asked for again'), null],
    ['a limit of ours', endedAs('iteration_limit'), null],
  ])('a conversation given up for %s says why', (_, last, reason) => {
    const { conversationTransitions } = pastOf([...ONE_ITERATION, last])
    expect(conversationTransitions.map((turn) => turn.reason)).toEqual(reason === null ? [] : [reason])
  })

  test('the end of a run whose breaker opened is one reset, not two', () => {
    const past = pastOf([...ONE_ITERATION, decided('breaker', 'open', 'idle'), endedAs('breaker')])
    expect(past.conversationTransitions).toEqual([
      { at: 7_000, loop: 1, from: 'active', to: 'reset', reason: 'circuit_breaker_trip' },
    ])
  })

  test('each worker has its own iteration, breaker and conversation', () => {
    const ofSecond = ({ event, effects, ...rest }: Row): Row => ({
      ...rest,
      event: { ...event, worker: '2' } as Row['event'],
      effects: effects.map((effect) => ({ ...effect, worker: '2', id: 'e9' })),
    })
    const second: Decision = { by: 'breaker', what: 'open', why: 'idle', worker: '2' }
    const rows = [
      ...ONE_ITERATION,
      ofSecond(asksAgent(4, 6_000)),
      ofSecond(known('c2')),
      row({ type: 'wait-ended', ...ANSWER }, { at: 7_000, decisions: [second] }),
    ]
    const { breakerTransitions, conversationTransitions } = pastOf(rows)
    expect([breakerTransitions, conversationTransitions]).toEqual([
      [{ at: 7_000, loop: 4, from: 'closed', to: 'open', reason: 'idle' }],
      [{ at: 7_000, loop: 4, from: 'active', to: 'reset', reason: 'circuit_breaker_trip' }],
    ])
    expect(files(rows)['status.json']).toContain('"loop_count": 1,')
    const moved = pastOf([...rows, ofSecond(surveyed(3)), replied(), surveyed(1)])
    expect([moved.analyzedReply?.worker, moved.lastProgress]).toEqual(['1', 1])
  })

  test('a review is no reply of its iteration', () => {
    const reviewed = row({ type: 'wait-ended', ...ANSWER }, { effects: [REVIEW] })
    const { event, ...rest } = replied({ signals: { exitSignal: true } })
    const said = { ...rest, event: { ...event, effect: 'e3' } as Row['event'] }
    expect(pastOf([...ONE_ITERATION, reviewed, said])).toEqual(pastOf(ONE_ITERATION))
  })

  test('at most fifty are kept', () => {
    const rows = Array.from({ length: 60 }, (_, i) => [known(`c${i}`), decided('retry', 'fresh', 'bad')]).flat()
    expect(pastOf([started(), ...rows]).conversationTransitions).toHaveLength(50)
  })
})

describe('session files', () => {
  test('the conversation of another agent is not called a Claude session', () => {
    const conversation = { agent: 'claude', id: 'c1', usedAt: 5_000, usage: null }
    const own = files(ONE_ITERATION, { worker: { conversation } })
    const other = files(ONE_ITERATION, { worker: { conversation: { ...conversation, agent: 'codex' } } })
    expect([parsed(own['.claude_session_id']), other['.claude_session_id']]).toEqual([
      { session_id: 'c1', timestamp: 't+5' },
      null,
    ])
  })

  test('a reset blanks the session, and the next conversation has one again', () => {
    const reset = [...ONE_ITERATION, decided('retry', 'fresh', 'bad')]
    expect(parsed(files(reset)['.ralph_session'])).toEqual({
      session_id: '',
      created_at: '',
      last_used: '',
      reset_at: 't+7',
      reset_reason: 'api_error_is_error_true',
    })
    expect(parsed(files([...reset, known('c2')])['.ralph_session'])).toMatchObject({
      session_id: 'ralph-0-k7f3qa',
      reset_at: '',
    })
  })
})

const ENDED: Decision = {
  by: 'iteration',
  what: 'ended',
  worker: '1',
  n: 1,
  outcome: 'progress',
  why: 'one file changed',
}
const REVIEW = { ...asksAgent(1, 0).effects[0], id: 'e3', role: 'review', agent: 'codex' } as Effect

function logOf(rows: Row[]): string[] {
  return rows.flatMap((one, index) => bashLogLines(one, viewOf(rows.slice(0, index + 1)), times))
}

describe('logs', () => {
  test('lines have a time and a level, and no control character survives', () => {
    const rows = [
      started(),
      asksAgent(1, 2_000),
      replied({ signals: { summary: 'did\u001b[2J it\nwell' } }),
      surveyed(1, { at: 3_000, decisions: [ENDED] }),
    ]
    expect(logOf(rows)).toEqual([
      '[2027-03-28 01:02:00] [SUCCESS] Ralph 1.0.0 starting run k7f3qa: ralph loop',
      '[2027-03-28 01:02:02] [LOOP] === Starting Loop #1 === (claude)',
      '[2027-03-28 01:02:03] [SUCCESS] Loop #1: did it well',
      '[2027-03-28 01:02:03] [INFO] iteration: one file changed',
    ])
  })

  test('a loop that failed is an error, and a review is none', () => {
    const failure = { kind: 'network', message: 'no route' } as const
    const failed = replied({ reply: { end: 'failed', failure } })
    const reviewed = row({ type: 'wait-ended', ...ANSWER }, { at: 4_000, effects: [REVIEW] })
    const rows = [started(), asksAgent(1, 2_000), { ...failed, decisions: [ENDED] }, reviewed]
    expect(logOf(rows).slice(2)).toEqual([
      '[2027-03-28 01:02:00] [ERROR] Loop #1: failed: no route',
      '[2027-03-28 01:02:00] [INFO] iteration: one file changed',
    ])
  })

  test('metrics are one line per agent process, in whole seconds', () => {
    expect(ONE_ITERATION.map((one) => metricsLine(one, 1, times)).filter((line) => line !== null)).toEqual([
      '{"timestamp":"t+5","loop":1,"duration":62,"success":true,"calls":1}',
    ])
  })
})

test('git is told to overlook every file that is written, and the list itself', () => {
  const names = GITIGNORE_TEXT.split('\n').filter((line) => line.startsWith('/'))
  expect(names).toEqual(['/.gitignore', ...STATE_FILES.map((name) => `/${name}`), '/live.log', '/logs/', '/state/'])
})

test('a second answer to the same effect tells nothing', () => {
  const late = {
    ...replied({ signals: { exitSignal: true } }),
    decisions: [{ by: 'loop' as const, what: 'ignore' as const, why: 'late' }],
  }
  expect(pastOf([...ONE_ITERATION, late])).toEqual(pastOf(ONE_ITERATION))
})
