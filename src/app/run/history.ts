/** The history of a run for a screen that cannot show all of it: a page of iterations, or one iteration in detail. */
import type { RunId, WorkerId } from '../../core/ids.ts'
import type { Evidence } from '../../core/proof/evidence.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import { loadIterationPage } from '../../store/run-views.ts'
import { streamRowsAfter } from '../../store/record.ts'
import { readFilePart } from '../../system/files/read-part.ts'
import { patchBetween } from '../../workspace/repo/patch.ts'
import { withStoreAndFolders, withStore, type ProjectFolders } from '../open-store.ts'
import { collectIteration, type IterationQuery, type IterationDetails } from './run-details.ts'
import { logPathOf, timelineOf } from './timeline.ts'

export interface IterationPageQuery {
  run: RunId
  /** The first one, counted from 1 over all workers in the order in which they began. */
  from: number
  count: number
}

/** Iterations as in the view, oldest first. */
export function readIterations(root: string, { run, from, count }: IterationPageQuery): Promise<IterationView[]> {
  return withStore(root, ({ sql }) => loadIterationPage(sql, run, { from, count }))
}

/** Parts of an iteration; each is read separately, because each may be large. */
export type IterationPart = 'diff' | 'gates' | 'evidence'

export interface IterationPartQuery extends IterationQuery {
  worker: WorkerId
  /** The row it began with, or one before it. */
  fromRow: number
  part: IterationPart
}

export interface LoadedIterationPart {
  part: IterationPart
  /** With a patch if the diff was requested. */
  shown: IterationDetails
  /** The output of the gates, if requested. */
  outputs: GateOutput[]
}

export interface GateOutput {
  evidence: Evidence
  /** Its end; null: the log was pruned or deleted by hand. */
  text: string | null
  /** Bytes of the log before `text`. */
  before: number
}

/** Nobody scrolls through more; `ralph show --patch` and the logs have the rest. */
const PATCH_MAX = 256 * 1024
const OUTPUT_MAX = 48 * 1024
const OUTPUTS_MAX = 256 * 1024

/** Null: the run has no such iteration. */
export function readIterationPart(root: string, wanted: IterationPartQuery): Promise<LoadedIterationPart | null> {
  const { run, fromRow, part } = wanted
  return withStoreAndFolders(root, async ({ sql }, folders) => {
    const shown = await collectIteration(folders, wanted, timelineOf(streamRowsAfter(sql, run, fromRow - 1)))
    if (shown === null) return null
    const patch =
      part === 'diff' && shown.trees !== null ? await patchBetween(folders.repo, shown.trees, PATCH_MAX) : null
    const outputs = part === 'gates' ? outputsOf(folders, run, shown.evidence) : []
    return { part, shown: { ...shown, patch }, outputs }
  })
}

/** A gate that runs again appends to its log, so each log is read once, for the last run that wrote to it. */
function outputsOf({ folder }: ProjectFolders, run: RunId, evidence: Evidence[]): GateOutput[] {
  const last = new Map(evidence.map((one) => [one.log, one]))
  const each = Math.min(OUTPUT_MAX, Math.floor(OUTPUTS_MAX / Math.max(1, last.size)))
  return [...last.values()].map((one) => {
    const path = logPathOf({ folder, run, recorded: one.log })
    const size = readFilePart(path, { from: 0, max: 0 })?.size ?? 0
    const before = Math.max(0, size - each)
    const bytes = readFilePart(path, { from: before, max: each })?.bytes ?? null
    return { evidence: one, text: bytes?.toString('utf8') ?? null, before }
  })
}
