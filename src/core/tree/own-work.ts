/** What the work on a task has made of the tree, and whether somebody else's doing is in it: what failed is reverted only as a whole. */
import type { DraftJob } from '../features/draft.ts'
import type { WorkerId } from '../ids.ts'
import type { Snapshot } from './change.ts'
import { branchStateAfter } from './branch-state.ts'
import { lastSnapshotFrom } from './last-snapshot.ts'
import { isSameSnapshot, snapshotRefOf, type SnapshotRef, type OwnChange } from './own-change.ts'
import type { EventOf } from '../state/event.ts'
import type { Worker } from '../state/state.ts'
import { patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { draftOf } from '../state/job.ts'

/** From the look before its first agent to the last look. */
export interface TaskWork extends OwnChange {
  /** Somebody else changed something in between. */
  mixed: boolean
}

/** A look before an iteration: whatever is new is not the task's, unless nobody looked since an agent or a gate was at it. */
export function recordSnapshotBefore(ctx: StepContext, id: WorkerId, snapshot: Snapshot): void {
  const worker = workerOf(ctx, id)
  const { author, measured } = worker
  const now = snapshotRefOf(snapshot)
  const draft = draftOf(worker)
  if (draft !== null) return keep(ctx, id, ofDraft(draft, now, { measured }))
  const own = ownOf(worker)
  // Until an agent was asked, nothing of it is there.
  if (own === null || author === null) return keep(ctx, id, { before: now, after: now, mixed: false })
  const last = lastSnapshotRef(worker)
  const isForeign = measured && last !== null && !isSameSnapshot(last, now)
  keep(ctx, id, { ...own, after: now, mixed: own.mixed || isForeign })
}

/** Each turn of a draft begins with what is there, but for what a turn left that failed: that is still to be reverted. */
function ofDraft({ own }: DraftJob, now: SnapshotRef, { measured }: { measured: boolean }): TaskWork {
  if (own === null || (measured && isSameSnapshot(own.before, own.after)))
    return { before: now, after: now, mixed: false }
  const isForeign = measured && !isSameSnapshot(own.after, now)
  return { ...own, after: now, mixed: own.mixed || isForeign }
}

/** A look after an agent, whatever it was for. */
export function recordSnapshotAfter(ctx: StepContext, id: WorkerId, snapshot: Snapshot): void {
  const own = ownOf(workerOf(ctx, id))
  if (own !== null) keep(ctx, id, { ...own, after: snapshotRefOf(snapshot) })
}

/** What was done is out of the tree again: it is as this look says, and that is nobody's edit. */
export function recordRevert(ctx: StepContext, event: Extract<EventOf<'revert'>, { is: 'back' }>): void {
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

/** What is staged after a commit of ours, nobody knows before the next look. */
export function recordOwnCommit(ctx: StepContext, id: WorkerId, head: string): void {
  const own = ownOf(workerOf(ctx, id))
  if (own === null) return
  const { index: _, ...after } = own.after
  keep(ctx, id, { ...own, after: { ...after, head } })
}

/** As it was seen last: gates tell what tree they leave, and say nothing of the rest. */
export function lastSnapshotRef(worker: Pick<Worker, 'job' | 'seen'>): SnapshotRef | null {
  const own = ownOf(worker)
  if (own === null) return null
  const { seen } = worker
  return seen === null ? own.after : { ...own.after, tree: seen.tree }
}

/** Null: nobody has looked yet, or the job keeps no account of it. */
function ownOf({ job }: Pick<Worker, 'job'>): TaskWork | null {
  return 'own' in job ? job.own : null
}

function keep(ctx: StepContext, id: WorkerId, own: TaskWork): void {
  const { job } = workerOf(ctx, id)
  if ('own' in job) patchWorker(ctx, id, { job: { ...job, own } })
}
