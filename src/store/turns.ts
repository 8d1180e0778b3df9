/**
 * What the histories of breaker and conversation are made of: the rows that tell of them in the last runs of a working tree, and
 * the turns that an earlier tool had written down before the first run.
 */
import type { Instant, RunId } from '../domain/ids.ts'
import type { Row } from '../domain/state/row.ts'
import { storedJson } from './db/stored-json.ts'
import { forgetMeta, keepMeta, metaOf } from './db/meta.ts'
import { readRow, type StoredRow } from './record.ts'
import { WORKS } from './run-kinds.ts'
import type { Sql } from './db/sql.ts'

interface KeptTurn {
  at: Instant
  loop: number
  from: string
  to: string
  reason: string
}

export interface KeptTurns {
  breaker: KeptTurn[]
  conversation: KeptTurn[]
}

/** Oldest first. `before`: leaves this run out. Which rows tell is only guessed here; whoever folds them decides. */
export async function tellingRows(
  sql: Sql,
  workspace: string,
  options: { runs: number; before?: string },
): Promise<Row[]> {
  const runs = await sql.all<{ id: string }>(
    `select id from runs where workspace = ? and id <> ? and ${WORKS} order by started_at desc, id desc limit ?`,
    workspace,
    options.before ?? '',
    options.runs,
  )
  const rows: Row[] = []
  for (const { id } of runs.toReversed()) {
    const stored = await sql.all<StoredRow>(
      `select run, seq, at, up, rules, event, effects, decisions from record where run = ? and (
         type in ('run-started', 'run-ended', 'conversation-known', 'agent-ended', 'admitted') or decisions <> '[]')
       order by seq`,
      id,
    )
    rows.push(...stored.map(readRow))
  }
  return rows
}

/** What was told of a run and those before it up to a row, for whoever goes on from there. Its shape is its keeper's. */
export interface KeptPast {
  seq: number
  past: unknown
}

export async function keepPast(sql: Sql, run: RunId, past: KeptPast): Promise<void> {
  await keepMeta(sql, pastKey(run), JSON.stringify(past))
}

/** Null: nobody kept it. */
export async function keptPast(sql: Sql, run: RunId): Promise<KeptPast | null> {
  const text = await metaOf(sql, pastKey(run))
  return text === null ? null : (storedJson(text, run) as KeptPast)
}

export async function forgetPast(tx: Sql, run: RunId): Promise<void> {
  await forgetMeta(tx, pastKey(run))
}

/** The one before a run in its working tree. */
export async function runBefore(sql: Sql, workspace: string, run: RunId): Promise<RunId | null> {
  const row = await sql.get<{ id: string }>(
    `select id from runs where workspace = ? and id <> ? and ${WORKS} order by started_at desc, id desc limit 1`,
    workspace,
    run,
  )
  return row?.id ?? null
}

function pastKey(run: RunId): string {
  return `past:${run}`
}

/** Of the earlier tool; empty where there was none. */
export async function oldTurns(sql: Sql, workspace: string): Promise<KeptTurns> {
  const text = await metaOf(sql, keyOf(workspace))
  return text === null ? { breaker: [], conversation: [] } : (storedJson(text, { workspace }) as KeptTurns)
}

export async function keepOldTurns(sql: Sql, workspace: string, turns: KeptTurns): Promise<void> {
  await keepMeta(sql, keyOf(workspace), JSON.stringify(turns))
}

function keyOf(workspace: string): string {
  return `old-turns:${workspace}`
}
