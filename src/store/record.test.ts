import { describe, expect, test } from 'vitest'
import { appendRow, lastSeq, lastRowTime, loadRowsAfter } from './record.ts'
import { loadRunState, saveRunState } from './run-state.ts'
import {
  admitted,
  sampleState,
  makeTestStore,
  appendEvents,
  runAgent,
  runEnded,
  runStarted,
} from '../../test/kit/store.ts'

describe('the record', () => {
  test('gives back every row as it was appended, in order, from any point', async () => {
    const store = await makeTestStore()
    const rows = await appendEvents(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      runEnded(),
    ])
    await appendEvents(store, [runStarted()], 'r2')
    expect(await loadRowsAfter(store.sql, 'r1', 0, 10)).toEqual(rows)
    expect(await loadRowsAfter(store.sql, 'r1', 1, 1)).toEqual([rows[1]])
    expect(await loadRowsAfter(store.sql, 'r1', 3, 10)).toEqual([])
  })

  test('knows its last row by number and by both clocks', async () => {
    const store = await makeTestStore()
    const before = [await lastSeq(store.sql, 'r1'), await lastRowTime(store.sql, 'r1')]
    await appendEvents(store, [runStarted(), runEnded()])
    const after = [await lastSeq(store.sql, 'r1'), await lastRowTime(store.sql, 'r1')]
    expect([before, after]).toEqual([
      [0, null],
      [2, { at: 2000, up: 10 }],
    ])
  })

  test('refuses a second row with the same number, and with it the whole transaction', async () => {
    const store = await makeTestStore()
    const [row] = await appendEvents(store, [runStarted()])
    const again = store.sql.transaction(async (tx) => {
      await saveRunState(tx, 'r1', { version: 1, seq: 1, state: sampleState() }, null)
      if (row !== undefined) await appendRow(tx, row)
    })
    await expect(again).rejects.toThrow('UNIQUE constraint failed')
    expect(await loadRunState(store.sql, 'r1')).toBeNull()
  })
})
