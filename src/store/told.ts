/**
 * Whether anybody was told how a run ended. Between the row that ends a run and the words on a screen lie the report, the clean-up and
 * perhaps a kill; without this mark the next start would take the silence for "go on" and pay for work that is done. It is set in the
 * transaction that ends the run and taken away after the ending was said: told twice is possible, never told is not.
 */
import type { RunId } from '../domain/ids.ts'
import type { Sql } from './db/sql.ts'

export async function markUntold(tx: Sql, run: RunId): Promise<void> {
  await tx.run(`insert or replace into meta (key, value) values (?, '')`, keyOf(run))
}

export async function markTold(sql: Sql, run: RunId): Promise<void> {
  await sql.run('delete from meta where key = ?', keyOf(run))
}

export async function isUntold(sql: Sql, run: RunId): Promise<boolean> {
  return (await sql.get('select 1 as n from meta where key = ?', keyOf(run))) !== null
}

function keyOf(run: RunId): string {
  return `untold:${run}`
}
