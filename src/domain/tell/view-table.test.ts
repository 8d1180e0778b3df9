/** What a screen shows of each row: the whole view of a night, and one row of the table for what it does meanwhile. */
import { describe, expect, test } from 'vitest'
import {
  answer,
  aNight,
  begun,
  EVENING,
  openOf,
  played,
  ruled,
  send,
  someRules,
  until,
  working,
  type Moment,
  type Turn,
} from '../test-kit.ts'
import type { Event } from '../run/event.ts'
import { foldKnown, foldView, whyOf, type View, type WorkerView } from './view.ts'

const MINUTE = 60_000
const WORKS: Turn = { files: 1, boxes: { open: 3, done: 0 } }
const DONE: Turn = { files: 1, done: true, green: true, boxes: { open: 0, done: 3 } }

function shown({ rows }: Pick<Moment, 'rows'>): View {
  const view = rows.reduce<View | null>(foldView, null)
  if (view === null) throw new Error('no rows')
  return view
}

function worker(moment: Moment, id = '1'): WorkerView {
  const found = shown(moment).workers[id]
  if (found === undefined) throw new Error(`nothing is known of worker ${id}`)
  return found
}

test('a whole run', () => {
  const rows = aNight([
    { files: 2, commits: ['one'], boxes: { open: 1, done: 1 }, summary: 'half' },
    { ...DONE, boxes: { open: 0, done: 2 }, summary: 'all' },
  ])
  const { decisions, rules, iterations, workers, ...view } = shown({ rows })
  expect(view).toEqual({
    run: 'k7f3qa',
    project: '/home/ann/shop',
    command: 'ralph loop',
    version: '0.1.0',
    is: 'ended',
    startedAt: EVENING,
    startedUp: 0,
    at: EVENING + 2 * MINUTE,
    up: 2 * MINUTE,
    seq: rows.length,
    pid: 4711,
    spent: { usd: 1, tokens: 2_000, unknown: 0, estimated: 0 },
    quota: { calls: 2, tokens: 0 },
    why: view.outcome?.reason,
    breaker: 'closed',
    agents: [{ agent: 'claude', iterations: 2 }],
    orphans: [],
    outcome:
      rows.findLast(({ event }) => event.type === 'run-ended')?.effects.length === 0 ? view.outcome : null,
  })
  expect(rules).toEqual(someRules())
  expect(decisions.length).toBe(rows.flatMap((row) => row.decisions).length)
  expect(iterations[0]).toEqual({
    n: 1,
    worker: '1',
    agent: 'claude',
    startedAt: EVENING,
    durationMs: MINUTE,
    end: 'success',
    failure: null,
    summary: 'half',
    usage: { input: 900, output: 100, usd: 0.5 },
    tools: 3,
    limit: null,
    change: expect.objectContaining({ files: 2, added: 20, removed: 2 }) as unknown,
    boxes: { open: 1, done: 1 },
    ticked: true,
    refused: false,
    gates: [],
    commit: null,
    astray: [],
    orphans: null,
    why: 'boxes were ticked and work remains',
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
    doing: { is: 'ended', since: EVENING + 2 * MINUTE },
    agent: 'claude',
    breaker: 'closed',
    boxes: { open: 0, done: 2 },
    footing: { home: 'main', branch: 'main', head: 'head2', left: null },
  })
})

describe('what a worker does', () => {
  const START = ruled({ proof: { baseline: 'start' }, loop: { commit: 'iteration', pauseMs: 5_000 } })
  const at = (type: string, turn: Turn = WORKS): Moment =>
    until(begun({ rules: START }), (_, effect) => effect?.type === type, turn)
  const later = (type: string, turn: Turn = DONE): Moment =>
    until(
      played(
        until(begun({ rules: START }), ({ is }) => is === 'working'),
        DONE,
      ),
      (_, effect) => effect?.type === type,
      turn,
    )

  test.each<[what: string, moment: () => Moment, doing: object]>([
    ['looks', () => begun(), { is: 'looking' }],
    ['compares', () => at('take-base'), { is: 'comparing' }],
    ['runs a gate', () => at('run-gate'), { is: 'proving', gate: 'test' }],
    ['tries the room', () => at('try-room'), { is: 'trying', what: 'is the clean room fit?' }],
    ['works', () => at('run-agent'), { is: 'working', pid: null, log: null }],
    ['measures', () => answer(at('run-agent'), WORKS), { is: 'measuring' }],
    ['commits', () => answer(answer(at('run-agent'), WORKS), WORKS), { is: 'committing' }],
    [
      'waits',
      () => played(at('run-agent'), WORKS),
      { is: 'waiting', until: EVENING + MINUTE + 5_000, why: 'the pause between two iterations' },
    ],
    ['sorts', () => later('sort-changes'), { is: 'comparing' }],
    ['looks again', () => later('look-again'), { is: 'comparing' }],
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
        played(
          send(working(), { type: 'request-received', request: { id: 1, from: 'ann', do: 'pause' } }),
          WORKS,
        ),
      { is: 'paused' },
    ],
  ])('when it %s', (_, moment, doing) => {
    const { since: _since, ...is } = worker(moment()).doing
    expect(is).toEqual(doing)
  })

  test('an outage that is waited out is told with its end', () => {
    const moment = played(working(), { files: 0, fails: { kind: 'network', message: 'no route' } })
    expect(worker(moment).doing).toMatchObject({ is: 'waiting', outage: { since: EVENING + MINUTE } })
  })
})

describe('what is told while an agent works', () => {
  const moment = working()
  const answered = { worker: '1', effect: openOf(moment).id }

  test('its process and its log', () => {
    const began: Event = {
      type: 'agent-began',
      ...answered,
      pid: 7,
      startTime: '1',
      promptHash: 'p',
      log: '/l',
    }
    const after = send(moment, began)
    expect([worker(after).doing, shown(after).iterations[0]?.log]).toMatchObject([
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
  const say = (moment: Moment, given: object): Moment =>
    send(moment, { type: 'request-received', request: { id: 1, from: 'ann', ...given } } as Event)

  test.each<[given: object, is: View['is']]>([
    [{ do: 'stop', now: false }, 'stopping'],
    [{ do: 'stop', now: false, to: { worker: '1' } }, 'going'],
    [{ do: 'pause' }, 'going'],
    [{ do: 'steer', text: 'x' }, 'going'],
  ])('%j', (given, is) => {
    expect(shown(say(working(), given)).is).toBe(is)
  })

  test('a pause and its end', () => {
    const paused = played(say(working(), { do: 'pause' }), WORKS)
    expect([shown(paused).is, shown(say(paused, { do: 'resume' })).is]).toEqual(['paused', 'going'])
    const again = send(paused, { type: 'run-continued', pid: 99, after: 'pause', version: '1' })
    expect([shown(again).is, shown(again).pid, shown(again).outcome]).toEqual(['going', 99, null])
  })

  test('a setting', () => {
    expect(
      shown(say(working(), { do: 'set', key: 'loop.max_iterations', value: '7' })).rules.loop.iterationsMax,
    ).toBe(7)
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

describe('looks', () => {
  test('only the one after an iteration belongs to it', () => {
    const waiting = played(working({ rules: ruled({ loop: { pauseMs: 1_000 } }) }), WORKS)
    const snapshot = { tree: 't', head: 'h', branch: 'side', ref: null, unstored: [], busy: null }
    const looked = answer(answer(waiting), { boxes: { open: 2, done: 1 }, files: 9, look: { snapshot } })
    expect(shown(looked).iterations[0]).toMatchObject({
      change: { files: 1 },
      boxes: { open: 3, done: 0 },
      ticked: false,
      astray: [],
    })
    expect(worker(looked)).toMatchObject({
      boxes: { open: 2, done: 1 },
      footing: { home: 'side', branch: 'side' },
    })
  })

  test('where an agent left HEAD is told with its iteration', () => {
    const snapshot = { tree: 't', head: 'h', branch: 'side', ref: null, unstored: [], busy: null }
    const moment = played(working(), { ...WORKS, look: { snapshot } })
    expect(worker(moment).footing).toMatchObject({ home: 'main', branch: 'side' })
    expect(shown(moment).iterations[0]?.astray.length).toBe(1)
  })

  test('a commit of ours moves HEAD and is told', () => {
    const moment = played(working({ rules: ruled({ loop: { commit: 'iteration' } }) }), {
      ...WORKS,
      commit: { sha: 'new' },
    })
    expect([worker(moment).footing?.head, shown(moment).iterations[0]?.commit]).toEqual(['new', 'new'])
  })
})

describe('refusals and breakers', () => {
  test('why a claim was refused stays with its iteration', () => {
    const red = until(played(working(), DONE), ({ is }) => is === 'working' || is === 'finished', {
      ...DONE,
      green: false,
    })
    expect(shown(red).iterations[0]).toMatchObject({
      refused: true,
      why: 'gate test (npm run test) failed with exit 1',
      gates: [{ name: 'test', passed: false, failing: ['not ok 1'] }],
    })
  })

  test('the breaker is shown as it is', () => {
    const rules = ruled({ breaker: { noProgress: 1 } })
    expect(worker(played(working({ rules }), { ...WORKS, files: 0 })).breaker).toBe('open')
    const breaker = {
      is: 'half-open' as const,
      counts: { idle: 1, failed: 0, denied: 0, declined: 0 },
      opens: 1,
      changedAt: EVENING,
      reason: 'x',
    }
    expect(shown(begun({ started: { breaker } })).breaker).toBe('half-open')
  })

  test.each([
    [{ by: 'exit', what: 'end', why: 'cost_limit: all is spent' }, 'all is spent'],
    [{ by: 'proof', what: 'refuse', why: 'the completion is refused: no' }, 'no'],
    [{ by: 'loop', what: 'go-on', why: 'cost_limit: kept' }, 'cost_limit: kept'],
  ] as const)('the sentence alone: %#', (decision, said) => {
    expect(whyOf(decision)).toBe(said)
  })
})

test('lists are bounded', () => {
  const rows = aNight([WORKS], ruled({ loop: { iterationsMax: 0 } }), 2_000)
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
  expect(foldKnown(before, strange)).toEqual({ view: { ...before, seq: 99 }, known: false })
  expect(foldKnown(null, strange)).toEqual({ view: null, known: false })
})

test('two workers are shown apart', () => {
  let moment = begun({ workers: 2 })
  for (const id of ['1', '2']) moment = until(moment, ({ is }) => is === 'working', {}, id)
  moment = played(moment, { ...WORKS, summary: 'mine' }, '1')
  expect(shown(moment).iterations.map(({ worker: id, n, summary }) => [id, n, summary])).toEqual([
    ['1', 1, 'mine'],
    ['2', 1, ''],
    ['1', 2, ''],
  ])
})
