import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Store } from './db/open.ts'
import type { Sql } from './db/sql.ts'
import {
  addEdge,
  addTask,
  childrenOf,
  deleteTask,
  findTask,
  readyTasks,
  READY_IN_ORDER,
  removeEdge,
  setStatus,
  type TaskStatus,
} from './tasks.ts'
import { aStore } from './test-kit.ts'

const task = (id: string, given: { parent?: string; priority?: number; at?: number } = {}) => ({
  id,
  parent: given.parent ?? null,
  title: `Task ${id}`,
  description: '',
  priority: given.priority ?? 0,
  at: given.at ?? 1,
})

async function withTasks(...ids: string[]): Promise<Store> {
  const store = await aStore()
  for (const id of ids) await addTask(store.sql, task(id))
  return store
}

const ready = async (sql: Sql): Promise<string[]> => (await readyTasks(sql, 100)).map((found) => found.id)

test('a task is kept whole', async () => {
  const { sql } = await aStore()
  await addTask(sql, {
    id: 't1',
    parent: null,
    title: 'Log in',
    description: 'With a form.',
    priority: 3,
    at: 9,
  })
  expect(await findTask(sql, 't1')).toEqual({
    id: 't1',
    parent: null,
    title: 'Log in',
    description: 'With a form.',
    status: 'pending',
    priority: 3,
    blockers: 0,
    children: 0,
    attempt: 0,
    createdAt: 9,
    updatedAt: 9,
  })
  expect(await findTask(sql, 't2')).toBeNull()
})

describe('ready', () => {
  test('comes by priority, then age, then id', async () => {
    const { sql } = await aStore()
    await addTask(sql, task('b', { priority: 1, at: 1 }))
    await addTask(sql, task('d', { priority: 0, at: 5 }))
    await addTask(sql, task('c', { priority: 0, at: 5 }))
    await addTask(sql, task('a', { priority: 0, at: 4 }))
    expect(await ready(sql)).toEqual(['a', 'c', 'd', 'b'])
  })

  test('is a leaf whose blockers are all done', async () => {
    const { sql } = await withTasks('a', 'b', 'c', 'root')
    await addTask(sql, task('leaf', { parent: 'root' }))
    await addEdge(sql, { blocker: 'a', blocked: 'c' })
    await addEdge(sql, { blocker: 'b', blocked: 'c' })
    const steps = [await ready(sql)]
    for (const [id, status] of [
      ['a', 'done'],
      ['b', 'failed'],
      ['b', 'done'],
      ['a', 'pending'],
    ] as const) {
      await setStatus(sql, id, status, 2)
      steps.push(await ready(sql))
    }
    expect(steps).toEqual([['a', 'b', 'leaf'], ['b', 'leaf'], ['leaf'], ['c', 'leaf'], ['a', 'leaf']])
  })

  test('reads its index and sorts nothing, on 20,000 tasks as on ten', async () => {
    const { sql } = await aStore()
    await sql.run(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
       insert into tasks (id, title, description, status, priority, blockers, created_at, updated_at)
       select 't' || i, 'Task', '', 'pending', i % 5, i % 3, i, i from n`,
    )
    const plan = await sql.all<{ detail: string }>(
      `explain query plan select id, title ${READY_IN_ORDER}`,
      20,
    )
    expect(plan.map((line) => line.detail)).toEqual(['SCAN tasks USING INDEX tasks_ready'])
    expect((await readyTasks(sql, 2)).map((found) => found.id)).toEqual(['t15', 't30'])
  })
})

describe('an edge', () => {
  test('given twice counts once', async () => {
    const { sql } = await withTasks('a', 'b')
    for (let i = 0; i < 2; i++) await addEdge(sql, { blocker: 'a', blocked: 'b' })
    const blocked = (await findTask(sql, 'b'))?.blockers
    for (let i = 0; i < 2; i++) await removeEdge(sql, { blocker: 'a', blocked: 'b' })
    expect([blocked, (await findTask(sql, 'b'))?.blockers]).toEqual([1, 0])
  })

  test('that closes a circle is refused, however long the way round', async () => {
    const { sql } = await withTasks('a', 'b', 'c')
    await addEdge(sql, { blocker: 'a', blocked: 'b' })
    await addEdge(sql, { blocker: 'b', blocked: 'c' })
    for (const blocker of ['a', 'b', 'c']) {
      await expect(addEdge(sql, { blocker, blocked: 'a' })).rejects.toMatchObject({ code: 'usage' })
    }
    expect(await ready(sql)).toEqual(['a'])
  })

  test('to a task that is not there is refused by name', async () => {
    const { sql } = await withTasks('a')
    await expect(addEdge(sql, { blocker: 'a', blocked: 'x' })).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no task x',
    })
  })
})

test('a second task with the same id is refused and changes nothing', async () => {
  const { sql } = await withTasks('a', 'b')
  await expect(addTask(sql, task('a', { parent: 'b' }))).rejects.toMatchObject({ code: 'usage' })
  expect([await childrenOf(sql, 'b'), (await findTask(sql, 'b'))?.children]).toEqual([[], 0])
})

test('deleting a task takes its subtree along and frees what waited for it', async () => {
  const { sql } = await withTasks('root', 'other')
  await addTask(sql, task('child', { parent: 'root' }))
  await addTask(sql, task('grandchild', { parent: 'child' }))
  await addEdge(sql, { blocker: 'grandchild', blocked: 'other' })
  await deleteTask(sql, 'child')
  expect([await ready(sql), (await findTask(sql, 'root'))?.children]).toEqual([['other', 'root'], 0])
})

describe('the kept counters', () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const id = fc.constantFrom(...ids)
  const statuses: TaskStatus[] = ['pending', 'in_progress', 'done', 'blocked', 'failed']
  const change = fc.oneof(
    fc.record({ do: fc.constant('add' as const), id, parent: fc.option(id) }),
    fc.record({ do: fc.constant('delete' as const), id }),
    fc.record({ do: fc.constant('status' as const), id, status: fc.constantFrom(...statuses) }),
    fc.record({ do: fc.constant('edge' as const), blocker: id, blocked: id }),
    fc.record({ do: fc.constant('no-edge' as const), blocker: id, blocked: id }),
  )
  type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

  async function apply(sql: Sql, asked: Change): Promise<void> {
    switch (asked.do) {
      case 'add':
        return addTask(sql, task(asked.id, asked.parent === null ? {} : { parent: asked.parent }))
      case 'delete':
        return deleteTask(sql, asked.id)
      case 'status':
        return setStatus(sql, asked.id, asked.status, 2)
      case 'edge':
        return addEdge(sql, asked)
      case 'no-edge':
        return removeEdge(sql, asked)
    }
  }

  /** The graph as it would be computed from nothing but tasks and edges. */
  const computed = (sql: Sql): Promise<unknown[]> =>
    sql.all(`select id,
      (select count(*) from edges join tasks b on b.id = blocker where blocked = t.id and b.status <> 'done') as blockers,
      (select count(*) from tasks c where c.parent = t.id) as children
      from tasks t order by id`)

  test('always equal the computed ones', async () => {
    const { sql } = await aStore()
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
        const undone = sql.transaction(async (tx) => {
          for (const asked of changes) {
            // A change that makes no sense is refused whole; the counters must hold then too.
            await apply(tx, asked).catch((error: unknown) => expect(error).toHaveProperty('code'))
            expect(await tx.all('select id, blockers, children from tasks order by id')).toEqual(
              await computed(tx),
            )
          }
          throw new Error('undo')
        })
        await expect(undone).rejects.toThrow(/^undo$/)
      }),
      { numRuns: 60 },
    )
  })
})
