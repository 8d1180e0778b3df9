import { expect, test } from 'vitest'
import { newTask, scopeKey, type Scope } from '../../domain/task/task.ts'
import type { Sql } from '../db/sql.ts'
import { aStore } from '../test-kit.ts'
import { addTasks } from './add.ts'
import { DUE, READY_IN_SCOPE, readyTasks } from './ready.ts'

/** Twenty roots with children; every fifth leaf sleeps, every third waits. */
async function grown(count: number): Promise<Sql> {
  const { sql } = await aStore()
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

test('what is ready is one read of an index for each kind of scope, with ten thousand tasks as with a hundred', async () => {
  for (const count of [100, 10_000]) {
    const sql = await grown(count)
    const feature = await sql.get<{ id: string }>('select id from features')
    const scopes: Scope[] = [
      { is: 'all' },
      { is: 'feature', feature: feature?.id ?? '' },
      { is: 'task', task: 'x7' },
    ]
    for (const scope of scopes) {
      const plan = await sql.all<{ detail: string }>(
        `explain query plan ${READY_IN_SCOPE}`,
        scopeKey(scope),
        20,
      )
      expect(plan.map(({ detail }) => detail)).toEqual(['SEARCH ready USING PRIMARY KEY (scope=?)'])
      const { asked, counting } = counted(sql)
      expect((await readyTasks(counting, scope, { at: 2, limit: 3 })).length).toBe(3)
      expect(asked.length).toBe(2)
    }
    const due = await sql.all<{ detail: string }>(`explain query plan ${DUE}`, 2)
    expect(due.map(({ detail }) => detail)).toEqual(['SEARCH tasks USING INDEX tasks_asleep (not_before<?)'])
  }
})

test('who only reads sees sleepers whose time has come, in their order', async () => {
  const { sql } = await aStore()
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
  const at = async (now: number, scope: Scope): Promise<string[]> =>
    (await readyTasks(sql, scope, { at: now, limit: 2 })).map(({ id }) => id)
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

function counted(sql: Sql): { asked: string[]; counting: Sql } {
  const asked: string[] = []
  return {
    asked,
    counting: {
      ...sql,
      all: (text, ...values) => {
        asked.push(text)
        return sql.all(text, ...values)
      },
    },
  }
}
