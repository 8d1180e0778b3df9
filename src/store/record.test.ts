import { describe, expect, test } from 'vitest'
import { appendRow, lastSeq, lastStamp, loadState, rowsAfter, saveState } from './record.ts'
import { admitted, aStore, record, runAgent, runEnded, runStarted } from './test-kit.ts'

describe('the record', () => {
  test('gives back every row as it was appended, in order, from any point', async () => {
    const store = await aStore()
    const rows = await record(store, [
      runStarted(),
      [admitted('e1'), [runAgent('e2', { iteration: 1 })]],
      runEnded(),
    ])
    await record(store, [runStarted()], 'r2')
    expect(await rowsAfter(store.sql, 'r1', 0, 10)).toEqual(rows)
    expect(await rowsAfter(store.sql, 'r1', 1, 1)).toEqual([rows[1]])
    expect(await rowsAfter(store.sql, 'r1', 3, 10)).toEqual([])
  })

  test('knows its last row by number and by both clocks', async () => {
    const store = await aStore()
    const before = [await lastSeq(store.sql, 'r1'), await lastStamp(store.sql, 'r1')]
    await record(store, [runStarted(), runEnded()])
    const after = [await lastSeq(store.sql, 'r1'), await lastStamp(store.sql, 'r1')]
    expect([before, after]).toEqual([
      [0, null],
      [2, { at: 2000, up: 10 }],
    ])
  })

  test('refuses a second row with the same number, and with it the whole transaction', async () => {
    const store = await aStore()
    const [row] = await record(store, [runStarted()])
    const again = store.sql.transaction(async (tx) => {
      await saveState(tx, 'r1', { version: 1, seq: 1, house: 'of the second writer' })
      if (row !== undefined) await appendRow(tx, row)
    })
    await expect(again).rejects.toThrow('UNIQUE constraint failed')
    expect(await loadState(store.sql, 'r1')).toBeNull()
  })
})

describe('the state of a run', () => {
  test('is the last one saved, whole', async () => {
    const { sql } = await aStore()
    await saveState(sql, 'r1', { version: 1, seq: 1, house: { workers: {} } })
    await saveState(sql, 'r1', { version: 2, seq: 7, house: { workers: { w1: ['é', null, 1.5] } } })
    expect(await loadState(sql, 'r1')).toEqual({
      version: 2,
      seq: 7,
      house: { workers: { w1: ['é', null, 1.5] } },
    })
    expect(await loadState(sql, 'r2')).toBeNull()
  })

  test('may have 64 KB, counted in bytes, and not one more', async () => {
    const { sql } = await aStore()
    const quoted = (bytes: number): string => 'é'.repeat((bytes - 2) / 2)
    await saveState(sql, 'r1', { version: 1, seq: 1, house: quoted(64 * 1024) })
    const larger = saveState(sql, 'r1', { version: 1, seq: 2, house: quoted(64 * 1024 + 2) })
    await expect(larger).rejects.toMatchObject({ code: 'bug' })
  })
})
