/** What the work on a task changed in the tree, and whether foreign changes are mixed in: failed work is reverted only as a whole. */
import type { DraftJob } from '../features/draft.ts'
import type { WorkerId } from '../ids.ts'
import type { Snapshot } from './change.ts'
import { branchStateAfter } from './branch-state.ts'
import { lastSnapshotFrom } from './last-snapshot.ts'
import { isSameSnapshot, snapshotRefOf, type SnapshotRef, type OwnChange } from './own-change.ts'
import type { EventOf } from '../state/event.ts'
import type { Worker } from '../state/state.ts'
import { patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { draftJobOf } from '../state/job.ts'

/** From the snapshot before its first call to the last snapshot. */
export interface JobChange extends OwnChange {
  /** A person or another process changed something in between. */
  mixed: boolean
}

/** A snapshot before an iteration: new changes are not the task's, unless an agent or a gate ran since the last snapshot. */
export function recordSnapshotBefore(ctx: StepContext, id: WorkerId, snapshot: Snapshot): void {
  const worker = workerOf(ctx, id)
  const { author, measured } = worker
  const now = snapshotRefOf(snapshot)
  const draft = draftJobOf(worker)
  if (draft !== null) return saveJobChange(ctx, id, ofDraft(draft, now, { measured }))
  const own = ownOf(worker)
  // Until an agent was asked, nothing of it is there.
  if (own === null || author === null) return saveJobChange(ctx, id, { before: now, after: now, mixed: false })
  const last = lastSnapshotRef(worker)
  const isForeign = measured && last !== null && !isSameSnapshot(last, now)
  saveJobChange(ctx, id, { ...own, after: now, mixed: own.mixed || isForeign })
}

/** Each turn of a draft begins with what is there, but for what a turn left that failed: that is still to be reverted. */
function ofDraft({ own }: DraftJob, now: SnapshotRef, { measured }: { measured: boolean }): JobChange {
  if (own === null || (measured && isSameSnapshot(own.before, own.after)))
    return { before: now, after: now, mixed: false }
  const isForeign = measured && !isSameSnapshot(own.after, now)
  return { ...own, after: now, mixed: own.mixed || isForeign }
}

/** A look after an agent, whatever it was for. */
export function recordSnapshotAfter(ctx: StepContext, id: WorkerId, snapshot: Snapshot): void {
  const own = ownOf(workerOf(ctx, id))
  if (own !== null) saveJobChange(ctx, id, { ...own, after: snapshotRefOf(snapshot) })
}

/** The work was reverted: the tree is as this snapshot says, which is not a person's edit. */
export function recordRevert(ctx: StepContext, event: Extract<EventOf<'reverted'>, { is: 'back' }>): void {
  const { worker: id, checkboxes, nextCheckbox, snapshot } = event
  const { seen, branchState } = workerOf(ctx, id)
  patchWorker(ctx, id, {
    seen: lastSnapshotFrom(seen, event),
    branchState: branchStateAfter(branchState, snapshot, 'agent'),
    measured: true,
    checkboxes,
    nextCheckbox,
  })
}

/** What is staged after Ralph's own commit is unknown until the next snapshot. */
export function recordOwnCommit(ctx: StepContext, id: WorkerId, head: string): void {
  const own = ownOf(workerOf(ctx, id))
  if (own === null) return
  const { index: _, ...after } = own.after
  saveJobChange(ctx, id, { ...own, after: { ...after, head } })
}

/** The last snapshot: gates report the tree they leave, and nothing else. */
export function lastSnapshotRef(worker: Pick<Worker, 'job' | 'seen'>): SnapshotRef | null {
  const own = ownOf(worker)
  if (own === null) return null
  const { seen } = worker
  return seen === null ? own.after : { ...own.after, tree: seen.tree }
}

/** Null: before the first snapshot, or the job does not track its changes. */
function ownOf({ job }: Pick<Worker, 'job'>): JobChange | null {
  return 'own' in job ? job.own : null
}

function saveJobChange(ctx: StepContext, id: WorkerId, own: JobChange): void {
  const { job } = workerOf(ctx, id)
  if ('own' in job) patchWorker(ctx, id, { job: { ...job, own } })
}
