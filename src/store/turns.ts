/**
 * What the histories of breaker and conversation are made of: the rows that tell of them in the last runs of a working tree, and
 * the turns that an earlier tool had written down before the first run.
 */
import type { Instant } from '../domain/ids.ts'
import type { Row } from '../domain/run/row.ts'
import { readRow, type StoredRow } from './record.ts'
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
    'select id from runs where workspace = ? and id <> ? order by started_at desc, id desc limit ?',
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

/** Of the earlier tool; empty where there was none. */
export async function oldTurns(sql: Sql, workspace: string): Promise<KeptTurns> {
  const row = await sql.get<{ value: string }>('select value from meta where key = ?', keyOf(workspace))
  return row === null ? { breaker: [], conversation: [] } : (JSON.parse(row.value) as KeptTurns)
}

export async function keepOldTurns(sql: Sql, workspace: string, turns: KeptTurns): Promise<void> {
  await sql.run(
    'insert or replace into meta (key, value) values (?, ?)',
    keyOf(workspace),
    JSON.stringify(turns),
  )
}

function keyOf(workspace: string): string {
  return `old-turns:${workspace}`
}
