/** What a screen shows of each row: the whole view of a night, and one row of the table for what it does meanwhile. */
import { describe, expect, test } from 'vitest'
import {
  answer,
  playRun,
  startedRun,
  START_TIME,
  openEffectOf,
  afterTurn,
  withRules,
  send,
  someRules,
  until,
  working,
  type RunMoment,
  type AgentTurn,
} from '../../../test/kit/core.ts'
import type { Decision } from '../state/decision.ts'
import type { EffectOf } from '../state/effect.ts'
import type { Event } from '../state/event.ts'
import type { Row } from '../state/row.ts'
import {
  foldViewTolerantly,
  foldView,
  lastRunReason,
  decisionReason,
  type RunView,
  type WorkerView,
} from './run-view.ts'

const MINUTE = 60_000
const WORKS: AgentTurn = { files: 1, checkboxes: { open: 3, done: 0 } }
const DONE: AgentTurn = { files: 1, done: true, green: true, checkboxes: { open: 0, done: 3 } }

function shown({ rows }: Pick<RunMoment, 'rows'>): RunView {
  const view = rows.reduce<RunView | null>(foldView, null)
  if (view === null) throw new Error('no rows')
  return view
}

function worker(moment: RunMoment, id = '1'): WorkerView {
  const found = shown(moment).workers[id]
  if (found === undefined) throw new Error(`nothing is known of worker ${id}`)
  return found
}

test('a whole run', () => {
  const rows = playRun([
    { files: 2, commits: ['one'], checkboxes: { open: 1, done: 1 }, summary: 'half' },
    { ...DONE, checkboxes: { open: 0, done: 2 }, summary: 'all' },
  ])
  const { decisions, rules, iterations, workers, ...view } = shown({ rows })
  expect(view).toEqual({
    run: 'k7f3qa',
    project: '/home/ann/shop',
    command: 'ralph loop',
    start: { name: 'loop', target: null, flags: {} },
    version: '0.1.0',
    tasks: null,
    is: 'ended',
    startedAt: START_TIME,
    startedAwakeMs: 0,
    at: START_TIME + 2 * MINUTE,
    up: 2 * MINUTE,
    seq: rows.length,
    pid: 4711,
    spent: { usd: 1, tokens: 2_000, unknown: 0, estimated: 0 },
    quota: { calls: 2, tokens: 0 },
    made: 2,
    why: view.outcome?.reason,
    breaker: 'closed',
    agents: [{ agent: 'claude', iterations: 2 }],
    orphans: [],
    outcome: rows.findLast(({ event }) => event.type === 'run-ended')?.effects.length === 0 ? view.outcome : null,
  })
  expect(rules).toEqual(someRules())
  expect(decisions.length).toBe(rows.flatMap((row) => row.decisions).length)
  expect(iterations[0]).toEqual({
    n: 1,
    worker: '1',
    row: expect.any(Number) as unknown,
    agent: 'claude',
    startedAt: START_TIME,
    durationMs: MINUTE,
    end: 'success',
    failure: null,
    summary: 'half',
    usage: { input: 900, output: 100, usd: 0.5 },
    tools: 3,
    limit: null,
    change: expect.objectContaining({ files: 2, added: 20, removed: 2 }) as unknown,
    checkboxes: { open: 1, done: 1 },
    ticked: true,
    rejection: null,
    gates: [],
    commit: null,
    drift: [],
    orphans: null,
    outcome: 'progress',
    why: 'progress made; more items left',
    log: null,
  })
  expect(iterations[1]).toMatchObject({
    n: 2,
    summary: 'all',
    gates: [{ name: 'test', passed: true, durationMs: 1_200, failing: [] }],
  })
  expect(workers['1']).toMatchObject({
    id: '1',
    iteration: 2,
    activity: { is: 'ended', since: START_TIME + 2 * MINUTE },
    agent: 'claude',
    breaker: 'closed',
    checkboxes: { open: 0, done: 2 },
    branchState: { home: 'main', branch: 'main', head: 'head2', left: null },
  })
})

describe('what a worker does', () => {
  const START = withRules({ proof: { baseline: 'start' }, loop: { commit: 'iteration', pauseMs: 5_000 } })
  const at = (type: string, turn: AgentTurn = WORKS): RunMoment =>
    until(startedRun({ rules: START }), (_, effect) => effect?.type === type, turn)
  const later = (type: string, turn: AgentTurn = DONE): RunMoment =>
    until(
      afterTurn(
        until(startedRun({ rules: START }), ({ is }) => is === 'working'),
        DONE,
      ),
      (_, effect) => effect?.type === type,
      turn,
    )

  test.each<[what: string, moment: () => RunMoment, activity: object]>([
    ['source-loaded', () => startedRun(), { is: 'inspecting' }],
    ['compares', () => at('resolve-base'), { is: 'comparing' }],
    ['runs a gate', () => at('run-gate'), { is: 'proving', gate: 'test' }],
    ['tries the room', () => at('run-trial'), { is: 'running-trial', what: 'clean-room check' }],
    ['works', () => at('run-agent'), { is: 'working', pid: null, log: null }],
    ['measures', () => answer(at('run-agent'), WORKS), { is: 'measuring' }],
    ['commits', () => answer(answer(at('run-agent'), WORKS), WORKS), { is: 'committing' }],
    [
      'waits',
      () => afterTurn(at('run-agent'), WORKS),
      { is: 'waiting', until: START_TIME + MINUTE + 5_000, why: 'pause between iterations' },
    ],
    ['sorts', () => later('classify-changes'), { is: 'comparing' }],
    ['looks again', () => later('check-final-tree'), { is: 'comparing' }],
    [
      'is stopped',
      () =>
        send(at('run-agent'), {
          type: 'request-received',
          request: { id: 1, from: 'ann', do: 'stop', now: false },
        }),
      { is: 'stopping' },
    ],
    [
      'is paused',
      () =>
        afterTurn(send(working(), { type: 'request-received', request: { id: 1, from: 'ann', do: 'pause' } }), WORKS),
      { is: 'paused' },
    ],
  ])('when it %s', (_, moment, activity) => {
    const { since: _since, ...is } = worker(moment()).activity
    expect(is).toEqual(activity)
  })

  test('an outage that is waited out is told with its end', () => {
    const moment = afterTurn(working(), { files: 0, fails: { kind: 'network', message: 'no route' } })
    expect(worker(moment).activity).toMatchObject({ is: 'waiting', outage: { since: START_TIME + MINUTE } })
  })
})

describe('what is told while an agent works', () => {
  const moment = working()
  const answered = { worker: '1', effect: openEffectOf(moment).id }

  test('its process and its log', () => {
    const began: Event = {
      type: 'agent-started',
      ...answered,
      pid: 7,
      startTime: '1',
      promptHash: 'p',
      log: '/l',
    }
    const after = send(moment, began)
    expect([worker(after).activity, shown(after).iterations[0]?.log]).toMatchObject([
      { is: 'working', pid: 7, log: '/l' },
      '/l',
    ])
  })

  test('its conversation and its model', () => {
    const after = send(moment, { type: 'conversation-known', ...answered, conversation: 'c', model: 'opus' })
    expect(worker(after)).toMatchObject({ conversation: 'c', model: 'opus' })
    expect(worker(answer(after, { ...WORKS, reply: { conversation: 'c2' } })).conversation).toBe('c2')
    expect(worker(answer(after, WORKS)).conversation).toBe('c')
  })

  test('a failure, and who was left behind', () => {
    const orphans = { named: [{ pid: 7, startTime: '1', command: 'sh' }], more: 2 }
    const failed = answer(moment, {
      ...WORKS,
      fails: { kind: 'crash', message: 'boom' },
      reply: { limit: 'usage-limit' },
    })
    expect(shown(failed).iterations[0]).toMatchObject({
      end: 'failed',
      failure: 'boom',
      limit: 'usage-limit',
      orphans: null,
    })
    const event = failed.rows.at(-1)?.event
    if (event?.type !== 'agent-ended') throw new Error('nobody ended')
    const left = shown(send(moment, { ...event, orphans }))
    expect([left.orphans, left.iterations[0]?.orphans]).toEqual([orphans.named, orphans])
  })
})

describe('what people ask', () => {
  const say = (moment: RunMoment, given: object): RunMoment =>
    send(moment, { type: 'request-received', request: { id: 1, from: 'ann', ...given } } as Event)

  test.each<[given: object, is: RunView['is']]>([
    [{ do: 'stop', now: false }, 'stopping'],
    [{ do: 'stop', now: false, to: { worker: '1' } }, 'going'],
    [{ do: 'pause' }, 'going'],
    [{ do: 'steer', text: 'x' }, 'going'],
  ])('%j', (given, is) => {
    expect(shown(say(working(), given)).is).toBe(is)
  })

  test('a pause and its end', () => {
    const paused = afterTurn(say(working(), { do: 'pause' }), WORKS)
    expect([shown(paused).is, shown(say(paused, { do: 'resume' })).is]).toEqual(['paused', 'going'])
    const again = send(paused, { type: 'run-resumed', pid: 99, after: 'pause', version: '1' })
    expect([shown(again).is, shown(again).pid, shown(again).outcome]).toEqual(['going', 99, null])
  })

  test('a setting', () => {
    expect(shown(say(working(), { do: 'set', key: 'loop.max_iterations', value: '7' })).rules.loop.iterationsMax).toBe(
      7,
    )
    expect(shown(say(working(), { do: 'set', key: 'nonsense', value: '7' })).rules).toEqual(someRules())
  })

  test('an order that is not obeyed is no reason', () => {
    const before = shown(working()).why
    expect([
      shown(say(working(), { do: 'resume' })).why,
      shown(say(working(), { do: 'set', key: 'x', value: '' })).why,
    ]).toEqual([before, before])
  })
})

describe('source-loaded', () => {
  test('only the one after an iteration belongs to it', () => {
    const waiting = afterTurn(working({ rules: withRules({ loop: { pauseMs: 1_000 } }) }), WORKS)
    const snapshot = { tree: 't', head: 'h', branch: 'side', ref: null, unstored: [], busy: null }
    const looked = answer(answer(waiting), { checkboxes: { open: 2, done: 1 }, files: 9, look: { snapshot } })
    expect(shown(looked).iterations[0]).toMatchObject({
      change: { files: 1 },
      checkboxes: { open: 3, done: 0 },
      ticked: false,
      drift: [],
    })
    expect(worker(looked)).toMatchObject({
      checkboxes: { open: 2, done: 1 },
      branchState: { home: 'side', branch: 'side' },
    })
  })

  test('where an agent left HEAD is told with its iteration', () => {
    const snapshot = { tree: 't', head: 'h', branch: 'side', ref: null, unstored: [], busy: null }
    const moment = afterTurn(working(), { ...WORKS, look: { snapshot } })
    expect(worker(moment).branchState).toMatchObject({ home: 'main', branch: 'side' })
    expect(shown(moment).iterations[0]?.drift.length).toBe(1)
  })

  test('a commit of ours moves HEAD and is told', () => {
    const moment = afterTurn(working({ rules: withRules({ loop: { commit: 'iteration' } }) }), {
      ...WORKS,
      commit: { sha: 'new' },
    })
    expect([worker(moment).branchState?.head, shown(moment).iterations[0]?.commit]).toEqual(['new', 'new'])
  })
})

describe('refusals and breakers', () => {
  test('why a claim was refused stays with its iteration', () => {
    const red = until(afterTurn(working(), DONE), ({ is }) => is === 'working' || is === 'finished', {
      ...DONE,
      green: false,
    })
    expect(shown(red).iterations[0]).toMatchObject({
      outcome: 'claimed',
      why: 'the agent says it is done',
      rejection: 'test failed (exit 1)',
      gates: [{ name: 'test', passed: false, failing: ['not ok 1'] }],
    })
  })

  test('the breaker is shown as it is', () => {
    const rules = withRules({ breaker: { noProgress: 1 } })
    expect(worker(afterTurn(working({ rules }), { ...WORKS, files: 0 })).breaker).toBe('open')
    const breaker = {
      is: 'half-open' as const,
      counts: { idle: 1, failed: 0, denied: 0, declined: 0 },
      opens: 1,
      changedAt: START_TIME,
      reason: 'x',
    }
    expect(shown(startedRun({ started: { breaker } })).breaker).toBe('half-open')
  })

  test.each([
    [{ by: 'exit', what: 'end', why: 'cost_limit: all is spent' }, 'all is spent'],
    [{ by: 'loop', what: 'note', why: 'cost_limit: kept' }, 'cost_limit: kept'],
  ] as const)('the sentence alone: %#', (decision, said) => {
    expect(decisionReason(decision)).toBe(said)
  })
})

test('lists are bounded', () => {
  const rows = playRun([WORKS], withRules({ loop: { iterationsMax: 0 } }), 2_000)
  const view = shown({ rows })
  expect([view.iterations.length, view.decisions.length, view.iterations.at(-1)?.n]).toEqual([
    200,
    200,
    view.workers['1']?.iteration,
  ])
})

test('a row that nobody understands changes nothing but the stamp', () => {
  const before = shown(working())
  const strange = { ...working().rows.at(-1), seq: 99, event: { type: 'of-tomorrow' } } as never
  expect(foldViewTolerantly(before, strange)).toEqual({ view: { ...before, seq: 99 }, known: false })
  expect(foldViewTolerantly(null, strange)).toEqual({ view: null, known: false })
})

test('two workers are shown apart', () => {
  let moment = startedRun({ workers: 2 })
  for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
  moment = afterTurn(moment, { ...WORKS, summary: 'mine' }, '1')
  expect(shown(moment).iterations.map(({ worker: id, n, summary }) => [id, n, summary])).toEqual([
    ['1', 1, 'mine'],
    ['2', 1, ''],
    ['1', 2, ''],
  ])
})

/** The view of a run whose agent works, with these rows behind it as a record may have them. */
function after(added: Partial<Pick<Row, 'event' | 'effects' | 'decisions'>>[], from = working()): RunView {
  const rows = added.map((one, i): Row => ({
    run: 'k7f3qa',
    seq: 100 + i,
    at: START_TIME + i,
    up: i,
    rules: 1,
    event: { type: 'clock-jumped', by: 0 },
    effects: [],
    decisions: [],
    ...one,
  }))
  return shown({ rows: [...from.rows, ...rows] })
}

const CALL = openEffectOf(working()) as EffectOf<'run-agent'>
const ANSWERS = { worker: '1', effect: CALL.id }
const SNAPSHOT = { tree: 't', head: 'h', branch: 'main', ref: null, unstored: [], busy: null }

test('what has only begun is empty', () => {
  const { quota, iterations } = shown(startedRun())
  expect([quota, iterations]).toEqual([{ calls: 0, tokens: 0 }, []])
  expect(shown(working()).iterations).toMatchObject([
    { tools: 0, ticked: false, rejection: null, outcome: null, end: null, durationMs: null, why: null },
  ])
  const starting = after([
    { event: { type: 'conversation-known', worker: '2', effect: 'e', conversation: 'c', model: null } },
  ])
  expect(starting.workers['2']).toMatchObject({
    iteration: 0,
    activity: { is: 'starting' },
    conversation: 'c',
  })
})

test('a record without its beginning is none', () => {
  expect(() => working().rows.slice(1).reduce<RunView | null>(foldView, null)).toThrow(
    'the record of run k7f3qa does not begin with run-started',
  )
})

test('a row that is understood is said to be', () => {
  const [first] = working().rows
  if (first === undefined) throw new Error('no rows')
  expect(foldViewTolerantly(null, first)).toEqual({ view: foldView(null, first), known: true })
  const strange = { ...first, at: 5, up: 6, seq: 7, event: { type: 'of-tomorrow' } } as never
  expect(foldViewTolerantly(foldView(null, first), strange).view).toMatchObject({ at: 5, up: 6, seq: 7 })
})

describe('events that change nothing that is shown', () => {
  const usage = { usd: 1 }
  const denial = { tool: 'Bash', command: 'ls' }
  test.each<Event>([
    { type: 'final-tree-checked', ...ANSWERS, changed: [] },
    { type: 'call-deferred', ...ANSWERS, until: 1, why: 'x' },
    { type: 'agent-denied', ...ANSWERS, denial },
    { type: 'spend-threshold-crossed', ...ANSWERS, usage, tenth: 1 },
    { type: 'wait-ended', ...ANSWERS },
    { type: 'aborted', ...ANSWERS },
    { type: 'effect-failed', ...ANSWERS, problem: 'x', hint: null },
    { type: 'effect-lost', ...ANSWERS },
    { type: 'clock-jumped', by: 1 },
    { type: 'remark', about: 'x', text: 'y' },
  ])('$type', (event) => {
    const before = shown(working())
    expect(after([{ event }])).toEqual({ ...before, seq: 100 })
  })

  test('any of which nothing followed', () => {
    const ignored: Decision = { by: 'loop', what: 'ignore', why: 'late' }
    const event: Event = { type: 'admitted', ...ANSWERS, callsThisHour: 77, tokensThisHour: 77 }
    const view = after([{ event, decisions: [ignored] }])
    expect([view.quota, view.iterations[0]?.why]).toEqual([shown(working()).quota, null])
  })
})

describe('how it stands', () => {
  const outcome = { is: 'outage', reason: 'nobody answers', verdict: 'unproven', exit: 1 } as const
  const stop: Event = { type: 'request-received', request: { id: 1, from: 'ann', do: 'stop', now: false } }
  const continued: Event = { type: 'run-resumed', pid: 9, after: 'crash', version: '1' }
  const decide = (...decisions: Decision[]): { decisions: Decision[] } => ({ decisions })
  const pause = (worker: string): Decision => ({ by: 'loop', what: 'pause', why: 'x', worker })
  const end = (worker: string): Decision => ({ by: 'exit', what: 'end', why: 'x', worker })
  const two = (): RunMoment =>
    until(
      until(startedRun({ workers: 2 }), ({ is }) => is === 'working', {}, '1'),
      ({ is }) => is === 'working',
      {},
      '2',
    )

  test.each<[string, RunView, RunView['is'], string[]]>([
    ['left', after([{ event: { type: 'run-suspended', ...ANSWERS, outcome } }]), 'left', ['ended']],
    ['ended', after([{ event: { type: 'run-ended', ...ANSWERS, outcome } }]), 'ended', ['ended']],
    ['stopping, and taken up after a crash', after([{ event: stop }, { event: continued }]), 'stopping', ['working']],
    ['taken up after a crash', after([{ event: continued }]), 'going', ['working']],
    ['one of two paused', after([decide(pause('1'))], two()), 'going', ['paused', 'working']],
    ['one paused, one at its end', after([decide(pause('1'), end('2'))], two()), 'paused', ['paused', 'ended']],
    ['both at their end', after([decide(end('1'), end('2'))], two()), 'going', ['ended', 'ended']],
    ['paused while it stops', after([{ event: stop }, decide(pause('1'))]), 'stopping', ['paused']],
    [
      'nobody paused by other words',
      after([decide({ by: 'loop', what: 'note', why: 'x' }, { by: 'exit', what: 'warn', why: 'x' })]),
      'going',
      ['working'],
    ],
  ])('%s', (_, view, is, activity) => {
    expect([view.is, Object.values(view.workers).map((one) => one.activity.is)]).toEqual([is, activity])
  })

  test('a decision is kept with its moment', () => {
    expect(after([{}, decide(pause('1'))]).decisions.at(-1)).toEqual({
      by: 'loop',
      what: 'pause',
      why: 'x',
      worker: '1',
      at: START_TIME + 1,
      seq: 101,
    })
  })
})

describe('a second opinion', () => {
  const asks = { effects: [{ ...CALL, id: 'review', agent: 'codex', role: 'review' as const }] }
  const sideCall = { worker: '1', effect: 'review' }

  test('is asked of somebody who made no iteration', () => {
    expect(after([asks, asks]).agents).toEqual([
      { agent: 'claude', iterations: 1 },
      { agent: 'codex', iterations: 0 },
    ])
    const more = { effects: [{ ...CALL, id: 'more', iteration: 2 }] }
    expect(after([asks, more]).agents).toEqual([
      { agent: 'claude', iterations: 2 },
      { agent: 'codex', iterations: 0 },
    ])
  })

  test('has a conversation and a log of its own', () => {
    const known: Event = { type: 'conversation-known', ...sideCall, conversation: 'other', model: 'gpt' }
    const began: Event = {
      type: 'agent-started',
      ...sideCall,
      pid: 7,
      startTime: '1',
      promptHash: 'p',
      log: '/other',
    }
    const view = after([asks, { event: known }, { event: began }])
    expect([view.workers['1']?.conversation, view.iterations[0]?.log]).toEqual([null, null])
  })

  test('that moves HEAD did so as an agent, not as a person', () => {
    const look = (why: EffectOf<'snapshot'>['for']): RunView =>
      after([
        {
          effects: [{ type: 'snapshot', id: 'l', worker: '1', for: why, iteration: 1, since: null, sinceHead: null }],
        },
        {
          event: {
            type: 'snapshot-taken',
            worker: '1',
            effect: 'l',
            snapshot: { ...SNAPSHOT, branch: 'side' },
            change: null,
            checkboxes: null,
            nextCheckbox: null,
          },
        },
      ])
    expect(look('check').workers['1']?.branchState?.home).toBe('main')
    expect(look('before').workers['1']?.branchState?.home).toBe('side')
  })
})

test('a box is ticked where there are more of them than before', () => {
  const ticked = (found: number | null, then: number | null): boolean | undefined => {
    const checkboxes = (done: number | null) => (done === null ? null : { open: 9, done })
    const before = until(startedRun(), ({ is }) => is === 'working', {
      look: { checkboxes: checkboxes(found) },
    })
    return shown(afterTurn(before, { ...WORKS, look: { checkboxes: checkboxes(then) } })).iterations[0]?.ticked
  }
  expect([ticked(1, 2), ticked(2, 2), ticked(2, 1), ticked(null, 1), ticked(null, null), ticked(1, null)]).toEqual([
    true,
    false,
    false,
    true,
    false,
    false,
  ])
})

test('who was left behind is kept up to a number', () => {
  const named = Array.from({ length: 60 }, (_, pid) => ({ pid, startTime: '1', command: 'sh' }))
  const trial = { is: 'room-failed', durationMs: 1, why: 'x' } as const
  const view = after([{ event: { type: 'trial-ended', ...ANSWERS, trial, orphans: { named, more: 0 } } }])
  expect(view.orphans.map(({ pid }) => pid)).toEqual(named.slice(10).map(({ pid }) => pid))
})

test.each<[string, Decision[], string | null]>([
  [
    'the last',
    [
      { by: 'loop', what: 'note', why: 'a' },
      { by: 'loop', what: 'repeat', why: 'b' },
    ],
    'b',
  ],
  [
    'not an order that was refused',
    [
      { by: 'loop', what: 'note', why: 'a' },
      { by: 'steer', what: 'refuse', why: 'b' },
    ],
    'a',
  ],
  [
    'not one that was ignored',
    [
      { by: 'loop', what: 'note', why: 'a' },
      { by: 'loop', what: 'ignore', why: 'b' },
    ],
    'a',
  ],
  [
    'one that was obeyed',
    [
      { by: 'loop', what: 'note', why: 'a' },
      { by: 'steer', what: 'apply', why: 'b' },
    ],
    'b',
  ],
  ['a refused claim', [{ by: 'proof', what: 'refuse', why: 'b' }], 'b'],
  ['words of a warning as they are', [{ by: 'exit', what: 'warn', why: 'soon: b' }], 'soon: b'],
  ['nothing', [], null],
])('why it does as it does: %s', (_, decisions, why) => {
  expect(lastRunReason(decisions)).toBe(why)
})
