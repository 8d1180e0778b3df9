import { expect, test } from 'vitest'
import { newTask, type TaskScope, type TaskId } from '../../core/tasks/task.ts'
import type { TaskBoard } from '../../core/presentation/task-board.ts'
import type { Store } from '../db/open-store.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { addTasks } from './add-tasks.ts'
import { loadTaskBoard } from './task-board.ts'
import { applyEventToTask } from './apply-event.ts'

const ALL: TaskScope = { is: 'all' }
const MANY = 1_100

/** A crowd that is ready, and after it, where nobody scrolls to: one that failed below two parents, and one that waits for it. */
async function aCrowd(): Promise<Store> {
  const store = await makeTestStore()
  await store.sql.transaction((tx) =>
    addTasks(
      tx,
      [
        ...Array.from({ length: MANY }, (_, i) => newTask(`Do ${i}`, { id: `c${i}`, feature: 'crowd' })),
        newTask('House', { id: 'house' }),
        newTask('Roof', { id: 'roof', parent: 'house' }),
        newTask('Tiles', { id: 'tiles', parent: 'roof' }),
        newTask('Paint', { id: 'paint', blockers: ['house'] }),
      ],
      1,
    ),
  )
  await fail(store, 'tiles')
  return store
}

async function fail({ sql }: Store, task: TaskId): Promise<void> {
  await sql.transaction((tx) =>
    applyEventToTask(tx, task, { is: 'failed', why: 'red', retries: 0, verification: null }, 2),
  )
}

function ids({ tasks }: TaskBoard): TaskId[] {
  return tasks.map(({ id }) => id)
}

test('of a large graph what failed and who waits for it is there, wherever it stands, with all above it', async () => {
  const { sql } = await aCrowd()
  const board = await loadTaskBoard(sql, ALL, 'none')
  const last = board.tasks.slice(-4).map(({ id, depth, status, why }) => [id, depth, status, why])
  expect(last).toEqual([
    ['house', 0, 'failed', 'Roof (roof) failed'],
    ['roof', 1, 'failed', 'Tiles (tiles) failed'],
    ['tiles', 2, 'failed', 'red'],
    ['paint', 0, 'blocked', 'waits for house (failed)'],
  ])
  expect(ids(board)[0]).toBe('c0')
  expect(board.tasks.length).toBeLessThan(MANY)
  expect(board.counts.all).toBe(MANY + 2)
})

test('a feature and a subtree show nothing of what is beside them', async () => {
  const { sql } = await aCrowd()
  const row = await sql.get<{ id: string }>('select id from features')
  const feature = await loadTaskBoard(sql, { is: 'feature', feature: row?.id ?? '' }, 'none')
  expect(ids(feature)).not.toContain('tiles')
  expect(ids(feature)[0]).toBe('c0')
  expect(ids(await loadTaskBoard(sql, { is: 'task', task: 'roof' }, 'none'))).toEqual(['roof', 'tiles'])
})

test('of a large subtree too, what failed is there', async () => {
  const store = await makeTestStore()
  const below = Array.from({ length: MANY }, (_, i) => newTask(`Do ${i}`, { id: `c${i}`, parent: 'p' }))
  await addTasks(store.sql, [newTask('All', { id: 'p' }), ...below, newTask('Beside', { id: 'x' })], 1)
  await fail(store, `c${MANY - 1}`)
  await fail(store, 'x')
  const board = await loadTaskBoard(store.sql, { is: 'task', task: 'p' }, 'none')
  expect(board.tasks[0]).toMatchObject({ id: 'p', depth: 0 })
  expect(board.tasks.at(-1)).toMatchObject({ id: `c${MANY - 1}`, depth: 1, status: 'failed' })
})

test('of many that it waits for, those that failed are named first, and the others counted', async () => {
  const store = await makeTestStore()
  const blockers = Array.from({ length: 50 }, (_, i) => `b${i}`)
  await addTasks(
    store.sql,
    [...blockers.map((id) => newTask(id, { id })), newTask('Last', { id: 'last', blockers })],
    1,
  )
  await fail(store, 'b7')
  const { tasks } = await loadTaskBoard(store.sql, ALL, 'none')
  expect(tasks.at(-1)?.why).toBe('waits for b7 (failed), b0 (pending), b1 (pending) and 47 more')
})
