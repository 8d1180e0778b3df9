import { describe, expect, test } from 'vitest'
import { claimNext, claimTask, endClaim, loseClaims, renewClaim, type Claimant } from './claims.ts'
import type { Store } from './db/open.ts'
import { addEdge, addTask, findTask, setStatus } from './tasks.ts'
import { aStore } from './test-kit.ts'

const who = (worker: string, given: { at?: number; leaseUntil?: number } = {}): Claimant => ({
  worker,
  run: 'r1',
  at: given.at ?? 10,
  leaseUntil: given.leaseUntil ?? 100,
})

async function withTasks(...ids: string[]): Promise<Store> {
  const store = await aStore()
  for (const id of ids)
    await addTask(store.sql, { id, parent: null, title: id, description: '', priority: 0, at: 1 })
  return store
}

describe('a claim', () => {
  test('takes the first ready task and numbers the attempt', async () => {
    const { sql } = await withTasks('a', 'b', 'c')
    await addEdge(sql, { blocker: 'b', blocked: 'a' })
    const claims = [
      await claimNext(sql, who('w1')),
      await claimNext(sql, who('w2')),
      await claimNext(sql, who('w3')),
    ]
    expect(claims).toEqual([{ task: 'b', attempt: 1 }, { task: 'c', attempt: 1 }, null])
    expect(await findTask(sql, 'b')).toMatchObject({ status: 'in_progress', attempt: 1, updatedAt: 10 })
  })

  test('of a task that is blocked, done or somebody’s is not given', async () => {
    const { sql } = await withTasks('blocked', 'blocker', 'done')
    await addEdge(sql, { blocker: 'blocker', blocked: 'blocked' })
    await setStatus(sql, 'done', 'done', 2)
    const first = await claimTask(sql, 'blocker', who('w1'))
    const others = await Promise.all(
      ['blocked', 'blocker', 'done', 'none'].map((id) => claimTask(sql, id, who('w2'))),
    )
    expect([first, others]).toEqual([{ task: 'blocker', attempt: 1 }, [null, null, null, null]])
  })

  test('wanted by 50 at once over two connections has one winner', async () => {
    const one = await withTasks('a')
    const two = await aStore(one.file)
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, i) => claimTask((i % 2 === 0 ? one : two).sql, 'a', who(`w${i}`))),
    )
    expect(claims.filter((claim) => claim !== null)).toEqual([{ task: 'a', attempt: 1 }])
    expect(await one.sql.get('select count(*) as claims from claims')).toEqual({ claims: 1 })
  })

  test('each of 50 workers gets a task of its own', async () => {
    const one = await withTasks(...Array.from({ length: 50 }, (_, i) => `t${i}`))
    const two = await aStore(one.file)
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, i) => claimNext((i % 2 === 0 ? one : two).sql, who(`w${i}`))),
    )
    expect(new Set(claims.map((claim) => claim?.task)).size).toBe(50)
  })
})

test('the end of a claim sets the status that follows and frees what waited', async () => {
  const { sql } = await withTasks('a', 'b')
  await addEdge(sql, { blocker: 'a', blocked: 'b' })
  const seen: unknown[] = []
  for (const end of ['released', 'failed', 'done'] as const) {
    const claim = await claimTask(sql, 'a', who('w1'))
    if (claim !== null) seen.push(await endClaim(sql, claim, end, 20), (await findTask(sql, 'a'))?.status)
    if (end === 'failed') await setStatus(sql, 'a', 'pending', 21)
  }
  expect(seen).toEqual([true, 'pending', true, 'failed', true, 'done'])
  expect(await claimNext(sql, who('w1'))).toEqual({ task: 'b', attempt: 1 })
})

describe('a worker that was thought dead', () => {
  test('loses its task when the lease runs out, not before', async () => {
    const { sql } = await withTasks('a')
    const claim = (await claimNext(sql, who('w1', { leaseUntil: 100 })))!
    const early = await loseClaims(sql, 100)
    await renewClaim(sql, claim, 200)
    const renewed = await loseClaims(sql, 101)
    const late = await loseClaims(sql, 201)
    expect([early, renewed, late]).toEqual([[], [], [claim]])
    expect(await claimNext(sql, who('w2'))).toEqual({ task: 'a', attempt: 2 })
  })

  test('changes nothing when it comes back, whether its task is free, taken or done', async () => {
    const { sql } = await withTasks('a')
    const old = (await claimNext(sql, who('w1')))!
    await loseClaims(sql, 101)
    const late = async (): Promise<boolean[]> => [
      await renewClaim(sql, old, 999),
      await endClaim(sql, old, 'failed', 150),
    ]
    const whileFree = await late()
    const fresh = (await claimNext(sql, who('w2')))!
    const whileTaken = await late()
    const finished = await endClaim(sql, fresh, 'done', 160)
    const whileDone = await late()
    expect([whileFree, whileTaken, finished, whileDone]).toEqual([
      [false, false],
      [false, false],
      true,
      [false, false],
    ])
    expect(await findTask(sql, 'a')).toMatchObject({ status: 'done', attempt: 2, updatedAt: 160 })
  })
})

test('a person who sets a task’s status ends the claim on it', async () => {
  const { sql } = await withTasks('a')
  const claim = (await claimNext(sql, who('w1')))!
  await setStatus(sql, 'a', 'pending', 50)
  expect([await endClaim(sql, claim, 'done', 60), (await findTask(sql, 'a'))?.status]).toEqual([
    false,
    'pending',
  ])
})
