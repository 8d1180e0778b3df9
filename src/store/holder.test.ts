import { expect, test } from 'vitest'
import { me } from '../system/process/identity.ts'
import { holderOf, releaseHold, takeHold, type Holder } from './holder.ts'
import { aStore } from '../../test/kit/store.ts'

/** Alive as long as the test is. */
const living = (command: string): Holder => ({ ...me(), command, run: 'r1', since: 7 })
/** The pid lives, but it is another process that got the number. */
const dead = (command: string): Holder => ({ ...me(), startTime: 'long ago', command, run: null, since: 3 })

test('a free working tree is taken, and each tree by itself', async () => {
  const { sql } = await aStore()
  const taken = [await takeHold(sql, '/a', living('loop')), await takeHold(sql, '/b', living('verify'))]
  expect([taken, await holderOf(sql, '/a')]).toEqual([[{ held: true }, { held: true }], living('loop')])
})

test('a living holder is never pushed aside; the second is told who it is', async () => {
  const { sql } = await aStore()
  await takeHold(sql, '/a', living('loop'))
  expect(await takeHold(sql, '/a', living('verify'))).toEqual({ held: false, by: living('loop') })
})

test('a dead holder counts as none and is replaced', async () => {
  const { sql } = await aStore()
  await takeHold(sql, '/a', dead('loop'))
  const before = await holderOf(sql, '/a')
  const taken = await takeHold(sql, '/a', living('verify'))
  expect([before, taken, await holderOf(sql, '/a')]).toEqual([null, { held: true }, living('verify')])
})

test('of many that find a dead holder at once, one wins', async () => {
  const one = await aStore()
  const two = await aStore(one.file)
  await takeHold(one.sql, '/a', dead('loop'))
  const names = Array.from({ length: 20 }, (_, i) => `loop ${i}`)
  const holds = await Promise.all(
    names.map((name, i) => takeHold((i % 2 === 0 ? one : two).sql, '/a', living(name))),
  )
  const holder = await holderOf(one.sql, '/a')
  const winners = names.filter((_, i) => holds[i]?.held === true)
  expect(winners).toEqual([holder?.command])
})

test('only the holder itself gives the tree back', async () => {
  const { sql } = await aStore()
  await takeHold(sql, '/a', living('loop'))
  await releaseHold(sql, '/a', dead('loop'))
  const still = await holderOf(sql, '/a')
  await releaseHold(sql, '/a', me())
  expect([still, await holderOf(sql, '/a')]).toEqual([living('loop'), null])
})
