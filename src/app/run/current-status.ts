/** How a run stands today: by its record, and by what a person said about it since. One answer for every screen. */
import type { Outcome } from '../../core/state/outcome.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { RunStatusInput } from '../../core/presentation/outcome-text.ts'
import { lastRowTime } from '../../store/record.ts'
import type { RunEntry } from '../../store/runs.ts'
import { rebuildView, loadSummary, loadView } from '../../store/run-views.ts'
import { countUnknownRows } from '../../store/unknown-rows.ts'
import type { Sql } from '../../store/db/sql.ts'
import { currentOutcome } from './current-outcome.ts'
import { findUndoOf } from '../undo/undone-run.ts'

export async function currentStatusOf(sql: Sql, entry: RunEntry): Promise<RunStatusInput> {
  const { end } = entry
  const undone = (await findUndoOf(sql, entry.id)) !== null
  // Only a question that a person is asked stands in the record alone; of the others the list of runs says everything.
  if (end !== null && end.outcome !== 'needs_acceptance') {
    const { id, workspace } = entry
    const outcome = await currentOutcome(sql, { run: id, workspace, outcome: outcomeFrom(end), at: end.at })
    return { outcome, left: false, undone }
  }
  const { is, outcome } = (await loadSummary(sql, entry.id)) ?? (await rebuildView(sql, entry.id)).view ?? UNKNOWN
  return { outcome: await today(sql, entry, outcome), left: is === 'left', undone }
}

/** Of a record whose beginning nobody here understands. */
const UNKNOWN = { is: 'going', outcome: null } as const

function outcomeFrom({ outcome, reason, verdict, exit }: NonNullable<RunEntry['end']>): Outcome {
  return { is: outcome, reason, verdict, exit: exit as Outcome['exit'] }
}

/** As its rows have left it, with its newest iterations; `unknown`: rows that a newer Ralph wrote and nobody here understands. */
export async function currentViewOf(sql: Sql, entry: RunEntry): Promise<{ view: RunView | null; unknown: number }> {
  const view = await loadView(sql, entry, { iterations: 'newest' })
  const unknown = await countUnknownRows(sql, entry.id)
  if (view === null) return { view, unknown }
  return { view: { ...view, outcome: await today(sql, entry, view.outcome) }, unknown }
}

async function today(sql: Sql, { id: run, workspace }: RunEntry, outcome: Outcome | null): Promise<Outcome | null> {
  if (outcome === null) return null
  const last = await lastRowTime(sql, run)
  return currentOutcome(sql, { run, workspace, outcome, at: last?.at ?? 0 })
}
