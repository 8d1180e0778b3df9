import { expect, test } from 'vitest'
import { ownProcessIdentity } from '../system/process/process-identity.ts'
import { lockOwnerOf, releaseLock, acquireLock, type LockOwner } from './lock.ts'
import { makeTestStore } from '../../test/kit/store.ts'

/** Alive as long as the test is. */
const living = (command: string): LockOwner => ({ ...ownProcessIdentity(), command, run: 'r1', since: 7 })
/** The pid lives, but it is another process that got the number. */
const dead = (command: string): LockOwner => ({
  ...ownProcessIdentity(),
  startTime: 'long ago',
  command,
  run: null,
  since: 3,
})

test('a free working tree is taken, and each tree by itself', async () => {
  const { sql } = await makeTestStore()
  const taken = [await acquireLock(sql, '/a', living('loop')), await acquireLock(sql, '/b', living('verify'))]
  expect([taken, await lockOwnerOf(sql, '/a')]).toEqual([[{ held: true }, { held: true }], living('loop')])
})

test('a living holder is never pushed aside; the second is told who it is', async () => {
  const { sql } = await makeTestStore()
  await acquireLock(sql, '/a', living('loop'))
  expect(await acquireLock(sql, '/a', living('verify'))).toEqual({ held: false, by: living('loop') })
})

test('a dead holder counts as none and is replaced', async () => {
  const { sql } = await makeTestStore()
  await acquireLock(sql, '/a', dead('loop'))
  const before = await lockOwnerOf(sql, '/a')
  const taken = await acquireLock(sql, '/a', living('verify'))
  expect([before, taken, await lockOwnerOf(sql, '/a')]).toEqual([null, { held: true }, living('verify')])
})

test('of many that find a dead holder at once, one wins', async () => {
  const one = await makeTestStore()
  const two = await makeTestStore(one.file)
  await acquireLock(one.sql, '/a', dead('loop'))
  const names = Array.from({ length: 20 }, (_, i) => `loop ${i}`)
  const holds = await Promise.all(
    names.map((name, i) => acquireLock((i % 2 === 0 ? one : two).sql, '/a', living(name))),
  )
  const lockOwner = await lockOwnerOf(one.sql, '/a')
  const winners = names.filter((_, i) => holds[i]?.held === true)
  expect(winners).toEqual([lockOwner?.command])
})

test('only the holder itself gives the tree back', async () => {
  const { sql } = await makeTestStore()
  await acquireLock(sql, '/a', living('loop'))
  await releaseLock(sql, '/a', dead('loop'))
  const still = await lockOwnerOf(sql, '/a')
  await releaseLock(sql, '/a', ownProcessIdentity())
  expect([still, await lockOwnerOf(sql, '/a')]).toEqual([living('loop'), null])
})
