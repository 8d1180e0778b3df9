/**
 * What the histories of breaker and conversation are made of: the rows that tell of them in the last runs of a working tree, and
 * the turns that an earlier tool had written down before the first run.
 */
import type { Instant, RunId } from '../core/ids.ts'
import type { Row } from '../core/state/row.ts'
import { parseStoredJson } from './db/stored-json.ts'
import { deleteMeta, setMeta, getMeta } from './db/meta.ts'
import { parseRow, type StoredRow } from './record.ts'
import { IS_WORKING_RUN } from './run-conditions.ts'
import type { Sql } from './db/sql.ts'

interface SavedTransition {
  at: Instant
  loop: number
  from: string
  to: string
  reason: string
}

export interface TransitionHistory {
  breaker: SavedTransition[]
  conversation: SavedTransition[]
}

/** Oldest first. `before`: leaves this run out. Which rows tell is only guessed here; whoever folds them decides. */
export async function loadTransitionRows(
  sql: Sql,
  workspace: string,
  options: { runs: number; before?: string },
): Promise<Row[]> {
  const runs = await sql.all<{ id: string }>(
    `select id from runs where workspace = ? and id <> ? and ${IS_WORKING_RUN} order by started_at desc, id desc limit ?`,
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
    rows.push(...stored.map(parseRow))
  }
  return rows
}

/** What was told of a run and those before it up to a row, for whoever goes on from there. Its shape is its keeper's. */
export interface SavedBashHistory {
  seq: number
  past: unknown
}

export async function saveBashHistory(sql: Sql, run: RunId, past: SavedBashHistory): Promise<void> {
  await setMeta(sql, pastKey(run), JSON.stringify(past))
}

/** Null: nobody kept it. */
export async function loadBashHistory(sql: Sql, run: RunId): Promise<SavedBashHistory | null> {
  const text = await getMeta(sql, pastKey(run))
  return text === null ? null : (parseStoredJson(text, run) as SavedBashHistory)
}

export async function deleteBashHistory(tx: Sql, run: RunId): Promise<void> {
  await deleteMeta(tx, pastKey(run))
}

/** The one before a run in its working tree. */
export async function previousRunOf(sql: Sql, workspace: string, run: RunId): Promise<RunId | null> {
  const row = await sql.get<{ id: string }>(
    `select id from runs where workspace = ? and id <> ? and ${IS_WORKING_RUN} order by started_at desc, id desc limit 1`,
    workspace,
    run,
  )
  return row?.id ?? null
}

function pastKey(run: RunId): string {
  return `past:${run}`
}

/** Of the earlier tool; empty where there was none. */
export async function loadBashTransitions(sql: Sql, workspace: string): Promise<TransitionHistory> {
  const text = await getMeta(sql, keyOf(workspace))
  return text === null ? { breaker: [], conversation: [] } : (parseStoredJson(text, { workspace }) as TransitionHistory)
}

export async function saveBashTransitions(sql: Sql, workspace: string, turns: TransitionHistory): Promise<void> {
  await setMeta(sql, keyOf(workspace), JSON.stringify(turns))
}

function keyOf(workspace: string): string {
  return `old-turns:${workspace}`
}
