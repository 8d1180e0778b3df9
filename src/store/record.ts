/**
 * The record of a run. Rows are only ever appended, in the transaction that also overwrites the state and writes the indexes, so the
 * three never disagree.
 */
import type { ProjectAgents } from '../core/calls/agent-io.ts'
import type { Millis, Now, RunId } from '../core/ids.ts'
import type { Row } from '../core/state/row.ts'
import { updateDerivedTables } from './db/derived-tables.ts'
import { parseStoredJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'

/** Appends one row and updates runs, usage and evidence. The primary key rejects a second row with the same number. */
export async function appendRow(tx: Sql, row: Row): Promise<void> {
  await tx.run(
    `insert into record (run, seq, at, up, rules, type, worker, event, effects, decisions)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.run,
    row.seq,
    row.at,
    row.up,
    row.rules,
    row.event.type,
    'worker' in row.event ? row.event.worker : null,
    JSON.stringify(row.event),
    JSON.stringify(row.effects),
    JSON.stringify(row.decisions),
  )
  await updateDerivedTables(tx, row)
}

/** The rows after `seq`, oldest first; 0: from the first row. */
export async function loadRowsAfter(sql: Sql, run: RunId, seq: number, limit: number): Promise<Row[]> {
  const stored = await sql.all<StoredRow>(
    `select run, seq, at, up, rules, event, effects, decisions from record
     where run = ? and seq > ? order by seq limit ?`,
    run,
    seq,
    limit,
  )
  return stored.map(parseRow)
}

/** The first row of a type; null: there is none. */
export async function firstRowOfType(sql: Sql, run: RunId, type: Row['event']['type']): Promise<Row | null> {
  const stored = await sql.get<StoredRow>(
    `select run, seq, at, up, rules, event, effects, decisions from record where run = ? and type = ? order by seq limit 1`,
    run,
    type,
  )
  return stored === null ? null : parseRow(stored)
}

/** The programs that the project's files named when the run began. */
export async function loadRunPrograms(sql: Sql, run: RunId): Promise<ProjectAgents> {
  const first = await firstRowOfType(sql, run, 'run-started')
  return first?.event.type === 'run-started' ? first.event.programs : { agents: {}, programs: {} }
}

const PAGE = 500

/** A record from its first row. `test/conventions.test.ts` lists the modules that may read a whole record. */
export function streamAllRows(sql: Sql, run: RunId): AsyncGenerator<Row> {
  return streamRowsAfter(sql, run, 0)
}

/** The rows of a record after a known one, page by page: a night's worth need not fit into memory at once. */
export async function* streamRowsAfter(sql: Sql, run: RunId, after: number): AsyncGenerator<Row> {
  for (let seq = after; ;) {
    const rows = await loadRowsAfter(sql, run, seq, PAGE)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    seq = last.seq
  }
}

/** The number of the last row, 0 before the first. */
export async function lastSeq(sql: Sql, run: RunId): Promise<number> {
  const row = await sql.get<{ seq: number | null }>('select max(seq) as seq from record where run = ?', run)
  return row?.seq ?? 0
}

/** Both clocks at the last row; a resumed run continues from there. Null: there is no row yet. */
export async function lastRowTime(sql: Sql, run: RunId): Promise<Now | null> {
  const row = await lastRowHeader(sql, run)
  return row === null ? null : { at: row.at, up: row.up }
}

export async function lastRowHeader(sql: Sql, run: RunId): Promise<(Now & { seq: number }) | null> {
  const row = await sql.get<Now & { seq: number }>(
    'select seq, at, up from record where run = ? order by seq desc limit 1',
    run,
  )
  return row === null ? null : { ...row }
}

/** How long a run has been awake, from its first row to its last. */
export async function awakeTimeOf(sql: Sql, run: RunId): Promise<Millis> {
  const row = await sql.get<{ ms: number | null }>(
    `select (select up from record where run = ? order by seq desc limit 1)
          - (select up from record where run = ? order by seq limit 1) as ms`,
    run,
    run,
  )
  return row?.ms ?? 0
}

/** A row as the table stores it. */
export interface StoredRow {
  run: string
  seq: number
  at: number
  up: number
  rules: number
  event: string
  effects: string
  decisions: string
}

export function parseRow(stored: StoredRow): Row {
  return {
    run: stored.run,
    seq: stored.seq,
    at: stored.at,
    up: stored.up,
    rules: stored.rules,
    event: parseStoredJson(stored.event, stored.run) as Row['event'],
    effects: parseStoredJson(stored.effects, stored.run) as Row['effects'],
    decisions: parseStoredJson(stored.decisions, stored.run) as Row['decisions'],
  }
}
