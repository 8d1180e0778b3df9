/** What the work on a task has made of the tree, and whether somebody else's doing is in it: what failed is put back only as a whole. */
import type { DraftJob } from '../feature/draft.ts'
import type { WorkerId } from '../ids.ts'
import type { Snapshot } from './change.ts'
import { footingAfter } from './branch-state.ts'
import { seenNow } from './seen.ts'
import { isSamePoint, pointOf, type Point, type Stretch } from './own-change.ts'
import type { EventOf } from '../state/event.ts'
import type { Worker } from '../state/state.ts'
import { patchWorker, workerOf, type Course } from '../state/context.ts'
import { draftOf } from '../state/job.ts'

/** From the look before its first agent to the last look. */
export interface OwnWork extends Stretch {
  /** Somebody else changed something in between. */
  mixed: boolean
}

/** A look before an iteration: whatever is new is not the task's, unless nobody looked since an agent or a gate was at it. */
export function lookedBefore(course: Course, id: WorkerId, snapshot: Snapshot): void {
  const worker = workerOf(course, id)
  const { author, measured } = worker
  const now = pointOf(snapshot)
  const draft = draftOf(worker)
  if (draft !== null) return keep(course, id, ofDraft(draft, now, { measured }))
  const own = ownOf(worker)
  // Until an agent was asked, nothing of it is there.
  if (own === null || author === null) return keep(course, id, { before: now, after: now, mixed: false })
  const last = lastPoint(worker)
  const isForeign = measured && last !== null && !isSamePoint(last, now)
  keep(course, id, { ...own, after: now, mixed: own.mixed || isForeign })
}

/** Each turn of a draft begins with what is there, but for what a turn left that failed: that is still to be put back. */
function ofDraft({ own }: DraftJob, now: Point, { measured }: { measured: boolean }): OwnWork {
  if (own === null || (measured && isSamePoint(own.before, own.after)))
    return { before: now, after: now, mixed: false }
  const isForeign = measured && !isSamePoint(own.after, now)
  return { ...own, after: now, mixed: own.mixed || isForeign }
}

/** A look after an agent, whatever it was for. */
export function lookedAfter(course: Course, id: WorkerId, snapshot: Snapshot): void {
  const own = ownOf(workerOf(course, id))
  if (own !== null) keep(course, id, { ...own, after: pointOf(snapshot) })
}

/** What was done is out of the tree again: it is as this look says, and that is nobody's edit. */
export function wentBack(course: Course, event: Extract<EventOf<'put-back'>, { is: 'back' }>): void {
  const { worker: id, boxes, nextBox, snapshot } = event
  const { seen, footing } = workerOf(course, id)
  patchWorker(course, id, {
    seen: seenNow(seen, event),
    footing: footingAfter(footing, snapshot, 'agent'),
    measured: true,
    boxes,
    nextBox,
  })
}

/** What is staged after a commit of ours, nobody knows before the next look. */
export function ownCommit(course: Course, id: WorkerId, head: string): void {
  const own = ownOf(workerOf(course, id))
  if (own === null) return
  const { index: _, ...after } = own.after
  keep(course, id, { ...own, after: { ...after, head } })
}

/** As it was seen last: gates tell what tree they leave, and say nothing of the rest. */
export function lastPoint(worker: Pick<Worker, 'job' | 'seen'>): Point | null {
  const own = ownOf(worker)
  if (own === null) return null
  const { seen } = worker
  return seen === null ? own.after : { ...own.after, tree: seen.tree }
}

/** Null: nobody has looked yet, or the job keeps no account of it. */
function ownOf({ job }: Pick<Worker, 'job'>): OwnWork | null {
  return 'own' in job ? job.own : null
}

function keep(course: Course, id: WorkerId, own: OwnWork): void {
  const { job } = workerOf(course, id)
  if ('own' in job) patchWorker(course, id, { job: { ...job, own } })
}
