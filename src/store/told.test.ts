import { expect, test } from 'vitest'
import { deleteRun } from './runs.ts'
import { aStore, record, runEnded, runStarted } from '../../test/kit/store.ts'
import { isUntold, markTold } from './told.ts'

test('a run that ended is untold until somebody was told', async () => {
  const store = await aStore()
  await record(store, [runStarted(), runEnded()])
  const before = await isUntold(store.sql, 'r1')
  await markTold(store.sql, 'r1')
  expect([before, await isUntold(store.sql, 'r1')]).toEqual([true, false])
})

test('a run that goes on has nothing to be told, and one that is forgotten leaves no mark', async () => {
  const store = await aStore()
  await record(store, [runStarted()])
  const going = await isUntold(store.sql, 'r1')
  await record(store, [runStarted(), runEnded()], 'r2')
  await store.sql.transaction((tx) => deleteRun(tx, 'r2'))
  expect([going, await isUntold(store.sql, 'r2')]).toEqual([false, false])
})
