/** The status of a run as of today: its record, and what a person answered since. One answer for every screen. */
import type { Outcome } from '../../core/state/outcome.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { RunStatusInput } from '../../core/presentation/outcome-text.ts'
import { lastRowTime } from '../../store/record.ts'
import type { RunEntry } from '../../store/runs.ts'
import { rebuildRunView, loadRunSummary, loadRunView } from '../../store/run-views.ts'
import { countUnknownRows } from '../../store/unknown-rows.ts'
import type { Sql } from '../../store/db/sql.ts'
import { currentOutcome } from './current-outcome.ts'
import { findUndoOf } from '../undo/run-undo.ts'

export async function currentStatusOf(sql: Sql, entry: RunEntry): Promise<RunStatusInput> {
  const { end } = entry
  const undone = (await findUndoOf(sql, entry.id)) !== null
  // Only a pending acceptance needs the record; for all other outcomes the run's entry is enough.
  if (end !== null && end.outcome !== 'needs_acceptance') {
    const { id, workspace } = entry
    const outcome = await currentOutcome(sql, { run: id, workspace, outcome: outcomeFrom(end), at: end.at })
    return { outcome, left: false, undone }
  }
  const { is, outcome } = (await loadRunSummary(sql, entry.id)) ?? (await rebuildRunView(sql, entry.id)).view ?? UNKNOWN
  return { outcome: await today(sql, entry, outcome), left: is === 'left', undone }
}

/** For a record whose first rows cannot be read. */
const UNKNOWN = { is: 'going', outcome: null } as const

function outcomeFrom({ outcome, reason, verdict, exit }: NonNullable<RunEntry['end']>): Outcome {
  return { is: outcome, reason, verdict, exit: exit as Outcome['exit'] }
}

/** The view with its newest iterations; `unknown`: how many rows a newer Ralph wrote that this version cannot read. */
export async function currentViewOf(sql: Sql, entry: RunEntry): Promise<{ view: RunView | null; unknown: number }> {
  const view = await loadRunView(sql, entry, { iterations: 'newest' })
  const unknown = await countUnknownRows(sql, entry.id)
  if (view === null) return { view, unknown }
  return { view: { ...view, outcome: await today(sql, entry, view.outcome) }, unknown }
}

async function today(sql: Sql, { id: run, workspace }: RunEntry, outcome: Outcome | null): Promise<Outcome | null> {
  if (outcome === null) return null
  const last = await lastRowTime(sql, run)
  return currentOutcome(sql, { run, workspace, outcome, at: last?.at ?? 0 })
}
