import { expect, test } from 'vitest'
import { newTask, scopeKey, type TaskScope } from '../../core/tasks/task.ts'
import type { Sql, SqlValue } from '../db/sql.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { addTasks } from './add-tasks.ts'
import { claimTask, endTaskClaim } from './claims.ts'
import { addEdge, removeEdge } from './edges.ts'
import { markTask, resetTask } from './mark-task.ts'
import { DUE_TASKS_SQL, READY_IN_SCOPE_SQL, listReadyTasks } from './ready-tasks.ts'
import { removeTask } from './remove-task.ts'
import { updateTask } from './update-task.ts'

/** Twenty roots with children; every fifth leaf sleeps, every third waits. */
async function grown(count: number): Promise<Sql> {
  const { sql } = await makeTestStore()
  const tasks = Array.from({ length: count }, (_, i) =>
    newTask(`Task ${i}`, {
      id: `x${i}`,
      parent: i < 20 ? null : `x${i % 20}`,
      blockers: i % 3 === 0 && i > 40 ? [`x${i - 20}`] : [],
      feature: i % 2 === 0 ? 'even' : null,
      priority: i % 4,
      notBefore: i % 5 === 0 ? 1_000 : null,
    }),
  )
  await addTasks(sql, tasks, 1)
  return sql
}

test('what is ready is one read of an index for each kind of scope, with a thousand tasks as with a hundred', async () => {
  for (const count of [100, 1_000]) {
    const sql = await grown(count)
    const feature = await sql.get<{ id: string }>('select id from features')
    const scopes: TaskScope[] = [
      { is: 'all' },
      { is: 'feature', feature: feature?.id ?? '' },
      { is: 'task', task: 'x7' },
    ]
    for (const scope of scopes) {
      const plan = await sql.all<{ detail: string }>(`explain query plan ${READY_IN_SCOPE_SQL}`, scopeKey(scope), 20)
      expect(plan.map(({ detail }) => detail)).toEqual(['SEARCH ready USING PRIMARY KEY (scope=?)'])
      const asked: string[] = []
      const counting = heard(sql, (text) => asked.push(text))
      expect((await listReadyTasks(counting, scope, { at: 2, limit: 3 })).length).toBe(3)
      expect(asked.length).toBe(2)
    }
    const due = await sql.all<{ detail: string }>(`explain query plan ${DUE_TASKS_SQL}`, 2)
    expect(due.map(({ detail }) => detail)).toEqual(['SEARCH tasks USING INDEX tasks_scheduled (not_before<?)'])
  }
})

test('a change of one task reads only what it touches, however many are pending', async () => {
  const sql = await grown(200)
  const texts = new Map<string, SqlValue[]>()
  const hearing = heard(sql, (text, values) => texts.set(text, values))
  const how = { by: 'human', at: 2 } as const
  const edge = { blocker: 'x43', blocked: 'x44' }
  await markTask(hearing, 'x41', { ...how, as: 'done', why: null })
  await markTask(hearing, 'x42', { ...how, as: 'failed', why: null })
  await resetTask(hearing, 'x42', { ...how, all: false })
  await addEdge(hearing, edge, 2)
  await removeEdge(hearing, edge, 2)
  await updateTask(hearing, 'x46', { parent: 'x7', priority: 9 }, 2)
  const wanted = { scope: { is: 'all' }, run: 'r', worker: '1', at: 2, leaseMs: 1_000 } as const
  const claim = await hearing.transaction((tx) => claimTask(tx, wanted))
  if (claim.is !== 'claimed') throw new Error('nothing was ready')
  const { id: task, attempt } = claim.task
  const end = {
    task,
    attempt,
    as: 'done',
    why: null,
    retries: 0,
    verification: null,
    from: null,
    to: null,
    at: 3,
  } as const
  await hearing.transaction((tx) => endTaskClaim(tx, end))
  await removeTask(hearing, 'x47', { unblock: true, at: 4 })
  const scans: string[] = []
  for (const [text, values] of texts) {
    const plan = await sql.all<{ detail: string }>(`explain query plan ${text}`, ...values)
    // All that is pending is as much as there is.
    const wide = plan.find(({ detail }) =>
      /SCAN (tasks|ready|edges|claims)|tasks_by_status \(status=\?\)$/.test(detail),
    )
    if (wide !== undefined) scans.push(`${wide.detail}: ${text}`)
  }
  expect([texts.size > 20, scans]).toEqual([true, []])
})

test('who only reads sees sleepers whose time has come, in their order', async () => {
  const { sql } = await makeTestStore()
  await addTasks(
    sql,
    [
      newTask('Late', { id: 'late', priority: 2 }),
      newTask('Sleeper', { id: 'sleeper', priority: 1, notBefore: 50, parent: 'root' }),
      newTask('Root', { id: 'root' }),
      newTask('First', { id: 'first', parent: 'root' }),
    ],
    1,
  )
  const at = async (now: number, scope: TaskScope): Promise<string[]> =>
    (await listReadyTasks(sql, scope, { at: now, limit: 2 })).map(({ id }) => id)
  expect([
    await at(49, { is: 'all' }),
    await at(50, { is: 'all' }),
    await at(50, { is: 'task', task: 'root' }),
  ]).toEqual([
    ['first', 'late'],
    ['first', 'sleeper'],
    ['first', 'sleeper'],
  ])
})

/** Tells every statement, also those inside of transactions. */
function heard(sql: Sql, tell: (text: string, values: SqlValue[]) => void): Sql {
  return {
    ...sql,
    all: (text, ...values) => {
      tell(text, values)
      return sql.all(text, ...values)
    },
    get: (text, ...values) => {
      tell(text, values)
      return sql.get(text, ...values)
    },
    run: (text, ...values) => {
      tell(text, values)
      return sql.run(text, ...values)
    },
    transaction: (work) => sql.transaction((tx) => work(heard(tx, tell))),
  }
}
