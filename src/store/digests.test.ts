import { expect, test } from 'vitest'
import type { Row } from '../core/state/row.ts'
import type { Rules } from '../core/state/rules.ts'
import { foldDigest, EMPTY_DIGEST } from '../core/presentation/run-digest.ts'
import { playRun } from '../../test/kit/core.ts'
import { getMeta } from './db/meta.ts'
import type { Sql } from './db/sql.ts'
import { loadDigest, saveDigest } from './digests.ts'
import { appendRow } from './record.ts'
import { deleteRun } from './runs.ts'
import { makeTestStore, countRowsRead } from '../../test/kit/store.ts'

const endless = (rules: Rules): Rules => ({
  ...rules,
  loop: { ...rules.loop, iterationsMax: 0 },
  breaker: { ...rules.breaker, noProgress: 0 },
})
const nightOf = (rows: number): Row[] => playRun([{ files: 1, commits: ['a change'] }, { files: 0 }], endless, rows)
const RUN = nightOf(1)[0]?.run ?? ''

/** As the engine does: a few rows in each transaction. */
async function keep(sql: Sql, rows: Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 3) {
    const some = rows.slice(at, at + 3)
    await sql.transaction(async (tx) => {
      for (const row of some) await appendRow(tx, row)
      await saveDigest(tx, RUN, { from: at, to: at + some.length })
    })
  }
}

const key = `digest:${RUN}`

test('a run is told from its digest and the rows since as from all of its rows', async () => {
  const { sql } = await makeTestStore()
  const rows = nightOf(1_050)
  await keep(sql, rows)
  expect(JSON.parse((await getMeta(sql, key)) ?? '{}')).toMatchObject({ seq: 1_002 })
  expect(await loadDigest(sql, RUN)).toEqual(rows.reduce(foldDigest, EMPTY_DIGEST))
})

test('no more is read of a long record than of a short one', async () => {
  const read = async (rows: number): Promise<number> => {
    const { sql } = await makeTestStore()
    await keep(sql, nightOf(rows))
    const counting = countRowsRead(sql)
    await loadDigest(counting.sql, RUN)
    return counting.rows()
  }
  const [short, long] = [await read(150), await read(1_950)]
  expect(short).toBe(150)
  expect(long).toBeLessThanOrEqual(short)
})

test('what another version kept is not read', async () => {
  const { sql } = await makeTestStore()
  const rows = nightOf(450)
  await keep(sql, rows)
  await sql.run('update meta set value = ? where key = ?', '{"shape":0,"seq":400}', key)
  expect(await loadDigest(sql, RUN)).toEqual(rows.reduce(foldDigest, EMPTY_DIGEST))
})

test('a damaged row keeps no run from going on, and is told to whoever asks', async () => {
  const { sql } = await makeTestStore()
  const rows = nightOf(450)
  await keep(sql, rows.slice(0, 150))
  await sql.run('update record set event = ? where seq = 100', 'no JSON')
  await sql.transaction(async (tx) => {
    for (const row of rows.slice(150)) await appendRow(tx, row)
    await saveDigest(tx, RUN, { from: 150, to: 450 })
  })
  expect(await getMeta(sql, key)).toBeNull()
  await expect(loadDigest(sql, RUN)).rejects.toMatchObject({ code: 'store-damaged' })
})

test('it goes with its run', async () => {
  const { sql } = await makeTestStore()
  await keep(sql, nightOf(450))
  await sql.transaction((tx) => deleteRun(tx, RUN))
  expect(await getMeta(sql, key)).toBeNull()
})
