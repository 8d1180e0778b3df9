/** A record told in order, each row with the view it led to and the iteration it belongs to. */
import { join } from 'node:path'
import type { RunId, WorkerId } from '../../core/ids.ts'
import type { Row } from '../../core/state/row.ts'
import { foldViewTolerantly, type RunView } from '../../core/presentation/run-view.ts'

export interface TimelineEntry {
  row: Row
  /** Null: not even the beginning of the record could be understood. */
  view: RunView | null
  /** False: a newer Ralph wrote this row, and nothing is known of it but its time. */
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
    // What concerns the whole run stands where the run is.
    const iteration =
      'worker' in row.event ? (iterations.get(row.event.worker) ?? 0) : Math.max(0, ...iterations.values())
    yield { row, ...folded, iteration }
  }
}

/** Where a log of the record lies now: the project may have been moved since, so the path counts from the run's own folder on. */
export function logPathOf({ folder, run, recorded }: { folder: string; run: RunId; recorded: string }): string {
  const parts = recorded.split(/[\\/]/)
  const at = parts.lastIndexOf(run)
  return at === -1 ? recorded : join(folder, 'logs', run, ...parts.slice(at + 1))
}
