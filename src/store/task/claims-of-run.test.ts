import { expect, test } from 'vitest'
import { newTask, type TaskScope } from '../../core/tasks/task.ts'
import type { Sql } from '../db/sql.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { addTasks } from './add-tasks.ts'
import { applyEventToTask } from './apply-event.ts'
import { claimTask, endTaskClaim } from './claims.ts'
import { countFinishedTasks } from './claims-of-run.ts'

const ALL: TaskScope = { is: 'all' }

async function work(sql: Sql, { run, as, at }: { run: string; as: 'done' | 'failed'; at: number }) {
  await sql.transaction(async (tx) => {
    const won = await claimTask(tx, { scope: ALL, run, worker: '1', at, leaseMs: 90 })
    if (won.is !== 'claimed') throw new Error('nothing is ready')
    const held = { task: won.task.id, attempt: won.task.attempt }
    await endTaskClaim(tx, {
      ...held,
      as,
      why: 'so',
      retries: 0,
      verification: null,
      from: 'h1',
      to: 'h2',
      at,
    })
  })
}

test('a task that failed and was done in the same run counts once, as what it came to', async () => {
  const { sql } = await makeTestStore()
  await addTasks(sql, [newTask('A', { id: 'a' })], 1)
  await work(sql, { run: 'r1', as: 'failed', at: 10 })
  await sql.transaction((tx) => applyEventToTask(tx, 'a', { is: 'reset' }, 20))
  await work(sql, { run: 'r1', as: 'done', at: 30 })
  expect(await countFinishedTasks(sql, 'r1')).toEqual({ done: 1, failed: 0 })
})
