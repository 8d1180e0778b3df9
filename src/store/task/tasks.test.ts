/** What people ask of the graph and do to it, where the random walk of `graph.test.ts` does not look: names, words, refusals, lists. */
import { describe, expect, test } from 'vitest'
import { RalphError } from '../../core/error.ts'
import { newTask, type NewTask } from '../../core/tasks/task.ts'
import { claimTask, findLostClaims, endTaskClaim } from './claims.ts'
import type { Sql } from '../db/sql.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { addTask } from '../../../test/kit/task-writes.ts'
import { addTasks } from './add-tasks.ts'
import { unmetBlockersOf } from './task-counts.ts'
import { addEdge, removeEdge } from './edges.ts'
import { addFeature, findFeature, listFeatures } from './features.ts'
import { findTask, findTaskByPrefix } from './find-task.ts'
import { childrenOf, loadTaskDependencies, ALL_TASKS_QUERY, listTasks, taskTree, type TaskQuery } from './list-tasks.ts'
import { addTaskLogEntry, loadTaskLog } from './task-log.ts'
import { markTask, resetTask } from './mark-task.ts'
import { removeTask } from './remove-task.ts'
import { updateTask } from './update-task.ts'

async function withTasks(...tasks: (string | NewTask)[]): Promise<Sql> {
  const { sql } = await makeTestStore()
  await addTasks(
    sql,
    tasks.map((task) => (typeof task === 'string' ? newTask(`Task ${task}`, { id: task }) : task)),
    1,
  )
  return sql
}

const child = (id: string, parent: string, more: Partial<NewTask> = {}): NewTask =>
  newTask(`Task ${id}`, { id, parent, ...more })

async function refusal(work: Promise<unknown>): Promise<{ code: string; message: string; hint?: string }> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof RalphError)) throw new Error(`it was not refused: ${String(error)}`)
  return {
    code: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  }
}

const claimed = (sql: Sql) =>
  sql.transaction((tx) => claimTask(tx, { scope: { is: 'all' }, run: 'r1', worker: '1', at: 10, leaseMs: 90 }))

test('a task is kept whole', async () => {
  const sql = await withTasks()
  const id = await addTask(
    sql,
    newTask('Log in', {
      description: 'With a form.\n\tAnd a link.',
      priority: 3,
      maxRetries: 0,
      notBefore: 500,
      feature: 'login',
      checks: ['npm test -- login'],
      tests: ['test/login/**'],
      criteria: ['A wrong password is refused.'],
    }),
    9,
  )
  expect(id).toMatch(/^t-[0-9a-hjkmnp-tv-z]{5}$/)
  expect(await findTask(sql, id)).toEqual({
    id,
    n: 1,
    parent: null,
    feature: (await findFeature(sql, 'login'))?.id,
    title: 'Log in',
    description: 'With a form.\n\tAnd a link.',
    status: 'pending',
    priority: 3,
    maxRetries: 0,
    notBefore: 500,
    checks: ['npm test -- login'],
    tests: ['test/login/**'],
    criteria: ['A wrong password is refused.'],
    children: 0,
    childrenDone: 0,
    childrenFailed: 0,
    childrenGoing: 0,
    waits: 0,
    above: 0,
    scheduled: true,
    attempt: 0,
    retries: 0,
    verification: null,
    why: null,
    claimedBy: null,
    archivedAt: null,
    createdAt: 9,
    updatedAt: 9,
  })
})

describe('a task is found', () => {
  test.each([
    ['t-abc12', 't-abc12'],
    ['abc12', 't-abc12'],
    ['t-abc1', 't-abc12'],
    ['abd', 't-abd00'],
    // A whole id counts before any beginning.
    ['t-ab', 't-ab'],
    ['ab', 't-ab'],
    ['login', 'login.1'],
  ])('%s means %s', async (typed, id) => {
    const sql = await withTasks('t-abc12', 't-abd00', 't-ab', 'login.1')
    expect((await findTaskByPrefix(sql, typed)).id).toBe(id)
  })

  test('or not: what could be several is listed, what is none is said', async () => {
    const sql = await withTasks('t-abc12', 't-abd00')
    expect(await refusal(findTaskByPrefix(sql, 'a'))).toEqual({
      code: 'usage',
      message: '"a" matches several tasks',
      hint: 'Type more of its id.',
    })
    expect((await refusal(findTaskByPrefix(sql, 'x'))).message).toBe('there is no task x')
    expect((await refusal(findTaskByPrefix(sql, ''))).code).toBe('not-found')
  })
})

describe('bad input is refused in words, and nothing is written', () => {
  test.each<[string, NewTask[], string]>([
    ['a second id', [newTask('A', { id: 'a' })], 'task a already exists'],
    [
      'two alike in a list',
      [newTask('X', { id: 'x', line: 1 }), newTask('X', { id: 'x', line: 4 })],
      'line 4: there are two tasks with the id x; the first is on line 1',
    ],
    [
      'an unknown parent',
      [newTask('X', { parent: 'nobody', line: 9_999 })],
      'line 9999: there is no task nobody (given as its parent)',
    ],
    ['an unknown blocker', [newTask('X', { blockers: ['no'] })], 'there is no task no (given as its blocker)'],
    ['itself', [newTask('X', { id: 'x', blockers: ['x'] })], 'circular dependency: x "X" → x'],
    [
      'a child that waits for its parent',
      [newTask('X', { id: 'x', parent: 'a', blockers: ['a'] })],
      'circular dependency: x "X" → a "Task a" → x',
    ],
    [
      'parents of each other',
      [newTask('X', { id: 'x', parent: 'y' }), newTask('Y', { id: 'y', parent: 'x' })],
      'circular dependency: x "X" → y "Y" → x',
    ],
    [
      'a cycle through what was there',
      [newTask('X', { id: 'x', parent: 'a', blockers: ['b'] })],
      'circular dependency: x "X" → b "Task b" → a "Task a" → x',
    ],
    ['an empty title', [newTask(' ')], 'the title is empty'],
    [
      'a title of a megabyte',
      [newTask('x'.repeat(1 << 20))],
      'the title has 1048576 characters; at most 500 are allowed; put more into the description',
    ],
    ['an unknown feature id', [newTask('X', { feature: 'f-00000' })], 'there is no feature f-00000'],
  ])('%s', async (_, tasks, message) => {
    const sql = await withTasks('a', newTask('Task b', { id: 'b', blockers: ['a'] }))
    expect((await refusal(addTasks(sql, tasks, 2))).message).toBe(message)
    expect((await listTasks(sql, { ...ALL_TASKS_QUERY, at: 1 })).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test('a tree of more than 64 levels', async () => {
    const levels = (count: number, parent: string | null): NewTask[] =>
      Array.from({ length: count }, (_, i) =>
        newTask('T', {
          id: `${parent ?? 'top'}-${i}`,
          parent: i === 0 ? parent : `${parent ?? 'top'}-${i - 1}`,
        }),
      )
    const sql = await withTasks(...levels(64, null))
    const message = /lies 65 levels deep|would be 65 levels deep/
    expect((await refusal(addTasks(sql, levels(1, 'top-63'), 2))).message).toMatch(message)
    await addTasks(sql, [newTask('Other', { id: 'other' })], 2)
    expect((await refusal(updateTask(sql, 'other', { parent: 'top-63' }, 3))).message).toMatch(message)
  })

  test('children of what somebody works on', async () => {
    const sql = await withTasks('a', 'b')
    await claimed(sql)
    const message = 'task a is being worked on by r1/1: it can have children when that is over'
    expect((await refusal(addTasks(sql, [child('x', 'a')], 20))).message).toBe(message)
    expect((await refusal(updateTask(sql, 'b', { parent: 'a' }, 20))).message).toBe(message)
  })
})

test('a list may name later lines, and what came of tasks elsewhere is kept', async () => {
  const past = { why: 'no', retries: 2, verification: 'failed', createdAt: 3, updatedAt: 4 } as const
  const sql = await withTasks(
    child('x', 'root', { blockers: ['y'], past: { ...past, status: 'failed' } }),
    child('y', 'root', { past: { ...past, status: 'done', why: null } }),
    'root',
  )
  const [root, x] = [await findTask(sql, 'root'), await findTask(sql, 'x')]
  expect(root).toMatchObject({
    status: 'failed',
    why: 'Task x (x) failed',
    children: 2,
    childrenDone: 1,
    childrenFailed: 1,
  })
  expect(x).toMatchObject({
    status: 'failed',
    why: 'no',
    retries: 2,
    verification: 'failed',
    createdAt: 3,
    waits: 0,
  })
})

describe('a child', () => {
  test('of a task that was done makes it pending, and its dependents wait again', async () => {
    const sql = await withTasks('a', newTask('B', { id: 'b', blockers: ['a'] }))
    await markTask(sql, 'a', { as: 'done', why: null, by: 'human', at: 2 })
    const { changes } = await addTasks(sql, [child('c', 'a')], 3)
    expect(changes).toEqual([
      { is: 'parent-healed', task: 'a', title: 'Task a' },
      { is: 'blocked', task: 'b', title: 'B' },
    ])
  })

  test('belongs to the feature of its parent unless it says another', async () => {
    const sql = await withTasks(
      newTask('R', { id: 'r', feature: 'one' }),
      child('c', 'r'),
      child('d', 'r', { feature: 'two' }),
    )
    const [one, two] = await listFeatures(sql)
    expect([(await findTask(sql, 'c'))?.feature, (await findTask(sql, 'd'))?.feature]).toEqual([one?.id, two?.id])
    expect([one, two]).toMatchObject([
      { name: 'one', tasks: 1 },
      { name: 'two', tasks: 1 },
    ])
  })
})

describe('what a person says of a task', () => {
  test('is told of all that follows, and heals again', async () => {
    const sql = await withTasks(
      newTask('R', { id: 'r', feature: 'login' }),
      child('c', 'r'),
      child('d', 'r'),
      newTask('After', { id: 'after', blockers: ['r'] }),
    )
    const feature = (await findFeature(sql, 'login'))?.id
    const mark = async (id: string, as: 'done' | 'failed') =>
      (await markTask(sql, id, { as, why: null, by: 'human', at: 2 })).changes
    expect([await mark('c', 'failed'), (await findTask(sql, 'r'))?.why, await mark('d', 'done')]).toEqual([
      [
        { is: 'parent-failed', task: 'r', title: 'R' },
        { is: 'feature-failed', feature, name: 'login' },
      ],
      'Task c (c) failed',
      [],
    ])
    expect(await resetTask(sql, 'r', { all: false, by: 'human', at: 3 })).toEqual({
      tasks: ['c'],
      lost: [],
      changes: [
        { is: 'parent-healed', task: 'r', title: 'R' },
        { is: 'feature-healed', feature, name: 'login' },
      ],
    })
    expect(await mark('c', 'done')).toEqual([
      { is: 'parent-done', task: 'r', title: 'R' },
      { is: 'unblocked', task: 'after', title: 'After' },
      { is: 'feature-done', feature, name: 'login' },
    ])
    expect((await resetTask(sql, 'r', { all: true, by: 'human', at: 4 })).tasks).toEqual(['c', 'd'])
  })

  test('takes it from whoever works on it', async () => {
    const sql = await withTasks('a')
    await claimed(sql)
    expect((await markTask(sql, 'a', { as: 'failed', why: 'wrong', by: 'human', at: 20 })).lost).toEqual(['a'])
    const claim = { task: 'a', attempt: 1 }
    expect(await findLostClaims(sql, 'r1', [claim])).toMatchObject([claim])
    const late = {
      ...claim,
      as: 'done',
      why: null,
      retries: 0,
      verification: null,
      from: null,
      to: null,
      at: 30,
    } as const
    expect(await sql.transaction((tx) => endTaskClaim(tx, late))).toEqual({ held: false, changes: [] })
    expect(await findTask(sql, 'a')).toMatchObject({ status: 'failed', why: 'wrong', claimedBy: null })
    expect(await loadTaskLog(sql, 'a', 5)).toEqual([
      { n: 1, task: 'a', at: 20, author: 'human', kind: 'failed', text: 'wrong' },
    ])
  })

  test('is refused of one with children', async () => {
    const sql = await withTasks('r', child('c', 'r'))
    const marking = markTask(sql, 'r', { as: 'done', why: null, by: 'human', at: 2 })
    expect(await refusal(marking)).toEqual({
      code: 'usage',
      message: 'task r cannot be marked done: its status follows from its 1 child',
      hint: 'Mark its subtasks instead: ralph task tree r',
    })
  })
})

describe('deleting', () => {
  const graph = () =>
    withTasks(
      'r',
      child('c', 'r'),
      child('d', 'c', { blockers: ['e'] }),
      'e',
      newTask('W', { id: 'w', blockers: ['d'] }),
    )

  test('is refused where somebody waits, who is named', async () => {
    const sql = await graph()
    expect(await refusal(removeTask(sql, 'c', { unblock: false, at: 2 }))).toEqual({
      code: 'usage',
      message: 'task c cannot be deleted: 1 other task would wait for it forever',
      hint: 'Delete it and unblock them: ralph task delete c --unblock',
    })
  })

  test('or says whom it releases', async () => {
    const sql = await graph()
    expect(await removeTask(sql, 'c', { unblock: true, at: 2 })).toEqual({
      removed: ['c', 'd'],
      archived: [],
      released: [{ id: 'w', title: 'W' }],
      changes: [{ is: 'unblocked', task: 'w', title: 'W' }],
    })
    expect((await taskTree(sql, { is: 'all' })).map(({ task }) => task.id)).toEqual(['r', 'e', 'w'])
  })

  test('keeps what has a history, and its log; it is in no list and cannot be changed', async () => {
    const sql = await withTasks('r', child('c', 'r'), child('d', 'r'))
    const answer = await claimed(sql)
    expect(answer.is === 'claimed' && answer.task.id).toBe('c')
    expect((await refusal(removeTask(sql, 'r', { unblock: false, at: 20 }))).message).toBe(
      'task c is being worked on by r1/1',
    )
    const end = {
      task: 'c',
      attempt: 1,
      as: 'failed',
      why: 'no',
      retries: 0,
      verification: null,
      from: null,
      to: null,
      at: 20,
    } as const
    await sql.transaction((tx) => endTaskClaim(tx, end))
    expect(await removeTask(sql, 'r', { unblock: false, at: 30 })).toMatchObject({
      removed: ['d'],
      archived: ['r', 'c'],
    })
    const ids = async (query: Partial<TaskQuery>) =>
      (await listTasks(sql, { ...ALL_TASKS_QUERY, at: 1, ...query })).map(({ id }) => id)
    expect([await ids({}), await ids({ archived: true })]).toEqual([[], ['r', 'c']])
    expect((await loadTaskLog(sql, 'c', 9)).map(({ text }) => text)).toEqual(['no'])
    expect((await refusal(updateTask(sql, 'c', { title: 'Other' }, 40))).message).toBe('task c was deleted')
    expect((await refusal(addTasks(sql, [child('x', 'r')], 40))).message).toBe(
      'task r, which is named as its parent, was deleted',
    )
  })
})

describe('lists', () => {
  const rich = () =>
    withTasks(
      newTask('Zeta', { id: 'a', priority: 1 }),
      newTask('Alpha login', { id: 'b', feature: 'one' }),
      child('c', 'b', { blockers: ['a'] }),
      child('d', 'b', { priority: 5 }),
      newTask('Asleep', { id: 'e', notBefore: 500, description: 'LOGIN later' }),
    )

  test.each<[string, Partial<TaskQuery>, string[]]>([
    ['all, by priority', {}, ['b', 'c', 'e', 'a', 'd']],
    ['as they came', { sort: 'order' }, ['a', 'b', 'c', 'd', 'e']],
    ['by title', { sort: 'title', limit: 2 }, ['b', 'e']],
    ['blocked', { statuses: ['blocked'] }, ['c']],
    ['two statuses', { statuses: ['blocked', 'pending'], limit: 2 }, ['b', 'c']],
    ['ready', { ready: true }, ['a', 'd']],
    ['ready, as they came', { ready: true, sort: 'order', limit: 1 }, ['a']],
    ['ready, in a subtree', { ready: true, scope: { is: 'task', task: 'b' } }, ['d']],
    ['a subtree', { scope: { is: 'task', task: 'b' } }, ['b', 'c', 'd']],
    ['a subtree, blocked', { scope: { is: 'task', task: 'b' }, statuses: ['blocked'] }, ['c']],
    ['children', { parent: 'b' }, ['c', 'd']],
    ['those without a parent', { parent: null }, ['b', 'e', 'a']],
    ['without a feature', { standalone: true }, ['e', 'a']],
    ['text, capitals or not', { text: 'login', limit: 5 }, ['b', 'e']],
  ])('%s', async (_, query, ids) => {
    const sql = await rich()
    const found = await listTasks(sql, { ...ALL_TASKS_QUERY, at: 2, ...query })
    expect(found.map(({ id }) => id)).toEqual(ids)
  })

  test('the tree, children, edges and what a task waits for', async () => {
    const sql = await rich()
    await addEdge(sql, { blocker: 'e', blocked: 'b' }, 3)
    expect((await taskTree(sql, { is: 'all' })).map(({ task, depth }) => `${depth}${task.id}`)).toEqual([
      '0b',
      '1c',
      '1d',
      '0e',
      '0a',
    ])
    expect((await childrenOf(sql, 'b')).map(({ id }) => id)).toEqual(['c', 'd'])
    expect(await loadTaskDependencies(sql, 'b')).toEqual({
      blockers: [{ id: 'e', title: 'Asleep', status: 'pending', feature: null }],
      blocks: [],
    })
    expect(await unmetBlockersOf(sql, 'c')).toEqual([
      { task: 'a', title: 'Zeta', status: 'pending', through: 'c' },
      { task: 'e', title: 'Asleep', status: 'pending', through: 'b' },
    ])
  })
})

test('an edge given twice counts once, and one that is not there cannot be removed', async () => {
  const sql = await withTasks('a', 'b')
  const edge = { blocker: 'a', blocked: 'b' }
  expect([
    await addEdge(sql, edge, 2),
    await addEdge(sql, edge, 2),
    await removeEdge(sql, edge, 2),
    await removeEdge(sql, edge, 2),
  ]).toEqual([
    { changed: true, changes: [{ is: 'blocked', task: 'b', title: 'Task b' }] },
    { changed: false, changes: [] },
    { changed: true, changes: [{ is: 'unblocked', task: 'b', title: 'Task b' }] },
    { changed: false, changes: [] },
  ])
})

test('what a task says is changed piece by piece', async () => {
  const sql = await withTasks('a')
  await updateTask(sql, 'a', { title: 'New', checks: ['npm test'], maxRetries: 1 }, 5)
  const { features } = await updateTask(sql, 'a', { description: 'More', feature: 'login' }, 6)
  expect(features.map(({ name }) => name)).toEqual(['login'])
  expect(await findTask(sql, 'a')).toMatchObject({
    title: 'New',
    description: 'More',
    checks: ['npm test'],
    maxRetries: 1,
    feature: features[0]?.id,
    updatedAt: 6,
  })
  expect((await refusal(updateTask(sql, 'a', { title: 'a\u001b[31m' }, 7))).message).toBe(
    'the title has an escape character (U+001B) as its character 2, which is not allowed',
  )
})

test('a feature has its documents and a name of its own', async () => {
  const { sql } = await makeTestStore()
  const made = await addFeature(sql, { id: null, name: 'login', stage: 'draft', spec: 'spec.md', plan: null }, 1)
  expect(await findFeature(sql, 'login')).toEqual(made)
  const again = addFeature(sql, { id: null, name: 'login', stage: 'draft', spec: null, plan: null }, 3)
  expect((await refusal(again)).message).toBe('feature login already exists')
  const bad = addFeature(sql, { id: null, name: '../up', stage: 'draft', spec: null, plan: null }, 3)
  expect((await refusal(bad)).message).toMatch(/^feature "..\/up" is not valid: a feature name begins with/)
})

test('the newest words of a log, the oldest of them first', async () => {
  const sql = await withTasks('a')
  for (const text of ['one', 'two', 'three'])
    await addTaskLogEntry(sql, { task: 'a', at: 2, author: 'human', kind: 'note', text })
  expect((await loadTaskLog(sql, 'a', 2)).map(({ text }) => text)).toEqual(['two', 'three'])
})
