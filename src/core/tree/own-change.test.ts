import { describe, expect, test } from 'vitest'
import type { Effect } from '../state/effect.ts'
import type { Event } from '../state/event.ts'
import {
  foldChangeTrace,
  foldTaskTrace,
  isSameSnapshot,
  EMPTY_TRACE,
  nonEmptyChanges,
  snapshotRefOf,
  type SnapshotRef,
  type TaskChangeTrace,
} from './own-change.ts'

interface Happened {
  event: Event
  effects: Effect[]
}

const at = (tree: string, more: Partial<SnapshotRef> = {}): SnapshotRef => ({
  tree,
  head: 'h',
  branch: 'main',
  ...more,
})

let effect = 0
const asks = (why: 'start' | 'before' | 'after' | 'check'): Effect => ({
  type: 'snapshot',
  id: `e${(effect += 1)}`,
  worker: '1',
  for: why,
  iteration: 1,
  since: null,
  sinceHead: null,
})

function look(why: 'start' | 'before' | 'after' | 'check', point: SnapshotRef): Happened[] {
  const requestSnapshot = asks(why)
  const snapshot = { ...point, ref: null, unstored: [], busy: null }
  const answer = { worker: '1', effect: requestSnapshot.id }
  return [
    { event: { type: 'remark', about: '', text: '' }, effects: [requestSnapshot] },
    {
      event: {
        type: 'snapshot-taken',
        ...answer,
        snapshot,
        change: null,
        checkboxes: null,
        nextCheckbox: null,
      },
      effects: [],
    },
  ]
}

const answer = { worker: '1', effect: 'x' }
const works: Happened = {
  event: { type: 'remark', about: '', text: '' },
  effects: [{ type: 'run-agent' } as Effect],
}
const gate: Happened = { event: { type: 'gate-ended', ...answer } as Event, effects: [] }
const pause: Happened = {
  event: { type: 'request-received', request: { id: 1, from: 'you', do: 'pause' } },
  effects: [],
}

function traceOf(...happened: Happened[][]) {
  return happened.flat().reduce(foldChangeTrace, EMPTY_TRACE)
}

describe('what a run did itself', () => {
  test('everything between the first look and the last, if nobody else did anything', () => {
    const trace = traceOf(
      look('start', at('0')),
      [works],
      look('after', at('1')),
      look('before', at('1')),
      [works],
      look('after', at('2', { head: 'i' })),
    )
    expect(nonEmptyChanges(trace)).toEqual([{ before: at('0'), after: at('2', { head: 'i' }) }])
    expect(trace.unmeasured).toBe(false)
  })

  test('not what changed between two iterations', () => {
    const trace = traceOf(
      look('start', at('0')),
      [works],
      look('after', at('1')),
      [pause],
      look('before', at('1p')),
      [works],
      look('after', at('2')),
    )
    expect(nonEmptyChanges(trace)).toEqual([
      { before: at('0'), after: at('1') },
      { before: at('1p'), after: at('2') },
    ])
  })

  test('what its gates changed belongs to it, unless the run rested meanwhile', () => {
    const to = (...between: Happened[]) =>
      nonEmptyChanges(
        traceOf(look('start', at('0')), [works], look('after', at('1')), between, look('before', at('2'))),
      )
    expect(to(gate)).toEqual([{ before: at('0'), after: at('2') }])
    expect(to(gate, pause)).toEqual([{ before: at('0'), after: at('1') }])
  })

  test('an agent that nobody measured: what the next look finds is its doing', () => {
    const trace = traceOf(look('start', at('0')), [works])
    expect([nonEmptyChanges(trace), trace.unmeasured]).toEqual([[], true])
    expect(nonEmptyChanges([...look('before', at('1'))].reduce(foldChangeTrace, trace))).toEqual([
      { before: at('0'), after: at('1') },
    ])
  })

  test('commits that Ralph made are its doing, and what is staged then is not known', () => {
    const trace = traceOf(look('start', at('0', { index: 'i' })), [works], look('after', at('1', { index: 'j' })), [
      { event: { type: 'committed', ...answer, sha: 'c', files: 1, problem: null }, effects: [] },
    ])
    expect(nonEmptyChanges(trace)).toEqual([{ before: at('0', { index: 'i' }), after: at('1', { head: 'c' }) }])
  })

  test('what was reverted is its doing no longer', () => {
    const snapshot = { ...at('0'), ref: null, unstored: [], busy: null }
    const back = {
      checkboxes: null,
      nextCheckbox: null,
      kept: 'r',
      files: 1,
      paths: ['a'],
      commits: 1,
      left: [],
    }
    const event: Event = { type: 'reverted', ...answer, is: 'back', snapshot, ...back }
    expect(
      nonEmptyChanges(
        traceOf(look('start', at('0')), [works], look('after', at('1', { head: 'i' })), [{ event, effects: [] }]),
      ),
    ).toEqual([])
  })

  test('a run that changed nothing did nothing', () => {
    expect(nonEmptyChanges(traceOf(look('start', at('0')), [works], look('after', at('0'))))).toEqual([])
  })
})

describe('what was done for one task', () => {
  const claimed = (id: string): Happened => ({
    event: { type: 'task-claimed', ...answer, task: { id } } as Event,
    effects: [],
  })
  const settled: Happened = {
    event: { type: 'task-finished', ...answer, held: true, changes: [] },
    effects: [],
  }
  const visit = (from: string, to: string): Happened[] => [...look('before', at(from)), works, ...look('after', at(to))]

  test('a stretch for each claim on it, and nothing of the others', () => {
    const rows = [
      [claimed('a'), ...visit('0', '1'), settled],
      [claimed('b'), ...visit('1', '2'), settled],
      [claimed('a'), ...visit('2', '3'), settled],
    ].flat()
    const { claims } = rows.reduce(foldTaskTrace, { task: 'a', worker: null, claims: [] } as TaskChangeTrace)
    expect(claims.flatMap(nonEmptyChanges)).toEqual([
      { before: at('0'), after: at('1') },
      { before: at('2'), after: at('3') },
    ])
  })
})

describe('whose doing it is', () => {
  const wait: Happened = { event: { type: 'wait-ended', ...answer }, effects: [] }
  const continued: Happened = {
    event: { type: 'run-resumed', pid: 1, after: 'crash', version: '0' },
    effects: [],
  }
  const remark: Happened = { event: { type: 'remark', about: '', text: '' }, effects: [] }

  test.each<[what: string, between: Happened[], own: boolean]>([
    ['nothing happened', [], false],
    ['only a remark', [remark], false],
    ['gates ran', [gate], true],
    ['gates ran and a person asked something', [gate, pause], false],
    ['gates ran and the run waited', [gate, wait], false],
    ['gates ran and the run was taken up again', [gate, continued], false],
    ['the run rested and then gates ran', [wait, gate], false],
    ['an agent worked, whatever else', [wait, works, pause], true],
  ])('%s before the tree was found changed: its own is %s', (_, between, own) => {
    const trace = traceOf(look('start', at('0')), between, look('before', at('1')))
    expect(trace.ownChanges).toEqual(
      own
        ? [{ before: at('0'), after: at('1') }]
        : [
            { before: at('0'), after: at('0') },
            { before: at('1'), after: at('1') },
          ],
    )
    expect([trace.unmeasured, trace.gated, trace.hasPaused]).toEqual([false, false, false])
  })

  test.each(['after', 'check'] as const)('a look %s an agent is at its doing', (why) => {
    expect(nonEmptyChanges(traceOf(look('start', at('0')), [pause], look(why, at('1'))))).toEqual([
      { before: at('0'), after: at('1') },
    ])
  })

  test('what happened before a look says nothing about the next one', () => {
    const looks = (between: Happened[]) =>
      traceOf(look('start', at('0')), between, look('before', at('0')), look('before', at('1'))).ownChanges
    for (const between of [[gate], [works], [wait]]) expect(looks(between)).toHaveLength(2)
    expect(
      traceOf(look('start', at('0')), [wait], look('before', at('0')), [gate], look('before', at('1'))).ownChanges,
    ).toHaveLength(1)
  })

  test('the run begins with nothing known, and its first look is where it begins', () => {
    expect(EMPTY_TRACE).toEqual({
      ownChanges: [],
      unmeasured: false,
      asked: {},
      gated: false,
      hasPaused: false,
    })
    expect(traceOf(look('start', at('0'))).ownChanges).toEqual([{ before: at('0'), after: at('0') }])
    const committed: Happened = {
      event: { type: 'committed', ...answer, sha: 'c', files: 1, problem: null },
      effects: [],
    }
    expect(traceOf([committed]).ownChanges).toEqual([])
  })

  test('a commit after others moves the last one only', () => {
    const trace = traceOf(
      look('start', at('0')),
      [pause],
      look('before', at('1')),
      [{ event: { type: 'committed', ...answer, sha: 'c', files: 1, problem: null }, effects: [] }],
      [{ event: { type: 'committed', ...answer, sha: null, files: 0, problem: null }, effects: [] }],
    )
    expect(trace.ownChanges).toEqual([
      { before: at('0'), after: at('0') },
      { before: at('1'), after: at('1', { head: 'c' }) },
    ])
  })

  test.each<[a: SnapshotRef, b: SnapshotRef, same: boolean]>([
    [at('0'), at('0'), true],
    [at('0'), at('1'), false],
    [at('0'), at('0', { head: 'i' }), false],
    [at('0'), at('0', { branch: null }), false],
    [at('0', { control: 'c' }), at('0', { control: 'c' }), true],
    [at('0', { control: 'c' }), at('0', { control: 'd' }), false],
    [at('0', { control: 'c' }), at('0'), true],
    [at('0'), at('0', { control: 'c' }), true],
    [at('0', { index: 'c' }), at('0', { index: 'd' }), false],
    [at('0', { index: 'c' }), at('0'), true],
  ])('%j and %j are the same: %s', (a, b, same) => {
    expect(isSameSnapshot(a, b)).toBe(same)
  })

  test('of a snapshot only that is kept', () => {
    const snapshot = { ...at('0', { control: 'c', index: 'i' }), ref: 'r', unstored: [], busy: null }
    expect(snapshotRefOf(snapshot)).toStrictEqual(at('0', { control: 'c', index: 'i' }))
    expect(snapshotRefOf({ ...at('0'), ref: 'r' } as SnapshotRef)).toStrictEqual(at('0'))
  })
})
