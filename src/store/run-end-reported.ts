/**
 * Whether the end of a run was reported. Between the row that ends a run and the text on a screen, the report and the clean-up run, and
 * the process may be killed. Without this mark the next start would begin a new run and pay for work that is done. The transaction that
 * ends the run sets the mark, and Ralph deletes it after reporting: an end may be reported twice, but never not at all.
 */
import type { RunId } from '../core/ids.ts'
import { deleteMeta, setMeta, getMeta } from './db/meta.ts'
import type { Sql } from './db/sql.ts'

export async function markRunEndUnreported(tx: Sql, run: RunId): Promise<void> {
  await setMeta(tx, keyOf(run), '')
}

export async function markRunEndReported(sql: Sql, run: RunId): Promise<void> {
  await deleteMeta(sql, keyOf(run))
}

export async function isRunEndUnreported(sql: Sql, run: RunId): Promise<boolean> {
  return (await getMeta(sql, keyOf(run))) !== null
}

function keyOf(run: RunId): string {
  return `untold:${run}`
}
