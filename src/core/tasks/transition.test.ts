import { describe, expect, test } from 'vitest'
import { NO_PART_COUNTS, partCountsOf } from './rollup.ts'
import type { Feature } from './task.ts'
import {
  doneStatusChanges,
  applyTaskEvent,
  type TaskChanges,
  type TaskEvent,
  type TaskNode,
  type TaskRows,
} from './transition.ts'

function node(id: string, more: Partial<TaskNode> = {}): TaskNode {
  return {
    id,
    n: 1,
    parent: null,
    feature: null,
    title: id.toUpperCase(),
    status: 'pending',
    priority: 0,
    notBefore: null,
    children: 0,
    childrenDone: 0,
    childrenFailed: 0,
    childrenGoing: 0,
    waits: 0,
    above: 0,
    scheduled: false,
    attempt: 0,
    retries: 0,
    verification: null,
    why: null,
    claimedBy: null,
    archivedAt: null,
    ...more,
  }
}

function rows(nodes: TaskNode[], more: Partial<TaskRows> = {}): TaskRows {
  return { nodes, edges: [], features: [], failed: {}, ...more }
}

const DONE: TaskEvent = { is: 'done', why: null, retries: null, verification: null }
const FAILED: TaskEvent = { is: 'failed', why: 'no', retries: 2, verification: 'failed' }

/** `id: what became of it`. */
function became({ nodes }: TaskChanges, ...keys: (keyof TaskNode)[]): Record<string, unknown> {
  return Object.fromEntries(nodes.map((one) => [one.id, keys.map((key) => one[key])]))
}

test('what becomes of a task by itself', () => {
  const task = node('a', { status: 'failed', retries: 3, verification: 'failed', why: 'no', attempt: 2 })
  const after = (event: TaskEvent, from = task): unknown =>
    became(applyTaskEvent(rows([from]), 'a', event), 'status', 'attempt', 'retries', 'verification', 'why', 'claimedBy')
  expect(after({ is: 'claimed', by: 'r1/1' }, node('a', { retries: 1 }))).toEqual({
    a: ['in_progress', 1, 1, null, null, 'r1/1'],
  })
  const held = node('a', { status: 'in_progress', claimedBy: 'r1/1', attempt: 1 })
  expect(after({ is: 'released', retries: 1 }, held)).toEqual({ a: ['pending', 1, 1, null, null, null] })
  expect(after({ is: 'lost', retries: null }, held)).toEqual({ a: ['pending', 1, 0, null, null, null] })
  expect(after(FAILED, held)).toEqual({ a: ['failed', 1, 2, 'failed', 'no', null] })
  expect(after({ is: 'reset' })).toEqual({ a: ['pending', 2, 0, null, null, null] })
})

describe('a parent', () => {
  test.each<[string, Partial<TaskNode>, Partial<TaskNode>, TaskEvent, unknown[]]>([
    ['is going with one', {}, {}, { is: 'claimed', by: 'x' }, ['in_progress', 0, 0, 1, null]],
    ['is done with the last', { children: 2, childrenDone: 1 }, {}, DONE, ['done', 2, 0, 0, null]],
    ['is not done with the first', { children: 2 }, {}, DONE, ['pending', 1, 0, 0, null]],
    ['fails with one', { children: 2 }, {}, FAILED, ['failed', 0, 1, 0, 'C (c) failed']],
    [
      'heals with it',
      { status: 'failed', childrenFailed: 1, why: 'C (c) failed' },
      { status: 'failed' },
      { is: 'reset' },
      ['pending', 0, 0, 0, null],
    ],
    [
      'that loses its last child is what they came to',
      { status: 'done', childrenDone: 1 },
      { status: 'done' },
      { is: 'left', leaves: [] },
      ['done', 0, 0, 0, null],
    ],
    [
      'or is to be done itself',
      { status: 'failed', childrenFailed: 1, why: 'C (c) failed' },
      { status: 'failed' },
      { is: 'left', leaves: [] },
      ['pending', 0, 0, 0, null],
    ],
  ])('%s', (_, parent, child, event, expected) => {
    const from = rows([node('c', { parent: 'p', ...child }), node('p', { children: 1, ...parent })])
    const changes = applyTaskEvent(from, 'c', event)
    expect(became(changes, 'status', 'childrenDone', 'childrenFailed', 'childrenGoing', 'why')['p']).toEqual(expected)
  })

  test('names another child where the one it named is well again', () => {
    const from = rows(
      [
        node('c', { parent: 'p', status: 'failed' }),
        node('p', { status: 'failed', children: 2, childrenFailed: 2, why: 'C (c) failed' }),
      ],
      { failed: { p: { id: 'd', title: 'D' } } },
    )
    expect(became(applyTaskEvent(from, 'c', { is: 'reset' }), 'status', 'why')['p']).toEqual(['failed', 'D (d) failed'])
  })

  test('of a parent hears of it too, and who waits for it', () => {
    const from = rows(
      [
        node('c', { parent: 'p' }),
        node('p', { parent: 'g', children: 1 }),
        node('g', { children: 1 }),
        node('w', { waits: 1, children: 3 }),
        node('x', { waits: 2 }),
      ],
      {
        edges: [
          { blocker: 'g', blocked: 'w' },
          { blocker: 'p', blocked: 'x' },
        ],
      },
    )
    expect(doneStatusChanges(from, 'c', DONE)).toEqual(['c', 'p', 'g'])
    const { above, look, told } = applyTaskEvent(from, 'c', DONE)
    expect({ above, look, told }).toEqual({
      above: [{ root: 'w', by: -1, itself: false }],
      look: ['c', 'x'],
      told: [
        { is: 'parent-done', task: 'p', title: 'P' },
        { is: 'parent-done', task: 'g', title: 'G' },
        { is: 'unblocked', task: 'w', title: 'W' },
      ],
    })
  })
})

test('children make a parent of a leaf: its status is theirs, and its feature counts it no more', () => {
  const from = rows([node('p', { status: 'done', feature: 'f', why: 'by ann' })], {
    features: [feature({ tasks: 2, done: 2 })],
  })
  const changes = applyTaskEvent(from, 'p', {
    is: 'children-added',
    parts: partCountsOf('pending'),
    failed: null,
  })
  expect([became(changes, 'status', 'children', 'why'), changes.features, changes.look, changes.told]).toEqual([
    { p: ['pending', 1, null] },
    [{ feature: 'f', parts: { all: -1, done: -1, failed: 0, going: 0 } }],
    ['p'],
    [{ is: 'parent-healed', task: 'p', title: 'P' }],
  ])
})

test('a subtree that moves takes its place: both parents count anew, and what is waited for above it', () => {
  const from = rows([
    node('c', { parent: 'p', status: 'failed', above: 1 }),
    node('p', {
      status: 'failed',
      children: 2,
      childrenDone: 1,
      childrenFailed: 1,
      waits: 1,
      why: 'C (c) failed',
    }),
    node('q', { parent: 'r', above: 1, waits: 2, children: 1 }),
    node('r', { children: 1, waits: 1 }),
  ])
  const changes = applyTaskEvent(from, 'c', { is: 'moved', parent: 'q' })
  expect(became(changes, 'parent', 'status', 'children', 'why')).toEqual({
    c: ['q', 'failed', 0, null],
    p: [null, 'done', 1, null],
    q: ['r', 'failed', 2, 'C (c) failed'],
    r: [null, 'failed', 1, 'Q (q) failed'],
  })
  expect(changes.above).toEqual([{ root: 'c', by: 1, itself: true }])
})

test.each<[string, Partial<Feature>, TaskEvent, TaskChanges['told']]>([
  ['done with the last', { tasks: 2, done: 1 }, DONE, [{ is: 'feature-done', feature: 'f', name: 'login' }]],
  ['failed with one', { tasks: 2 }, FAILED, [{ is: 'feature-failed', feature: 'f', name: 'login' }]],
  ['not again with another', { tasks: 2, failed: 1 }, FAILED, []],
])('a feature is %s', (_, counts, event, told) => {
  const from = rows([node('c', { feature: 'f' })], { features: [feature(counts)] })
  expect(applyTaskEvent(from, 'c', event).told).toEqual(told)
})

test('edges, times and order touch the task alone', () => {
  const from = rows([node('c', { waits: 1 })])
  const looked = (event: TaskEvent): unknown => {
    const changes = applyTaskEvent(from, 'c', event)
    return [became(changes, 'waits', 'scheduled', 'priority'), changes.look, changes.features]
  }
  expect(looked({ is: 'edge-added', blockerIsDone: false })).toEqual([{ c: [2, false, 0] }, ['c'], []])
  expect(looked({ is: 'edge-added', blockerIsDone: true })).toEqual([{}, [], []])
  expect(looked({ is: 'edge-removed', blockerIsDone: false })).toEqual([{ c: [0, false, 0] }, ['c'], []])
  expect(looked({ is: 'timed', notBefore: 9, scheduled: true })).toEqual([{ c: [1, true, 0] }, ['c'], []])
  expect(looked({ is: 'reordered', priority: 4 })).toEqual([{ c: [1, false, 4] }, ['c'], []])
  expect(looked({ is: 'featured', feature: null, leaves: NO_PART_COUNTS })).toEqual([{}, [], []])
})

function feature(counts: Partial<Feature>): Feature {
  return {
    id: 'f',
    n: 1,
    name: 'login',
    stage: 'ready',
    spec: null,
    plan: null,
    accepted: null,
    tasks: 0,
    done: 0,
    failed: 0,
    going: 0,
    createdAt: 1,
    updatedAt: 1,
    ...counts,
  }
}
