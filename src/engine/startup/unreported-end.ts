/**
 * A run that ended when nobody was there to hear it: the process was killed between its last row and its last words. The next start
 * says how it ended instead of paying for the same work again. Where something changed since, there is new work, and a run begins.
 */
import { firstWorker } from '../../core/presentation/focused-worker.ts'
import type { RunState } from '../../core/state/state.ts'
import type { RunId } from '../../core/ids.ts'
import type { RunKind } from '../../core/state/run-kind.ts'
import type { OutcomeName } from '../../core/state/outcome.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import type { Store } from '../../store/db/open-store.ts'
import { loadLatestRun } from '../../store/runs.ts'
import { isEndUnreported, markEndReported } from '../../store/end-reported.ts'
import { UNMASKED } from '../../system/mask/mask.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { readPlanCheckboxes } from '../handlers/take-snapshot.ts'
import { loadRunPosition, loadedViewOf } from '../runtime/recover-run.ts'

export interface UnreportedEnd {
  run: RunId
  state: RunState
  /** What its record tells. */
  view: RunView
}

/** Whoever asked for these endings knows of them. */
const ASKED_FOR: ReadonlySet<OutcomeName> = new Set<OutcomeName>(['stopped', 'abandoned'])

/** The last run of this tree, if it ended untold and nothing has changed since; otherwise null. */
export async function findUnreportedEnd(place: {
  store: Store
  root: string
  repo: Repo
  notice(text: string): void
  /** What is begun: the end of another kind of run is no answer to it. */
  kind: RunKind
}): Promise<UnreportedEnd | null> {
  const { sql } = place.store
  const last = await loadLatestRun(sql, place.root)
  if (last === null || last.end === null || !(await isEndUnreported(sql, last.id))) return null
  const kept = await loadRunPosition(sql, last.id)
  const { state } = kept
  const isMeant = last.kind === place.kind && last.kind !== 'feature'
  if (isMeant && !ASKED_FOR.has(last.end.outcome) && (await isUnchanged(place, state))) {
    return { run: last.id, state, view: loadedViewOf(kept) }
  }
  place.notice(`Run ${last.id} had ended (${last.end.outcome}: ${last.end.reason}); a new one begins.`)
  await markEndReported(sql, last.id)
  return null
}

/** The tree and the plan are as the run last saw them. */
async function isUnchanged({ repo, root }: { repo: Repo; root: string }, { run, workers }: RunState): Promise<boolean> {
  const worker = firstWorker(workers)
  if (worker === undefined || worker.seen === null) return false
  // Only the checkboxes are looked at, so nothing needs to be masked.
  const { checkboxes } = readPlanCheckboxes({ root, loop: run.rules.loop, mask: UNMASKED })
  if (JSON.stringify(checkboxes) !== JSON.stringify(worker.checkboxes)) return false
  return (await takeSnapshot(repo, { ref: null })).tree === worker.seen.tree
}
