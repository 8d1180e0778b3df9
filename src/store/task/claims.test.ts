import { describe, expect, test } from 'vitest'
import { newTask, type NewTask, type TaskScope } from '../../core/tasks/task.ts'
import {
  claimTask,
  renewClaims,
  EXPIRED_LEASES_SQL,
  findLostClaims,
  endTaskClaim,
  reclaimExpiredTasks,
  type ClaimResult,
  type TaskClaim,
} from './claims.ts'
import type { Store } from '../db/open-store.ts'
import type { Sql } from '../db/sql.ts'
import { addTasks } from './add-tasks.ts'
import { makeTestStore } from '../../../test/kit/store.ts'
import { releaseClaims } from '../../../test/kit/task-writes.ts'

const ALL: TaskScope = { is: 'all' }

interface Asked {
  run?: string
  worker?: string
  at?: number
  leaseMs?: number
  scope?: TaskScope
}

function claim(sql: Sql, asked: Asked = {}): Promise<ClaimResult> {
  const { run = 'r1', worker = '1', at = 10, leaseMs = 90, scope = ALL } = asked
  return sql.transaction((tx) => claimTask(tx, { scope, run, worker, at, leaseMs }))
}

async function won(sql: Sql, asked: Asked = {}): Promise<TaskClaim | null> {
  const answer = await claim(sql, asked)
  return answer.is === 'claimed' ? { task: answer.task.id, attempt: answer.task.attempt } : null
}

function settle(sql: Sql, held: TaskClaim, as: 'done' | 'failed' | 'released', at = 20) {
  return sql.transaction((tx) =>
    endTaskClaim(tx, { ...held, as, why: 'so', retries: 1, verification: null, from: 'h1', to: 'h2', at }),
  )
}

async function withTasks(...tasks: (string | NewTask)[]): Promise<Store> {
  const store = await makeTestStore()
  const all = tasks.map((task) => (typeof task === 'string' ? newTask(`Task ${task}`, { id: task }) : task))
  await addTasks(store.sql, all, 1)
  return store
}

const status = (sql: Sql, id: string) =>
  sql.get('select status, attempt, retries, why, claimed_by from tasks where id = ?', id)

describe('a claim', () => {
  test('takes the first ready task and numbers the attempt', async () => {
    const { sql } = await withTasks(newTask('A', { id: 'a', blockers: ['b'] }), 'b', 'c')
    expect([await won(sql), await won(sql), await won(sql)]).toEqual([
      { task: 'b', attempt: 1 },
      { task: 'c', attempt: 1 },
      null,
    ])
    expect(await status(sql, 'b')).toEqual({
      status: 'in_progress',
      attempt: 1,
      retries: 0,
      why: null,
      claimed_by: 'r1/1',
    })
  })

  test('says all that its worker needs', async () => {
    const { sql } = await withTasks(
      newTask('Log in', { id: 'a', maxRetries: 2, checks: ['npm test'], tests: ['test/**'] }),
    )
    expect(await claim(sql)).toEqual({
      is: 'claimed',
      task: {
        id: 'a',
        attempt: 1,
        title: 'Log in',
        feature: null,
        maxRetries: 2,
        checks: ['npm test'],
        tests: ['test/**'],
        retries: 0,
      },
    })
  })

  test('wanted by 50 at once over two connections has one winner', async () => {
    const one = await withTasks('a')
    const two = await makeTestStore(one.file)
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, i) => won((i % 2 === 0 ? one : two).sql, { worker: `${i}` })),
    )
    expect(claims.filter((found) => found !== null)).toEqual([{ task: 'a', attempt: 1 }])
    expect(await one.sql.get('select count(*) as claims from claims')).toEqual({ claims: 1 })
  })

  test('of a feature or of a subtree takes nothing else', async () => {
    const { sql } = await withTasks(
      'elsewhere',
      'root',
      newTask('Leaf', { id: 'leaf', parent: 'root' }),
      newTask('Featured', { id: 'featured', feature: 'login' }),
    )
    const feature = await sql.get<{ id: string }>('select id from features')
    const claims = [
      await won(sql, { scope: { is: 'task', task: 'root' } }),
      await won(sql, { scope: { is: 'task', task: 'root' } }),
      await won(sql, { scope: { is: 'feature', feature: feature?.id ?? '' } }),
    ]
    expect(claims).toEqual([{ task: 'leaf', attempt: 1 }, null, { task: 'featured', attempt: 1 }])
  })
})

describe('nothing to claim', () => {
  test('says how all stand, who waits for whom, and until when', async () => {
    const { sql } = await withTasks(
      'a',
      newTask('B', { id: 'b', blockers: ['a'] }),
      newTask('Asleep', { id: 'c', notBefore: 500 }),
    )
    await won(sql, { run: 'other' })
    expect(await claim(sql)).toEqual({
      is: 'nothing',
      nothing: {
        counts: { all: 3, done: 0, failed: 0, going: 1, ready: 0, blocked: 1, scheduled: 1 },
        until: 100,
        waiting: [{ task: 'b', title: 'B', for: [{ task: 'a', title: 'Task a', status: 'in_progress' }] }],
        failed: [],
      },
    })
  })

  test.each<[string, Asked, number | null]>([
    ['its own claims end by themselves at no time', { run: 'r1' }, 500],
    ['a claim of another engine in the scope', { run: 'r2' }, 100],
    ['and one that something in the scope waits for', { run: 'r2', scope: { is: 'task', task: 'b' } }, 100],
    ['not one that has nothing to do with it', { run: 'r2', scope: { is: 'task', task: 'd' } }, null],
    ['a sleeper of the scope', { run: 'r2', scope: { is: 'task', task: 'c' } }, 500],
  ])('until: %s', async (_, asked, until) => {
    const { sql } = await withTasks(
      'a',
      newTask('P', { id: 'p', blockers: ['a'] }),
      newTask('B', { id: 'b', parent: 'p' }),
      newTask('C', { id: 'c', notBefore: 500 }),
      newTask('D', { id: 'd', blockers: ['c'] }),
    )
    await won(sql)
    const answer = await claim(sql, asked)
    expect(answer.is === 'nothing' ? answer.nothing.until : answer).toBe(until)
  })
})

test('a sleeper is claimed when its time has come', async () => {
  const { sql } = await withTasks(newTask('C', { id: 'c', notBefore: 500 }))
  expect([await won(sql, { at: 499 }), await won(sql, { at: 500 })]).toEqual([null, { task: 'c', attempt: 1 }])
})

test('the end of a claim sets the status that follows and frees what waited', async () => {
  const { sql } = await withTasks('a', newTask('B', { id: 'b', blockers: ['a'] }))
  const first = (await won(sql))!
  const released = await settle(sql, first, 'released')
  const second = (await won(sql))!
  const done = await settle(sql, second, 'done')
  expect([first, released, second, done]).toEqual([
    { task: 'a', attempt: 1 },
    { held: true, changes: [] },
    { task: 'a', attempt: 2 },
    { held: true, changes: [{ is: 'unblocked', task: 'b', title: 'B' }] },
  ])
  expect(await won(sql)).toEqual({ task: 'b', attempt: 1 })
  expect(await sql.all('select attempt, state, from_head, to_head, ended_at from claims where task = ?', 'a')).toEqual([
    { attempt: 1, state: 'released', from_head: 'h1', to_head: 'h2', ended_at: 20 },
    { attempt: 2, state: 'done', from_head: 'h1', to_head: 'h2', ended_at: 20 },
  ])
})

describe('a worker that was thought dead', () => {
  test('loses its task when the lease runs out, not before', async () => {
    const { sql } = await withTasks('a')
    const held = (await won(sql, { at: 10, leaseMs: 90 }))!
    const lose = (at: number) => sql.transaction((tx) => reclaimExpiredTasks(tx, at))
    const early = await lose(99)
    await renewClaims(sql, { run: 'r1', leaseUntil: 200 })
    const seen = [early, await lose(100), await findLostClaims(sql, 'r1', [held]), await lose(200)]
    expect(seen).toEqual([[], [], [], [held]])
    expect(await findLostClaims(sql, 'r1', [held])).toEqual([{ ...held, status: 'pending' }])
    const second = await won(sql, { run: 'r2', at: 201 })
    expect(second).toEqual({ task: 'a', attempt: 2 })
    // Done by another one: what this one left of it is not what counts as done.
    await settle(sql, second!, 'done')
    expect(await findLostClaims(sql, 'r1', [held])).toEqual([{ ...held, status: null }])
  })

  test('changes nothing when it comes back, whether its task is free, taken or done', async () => {
    const { sql } = await withTasks('a')
    const old = (await won(sql))!
    await sql.transaction((tx) => reclaimExpiredTasks(tx, 101))
    const whileFree = await settle(sql, old, 'failed', 150)
    const fresh = (await won(sql, { run: 'r2', at: 151 }))!
    const whileTaken = await settle(sql, old, 'failed', 152)
    const finished = await settle(sql, fresh, 'done', 160)
    const whileDone = await settle(sql, old, 'failed', 170)
    expect([whileFree, whileTaken, finished, whileDone].map(({ held }) => held)).toEqual([false, false, true, false])
    expect(await status(sql, 'a')).toEqual({
      status: 'done',
      attempt: 2,
      retries: 1,
      why: 'so',
      claimed_by: null,
    })
  })
})

test('a run that ends gives all its tasks back, and nobody else’s', async () => {
  const { sql } = await withTasks('a', 'b', 'c')
  for (const run of ['r1', 'r2', 'r1']) await won(sql, { run })
  await sql.transaction((tx) => releaseClaims(tx, { run: 'r1', at: 30, why: 'stopped' }))
  expect(await sql.all('select task, run, state from claims order by task')).toEqual([
    { task: 'a', run: 'r1', state: 'released' },
    { task: 'b', run: 'r2', state: 'held' },
    { task: 'c', run: 'r1', state: 'released' },
  ])
})

test('looking for leases that ran out does not look at the claims of the past', async () => {
  const { sql } = await withTasks()
  const plan = await sql.all<{ detail: string }>(`explain query plan ${EXPIRED_LEASES_SQL}`, 1)
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH claims USING COVERING INDEX claims_by_lease (lease_until<?)',
  ])
})

test('nothing that a claim, its keeping or its end asks is answered by looking at all tasks or all claims', async () => {
  const child = (id: string) => newTask(id, { id, parent: 'p', feature: 'f' })
  const { sql } = await withTasks('p', child('a'), child('b'), newTask('c', { id: 'c', blockers: ['a'] }), 'd')
  const { asked, listening } = listeningTo(sql)
  for (const as of ['failed', 'done', 'released'] as const) await settle(listening, (await won(listening))!, as)
  await won(listening, { at: 200 })
  await renewClaims(listening, { run: 'r1', leaseUntil: 300 })
  expect(await won(listening, { at: 400, run: 'r2' })).not.toBeNull()
  await listening.transaction((tx) => releaseClaims(tx, { run: 'r2', at: 410, why: null }))
  const plans: string[] = []
  for (const text of asked) {
    const values = Array.from(text.matchAll(/\?/g), () => null)
    for (const { detail } of await sql.all<{ detail: string }>(`explain query plan ${text}`, ...values))
      plans.push(`${detail}, asked by ${text}`)
  }
  expect(plans.filter((plan) => /^SCAN (?:tasks|claims|ready|edges)|tasks_by_status/.test(plan))).toEqual([])
  expect(plans.length).toBeGreaterThan(10)
})

/** The same, with every statement noted that it is asked. */
function listeningTo(sql: Sql): { asked: Set<string>; listening: Sql } {
  const asked = new Set<string>()
  const hear = (heard: Sql): Sql => ({
    ...heard,
    all: (text, ...values) => heard.all(asked.add(text) && text, ...values),
    get: (text, ...values) => heard.get(asked.add(text) && text, ...values),
    run: (text, ...values) => heard.run(asked.add(text) && text, ...values),
    transaction: (work) => heard.transaction((tx) => work(hear(tx))),
  })
  return { asked, listening: hear(sql) }
}
