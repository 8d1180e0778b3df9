/**
 * The data of the breaker and conversation histories: the rows about them in the last runs of a working tree, and the transitions that
 * the bash tool recorded before the first run.
 */
import type { Instant, RunId } from '../core/ids.ts'
import type { Row } from '../core/state/row.ts'
import { parseStoredJson } from './db/stored-json.ts'
import { deleteMeta, setMeta, getMeta } from './db/meta.ts'
import { parseRow, type StoredRow } from './record.ts'
import { MULTI_STAGE_RUN_SQL } from './run-kind-sql.ts'
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

/** Oldest first. `before`: leaves this run out. The query selects a superset; the fold decides which rows matter. */
export async function loadTransitionRows(
  sql: Sql,
  workspace: string,
  options: { runs: number; before?: string },
): Promise<Row[]> {
  const runs = await newestRunsBut(sql, workspace, options.before ?? '', options.runs)
  const rows: Row[] = []
  for (const id of runs.toReversed()) {
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

/** The folded history of a run and those before it up to row `seq`. The caller defines the shape of `past`. */
export interface SavedBashHistory {
  seq: number
  past: unknown
}

export async function saveBashHistory(sql: Sql, run: RunId, past: SavedBashHistory): Promise<void> {
  await setMeta(sql, pastKey(run), JSON.stringify(past))
}

/** Null: none is saved. */
export async function loadBashHistory(sql: Sql, run: RunId): Promise<SavedBashHistory | null> {
  const text = await getMeta(sql, pastKey(run))
  return text === null ? null : (parseStoredJson(text, run) as SavedBashHistory)
}

export async function deleteBashHistory(tx: Sql, run: RunId): Promise<void> {
  await deleteMeta(tx, pastKey(run))
}

/** The previous run of the working tree. */
export async function previousRunOf(sql: Sql, workspace: string, run: RunId): Promise<RunId | null> {
  return (await newestRunsBut(sql, workspace, run, 1))[0] ?? null
}

/** Newest first. */
async function newestRunsBut(sql: Sql, workspace: string, run: RunId, limit: number): Promise<RunId[]> {
  const rows = await sql.all<{ id: RunId }>(
    `select id from runs where workspace = ? and id <> ? and ${MULTI_STAGE_RUN_SQL} order by started_at desc, id desc limit ?`,
    workspace,
    run,
    limit,
  )
  return rows.map(({ id }) => id)
}

function pastKey(run: RunId): string {
  return `past:${run}`
}

/** Transitions recorded by the bash tool; empty if there are none. */
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
