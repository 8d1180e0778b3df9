/** What is going on in a project, or how the last run ended: read from the store, without the engine. */
import type { RunId } from '../domain/ids.ts'
import { foldKnown, type View } from '../domain/view.ts'
import { holderOf, type Holder } from '../store/holder.ts'
import { lossWords } from '../store/newest.ts'
import { latestRun } from '../store/runs.ts'
import { allRows } from '../store/record.ts'
import { withStore } from './place.ts'
import { settled } from './settled.ts'
import { RalphError } from '../domain/error.ts'

export interface Status {
  root: string
  run: RunId | null
  /** Null: nothing has run yet. */
  view: View | null
  /** The process that works here now. */
  holder: Pick<Holder, 'pid' | 'command' | 'since'> | null
  /** The last run has not ended and nobody serves it: a crash or a pause; one that was left says so itself. */
  cutOff: boolean
  /** Rows that a newer Ralph wrote and nobody here understands. */
  unknown: number
  /** What was written and is not in the store any more, in words. */
  lost: string | null
}

export async function statusOf(root: string): Promise<Status> {
  try {
    return await withStore(root, async ({ sql, lost }) => {
      const holder = await holderOf(sql, root)
      const last = await latestRun(sql, root)
      let view: View | null = null
      let unknown = 0
      if (last !== null) {
        for await (const row of allRows(sql, last.id)) {
          const folded = foldKnown(view, row)
          view = folded.view
          if (!folded.known) unknown += 1
        }
      }
      if (last !== null && view !== null && view.outcome !== null) {
        const outcome = await settled(sql, { run: last.id, workspace: root, outcome: view.outcome })
        view = { ...view, outcome }
      }
      return {
        root,
        run: last?.id ?? null,
        view,
        holder,
        cutOff: last !== null && last.end === null && holder === null && view?.is !== 'left',
        unknown,
        lost: lost === null ? null : lossWords(lost),
      }
    })
  } catch (error) {
    if (error instanceof RalphError && error.code === 'no-run')
      return { root, run: null, view: null, holder: null, cutOff: false, unknown: 0, lost: null }
    throw error
  }
}
