/**
 * The state of a run after its last row, overwritten in the transaction that appends it. It is stored in parts, and only changed parts
 * are written, so that a row of one worker costs the same however many workers there are.
 */
import { RalphError } from '../core/error.ts'
import type { RunId } from '../core/ids.ts'
import type { Breaker } from '../core/admission/breaker.ts'
import type { RunState, Worker } from '../core/state/state.ts'
import { changedParts, joinState, removedParts } from '../core/state/state-parts.ts'
import type { Rules } from '../core/state/rules.ts'
import { changedSummaries } from '../core/presentation/run-summary.ts'
import type { RunView } from '../core/presentation/run-view.ts'
import { STATE_VERSION, upgradeState, type SavedRunState } from '../core/state/upgrade.ts'
import { parseStoredJson } from './db/stored-json.ts'
import type { Sql } from './db/sql.ts'

/** Limit of one part. Lists and histories belong in tables; a larger part would slow down every commit. */
const PART_BYTES_MAX = 64 * 1024

export interface StoredRunState extends SavedRunState {
  /** The last row it contains. */
  seq: number
}

export interface StateToSave extends StoredRunState {
  state: RunState
  /** Absent: no view is saved. */
  view?: RunView | null
}

/** States and views that this process saved. A loaded state may have been upgraded since, so its first save writes every part. */
const savedHere = new WeakSet<RunState | RunView>()

/** `before`: the state and view when the run was saved or loaded last; null: nothing is saved. */
export async function saveRunState(
  tx: Sql,
  run: RunId,
  { version, seq, state, view = null }: StateToSave,
  before: { state: RunState | null; view: RunView | null } | null,
): Promise<void> {
  const known = ifSavedHere(before?.state)
  await tx.run(
    `insert into state (run, version, seq) values (?, ?, ?)
     on conflict (run) do update set version = excluded.version, seq = excluded.seq`,
    run,
    version,
    seq,
  )
  const gone = known === null ? [] : removedParts(state, known)
  if (known === null) await tx.run('delete from parts where run = ?', run)
  for (const part of gone) await tx.run('delete from parts where run = ? and part = ?', run, part)
  const summaries =
    view === null ? new Map() : changedSummaries(view, known === null ? null : ifSavedHere(before?.view))
  for (const [name, value] of changedParts(state, known)) {
    const body = JSON.stringify(value)
    checkSize(run, name, body)
    await tx.run(
      `insert into parts (run, part, body, summary) values (?, ?, ?, ?) on conflict (run, part)
       do update set body = excluded.body, summary = coalesce(excluded.summary, parts.summary)`,
      run,
      name,
      body,
      summaries.has(name) ? JSON.stringify(summaries.get(name)) : null,
    )
    summaries.delete(name)
  }
  for (const [name, summary] of summaries)
    await tx.run('update parts set summary = ? where run = ? and part = ?', JSON.stringify(summary), run, name)
  savedHere.add(state)
  if (view !== null) savedHere.add(view)
}

function ifSavedHere<T extends RunState | RunView>(one: T | null | undefined): T | null {
  return one !== null && one !== undefined && savedHere.has(one) ? one : null
}

function checkSize(run: RunId, name: string, body: string): void {
  const bytes = Buffer.byteLength(body)
  if (bytes <= PART_BYTES_MAX) return
  throw new RalphError(
    'bug',
    `the state of run ${run} has ${bytes} bytes in its part "${name}"; at most ${PART_BYTES_MAX} are allowed`,
  )
}

export async function loadRunState(sql: Sql, run: RunId): Promise<StoredRunState | null> {
  const row = await sql.get<{ version: number; seq: number }>('select version, seq from state where run = ?', run)
  if (row === null) return null
  const parts = await sql.all<{ part: string; body: string }>('select part, body from parts where run = ?', run)
  const values = new Map(parts.map(({ part, body }) => [part, parseStoredJson(body, run)]))
  return values.size === 0 ? null : { version: row.version, seq: row.seq, state: joinState(values) }
}

/** The breaker of the first worker, which outlives the run. Null: no state is saved, or another version saved it. */
export async function loadBreaker(sql: Sql, run: RunId): Promise<Breaker | null> {
  const row = await sql.get<{ body: string }>(
    `select body from parts join state on state.run = parts.run where parts.run = ? and part = ? and version = ?`,
    run,
    'worker:1',
    STATE_VERSION,
  )
  return row === null ? null : (parseStoredJson(row.body, run) as { worker: Pick<Worker, 'breaker'> }).worker.breaker
}

/** The current rules of a run; null: no state is saved. */
export async function loadRules(sql: Sql, run: RunId): Promise<Rules | null> {
  const row = await sql.get<{ body: string }>(
    `select body from parts join state on state.run = parts.run where parts.run = ? and part = 'rules' and version = ?`,
    run,
    STATE_VERSION,
  )
  if (row !== null) return parseStoredJson(row.body, run) as Rules
  const savedState = await loadRunState(sql, run)
  return savedState === null ? null : upgradeState(savedState, run).run.rules
}
