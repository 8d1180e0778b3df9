/**
 * A run whose end was not reported, because the process was killed after its last row. The next start reports the end instead of paying
 * for the same work again. If something has changed since, there is new work, and a new run begins.
 */
import { firstWorker } from '../../core/presentation/focused-worker.ts'
import type { RunState } from '../../core/state/state.ts'
import type { RunId } from '../../core/ids.ts'
import type { RunKind } from '../../core/state/run-kind.ts'
import type { OutcomeName } from '../../core/state/outcome.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { Store } from '../../store/db/open-store.ts'
import { loadLatestRun } from '../../store/runs.ts'
import { isRunEndUnreported, markRunEndReported } from '../../store/run-end-reported.ts'
import { NO_OP_MASKER } from '../../system/mask/mask.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { readPlanCheckboxes } from '../handlers/take-snapshot.ts'
import { loadRunPosition, requireRunView } from '../runtime/recover-run.ts'

export interface UnreportedEnd {
  run: RunId
  state: RunState
  /** The view of its record. */
  view: RunView
}

/** The user requested these outcomes, so they need no report. */
const ASKED_FOR: ReadonlySet<OutcomeName> = new Set<OutcomeName>(['stopped', 'abandoned'])

/** The last run of this tree, if its end was not reported and nothing has changed since; otherwise null. */
export async function findUnreportedEnd(place: {
  store: Store
  root: string
  repo: Repo
  notice(text: string): void
  /** The kind of the new run: the end of another kind of run does not replace it. */
  kind: RunKind
}): Promise<UnreportedEnd | null> {
  const { sql } = place.store
  const last = await loadLatestRun(sql, place.root)
  if (last === null || last.end === null || !(await isRunEndUnreported(sql, last.id))) return null
  const kept = await loadRunPosition(sql, last.id)
  const { state } = kept
  const isMeant = last.kind === place.kind && last.kind !== 'feature'
  if (isMeant && !ASKED_FOR.has(last.end.outcome) && (await isUnchanged(place, state))) {
    return { run: last.id, state, view: requireRunView(kept) }
  }
  place.notice(`Run ${last.id} has ended (${last.end.outcome}: ${last.end.reason}). Starting a new one.`)
  await markRunEndReported(sql, last.id)
  return null
}

/** Whether the tree and the plan are the same as in the run's last snapshot. */
async function isUnchanged({ repo, root }: { repo: Repo; root: string }, { run, workers }: RunState): Promise<boolean> {
  const worker = firstWorker(workers)
  if (worker === undefined || worker.seen === null) return false
  // Only the checkboxes are compared, so nothing needs to be masked.
  const { checkboxes } = readPlanCheckboxes({ root, loop: run.rules.loop, mask: NO_OP_MASKER })
  if (JSON.stringify(checkboxes) !== JSON.stringify(worker.checkboxes)) return false
  return (await takeSnapshot(repo, { ref: null })).tree === worker.seen.tree
}
