/** The rows of a record in order, each with the view after it and the iteration it belongs to. */
import { join } from 'node:path'
import type { RunId, WorkerId } from '../../core/ids.ts'
import type { Row } from '../../core/state/row.ts'
import { foldViewTolerantly, type RunView } from '../../core/presentation/run-view.ts'

export interface TimelineEntry {
  row: Row
  /** Null: not even the first rows could be read. */
  view: RunView | null
  /** False: a newer Ralph wrote this row, and only its time is known. */
  known: boolean
  /** 0: before the first. */
  iteration: number
}

export async function* timelineOf(rows: AsyncIterable<Row>): AsyncGenerator<TimelineEntry> {
  const iterations = new Map<WorkerId, number>()
  let view: RunView | null = null
  for await (const row of rows) {
    const folded = foldViewTolerantly(view, row)
    view = folded.view
    for (const effect of row.effects) {
      if (effect.type === 'run-agent') iterations.set(effect.worker, effect.iteration)
    }
    // A row without a worker belongs to the newest iteration.
    const iteration =
      'worker' in row.event ? (iterations.get(row.event.worker) ?? 0) : Math.max(0, ...iterations.values())
    yield { row, ...folded, iteration }
  }
}

/** The current path of a log in the record: the project may have moved, so only the part from the run's folder on counts. */
export function logPathOf({ folder, run, recorded }: { folder: string; run: RunId; recorded: string }): string {
  const parts = recorded.split(/[\\/]/)
  const at = parts.lastIndexOf(run)
  return at === -1 ? recorded : join(folder, 'logs', run, ...parts.slice(at + 1))
}
