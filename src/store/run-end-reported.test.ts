import { expect, test } from 'vitest'
import { deleteRun } from './runs.ts'
import { makeTestStore, appendEvents, runEnded, runStarted } from '../../test/kit/store.ts'
import { isRunEndUnreported, markRunEndReported } from './run-end-reported.ts'

test('a run that ended is untold until somebody was told', async () => {
  const store = await makeTestStore()
  await appendEvents(store, [runStarted(), runEnded()])
  const before = await isRunEndUnreported(store.sql, 'r1')
  await markRunEndReported(store.sql, 'r1')
  expect([before, await isRunEndUnreported(store.sql, 'r1')]).toEqual([true, false])
})

test('a run that goes on has nothing to be told, and one that is forgotten leaves no mark', async () => {
  const store = await makeTestStore()
  await appendEvents(store, [runStarted()])
  const going = await isRunEndUnreported(store.sql, 'r1')
  await appendEvents(store, [runStarted(), runEnded()], 'r2')
  await store.sql.transaction((tx) => deleteRun(tx, 'r2'))
  expect([going, await isRunEndUnreported(store.sql, 'r2')]).toEqual([false, false])
})
