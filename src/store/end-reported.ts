/**
 * Whether anybody was told how a run ended. Between the row that ends a run and the words on a screen lie the report, the clean-up and
 * perhaps a kill; without this mark the next start would take the silence for "go on" and pay for work that is done. It is set in the
 * transaction that ends the run and taken away after the ending was said: told twice is possible, never told is not.
 */
import type { RunId } from '../core/ids.ts'
import { deleteMeta, setMeta, getMeta } from './db/meta.ts'
import type { Sql } from './db/sql.ts'

export async function markEndUnreported(tx: Sql, run: RunId): Promise<void> {
  await setMeta(tx, keyOf(run), '')
}

export async function markEndReported(sql: Sql, run: RunId): Promise<void> {
  await deleteMeta(sql, keyOf(run))
}

export async function isEndUnreported(sql: Sql, run: RunId): Promise<boolean> {
  return (await getMeta(sql, keyOf(run))) !== null
}

function keyOf(run: RunId): string {
  return `untold:${run}`
}
