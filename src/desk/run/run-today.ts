/** How a run stands today: by its record, and by what a person said about it since. One answer for every screen. */
import type { RunId } from '../../domain/ids.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Standing } from '../../domain/tell/run-title.ts'
import { foldKnown, type View } from '../../domain/tell/view.ts'
import { allRows } from '../../store/record.ts'
import type { RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { settled } from './settled.ts'
import { undoneSince } from '../undo/undone.ts'

export async function standingOf(sql: Sql, entry: RunEntry): Promise<Standing> {
  const { end } = entry
  const undone = (await undoneSince(sql, entry.id)) !== null
  // Only a question that a person is asked stands in the record alone; of the others the list of runs says everything.
  if (end !== null && end.outcome !== 'needs_acceptance') {
    const { id, workspace } = entry
    const outcome = await settled(sql, { run: id, workspace, outcome: outcomeFrom(end), at: end.at })
    return { outcome, left: false, undone }
  }
  const { view } = await viewOf(sql, entry)
  return { outcome: view?.outcome ?? null, left: view?.is === 'left', undone }
}

function outcomeFrom({ outcome, reason, verdict, exit }: NonNullable<RunEntry['end']>): Outcome {
  return { is: outcome, reason, verdict, exit: exit as Outcome['exit'] }
}

/** The whole record folded; `unknown`: rows that a newer Ralph wrote and nobody here understands. */
export async function viewOf(
  sql: Sql,
  { id, workspace }: { id: RunId; workspace: string },
): Promise<{ view: View | null; unknown: number }> {
  let view: View | null = null
  let unknown = 0
  for await (const row of allRows(sql, id)) {
    const folded = foldKnown(view, row)
    view = folded.view
    if (!folded.known) unknown += 1
  }
  if (view === null || view.outcome === null) return { view, unknown }
  const outcome = await settled(sql, { run: id, workspace, outcome: view.outcome, at: view.at })
  return { view: { ...view, outcome }, unknown }
}
