import { expect, test } from 'vitest'
import { newTask, type TaskScope, type TaskCounts } from '../../core/tasks/task.ts'
import type { Store } from '../db/open-store.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { addTasks } from './add-tasks.ts'
import { applyEventToTask } from './apply-event.ts'
import { loadTaskOverview } from './task-counts.ts'

const NONE: TaskCounts = { all: 0, done: 0, failed: 0, going: 0, ready: 0, blocked: 0, scheduled: 0 }

/** A parent of two, one that failed with somebody waiting for it, and a sleeper. */
async function aGraph(): Promise<Store> {
  const store = await makeTestStore()
  await addTasks(
    store.sql,
    [
      newTask('Page', { id: 'p' }),
      newTask('Button', { id: 'a', parent: 'p' }),
      newTask('Form', { id: 'b', parent: 'p', blockers: ['a'] }),
      newTask('Tax', { id: 'x', feature: 'money' }),
      newTask('Show it', { id: 'c', blockers: ['x'], feature: 'money' }),
      newTask('Later', { id: 's', notBefore: 100 }),
    ],
    1,
  )
  await store.sql.transaction((tx) =>
    applyEventToTask(tx, 'x', { is: 'failed', why: 'red', retries: 0, verification: null }, 2),
  )
  return store
}

async function feature({ sql }: Store): Promise<TaskScope> {
  const row = await sql.get<{ id: string }>('select id from features')
  return { is: 'feature', feature: row?.id ?? '' }
}

test('leaves are counted by what keeps them, for all, a feature and a subtree', async () => {
  const store = await aGraph()
  const counts = async (scope: TaskScope): Promise<TaskCounts> => (await loadTaskOverview(store.sql, scope, 50)).counts
  expect(await counts({ is: 'all' })).toEqual({
    ...NONE,
    all: 5,
    failed: 1,
    ready: 1,
    blocked: 2,
    scheduled: 1,
  })
  expect(await counts(await feature(store))).toEqual({ ...NONE, all: 2, failed: 1, blocked: 1 })
  expect(await counts({ is: 'task', task: 'p' })).toEqual({ ...NONE, all: 2, ready: 1, blocked: 1 })
  expect(await counts({ is: 'task', task: 'b' })).toEqual({ ...NONE, all: 1, blocked: 1 })
})

test('whose time has come is ready for who looks on, before anybody has written it', async () => {
  const { sql } = await aGraph()
  expect((await loadTaskOverview(sql, { is: 'all' }, 100)).counts).toMatchObject({ ready: 2, scheduled: 0 })
})

test('what others wait for is told where nothing is ready, what failed always', async () => {
  const store = await aGraph()
  const failed = [{ task: 'x', title: 'Tax', why: 'red' }]
  expect(await loadTaskOverview(store.sql, { is: 'all' }, 50)).toMatchObject({ waiting: [], failed })
  expect(await loadTaskOverview(store.sql, await feature(store), 50)).toMatchObject({
    waiting: [{ task: 'c', title: 'Show it', for: [{ task: 'x', title: 'Tax', status: 'failed' }] }],
    failed,
  })
})
