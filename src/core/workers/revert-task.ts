/**
 * The end of the work on a task. Failed work is reverted before the task is finished in the store, so that the next task is judged by
 * its own work; if it cannot be separated from foreign changes it stays, with a decision that says so.
 */
import type { EffectId, WorkerId } from '../ids.ts'
import { isSameSnapshot } from '../tree/own-change.ts'
import { assertNever } from '../assert-never.ts'
import type { EventOf } from '../state/event.ts'
import { requestEffect, recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { plural } from '../text/format-amounts.ts'
import { taskJobOf, type TaskJob } from '../state/job.ts'
import { lastSnapshotRef, recordRevert } from '../tree/job-change.ts'
import { requestTaskFinish, type TaskFinish } from '../pipeline/request-task-finish.ts'

export function finishClaimedTask(ctx: StepContext, id: WorkerId, how: TaskFinish): void {
  const effect = requestTaskFinish(ctx, id, how)
  if (effect !== null) enterPhase(ctx, id, { is: 'finishing-task', effect })
}

export function revertAndFinishTask(ctx: StepContext, id: WorkerId, how: TaskFinish): void {
  const effect = requestTaskRevert(ctx, id)
  if (effect === null) return finishClaimedTask(ctx, id, how)
  enterPhase(ctx, id, { is: 'reverting', effect, finishTask: how })
}

/** Null: there is nothing of it in the tree, or it stays there. */
function requestTaskRevert(ctx: StepContext, id: WorkerId): EffectId | null {
  const worker = workerOf(ctx, id)
  const { seen, measured } = worker
  const job = taskJobOf(worker)
  if (job === null || job.own === null || worker.author === null) return null
  if (ctx.state.run.rules.task.failed === 'keep') return null
  const { before, after, mixed } = job.own
  if (measured && seen?.tree === before.tree && isSameSnapshot(before, after)) return null
  if (mixed) {
    recordNotReverted(ctx, id, job, 'somebody else changed files at the same time')
    return null
  }
  // A person may have edited files meanwhile: the tree must still be as in the last snapshot.
  const since = measured && seen?.fresh === false ? lastSnapshotRef(worker) : null
  const { task, attempt } = job
  return requestEffect(ctx, { type: 'revert', worker: id, task, attempt, iteration: worker.iteration, before, since })
}

export function onTaskReverted(ctx: StepContext, event: EventOf<'reverted'>): void {
  const { worker: id } = event
  const worker = workerOf(ctx, id)
  const { phase } = worker
  const job = taskJobOf(worker)
  if (job === null || phase.is !== 'reverting') return
  switch (event.is) {
    case 'stays':
      recordNotReverted(ctx, id, job, event.why)
      break
    case 'back':
      recordRevert(ctx, event)
      recordDecision(ctx, id, 'task', 'revert', describeTaskReverted(job, event))
      break
    default:
      assertNever(event)
  }
  finishClaimedTask(ctx, id, phase.finishTask)
}

/** The revert failed, or was interrupted at an unknown point. */
export function onTaskNotReverted(ctx: StepContext, id: WorkerId, why: string): void {
  const worker = workerOf(ctx, id)
  const { phase } = worker
  const job = taskJobOf(worker)
  if (job === null || phase.is !== 'reverting') return
  recordNotReverted(ctx, id, job, why)
  // It may be half done: the files there now are not a person's edit.
  patchWorker(ctx, id, { measured: false })
  finishClaimedTask(ctx, id, phase.finishTask)
}

function recordNotReverted(ctx: StepContext, id: WorkerId, { task, own }: TaskJob, why: string): void {
  const head = own?.before.head ?? null
  const see = head === null ? 'git status' : `git diff ${head.slice(0, 10)}`
  recordDecision(
    ctx,
    id,
    'task',
    'stays',
    `${task}: Ralph did not revert its changes (${why}), so they count as part of the next tasks. See them: ${see}. Revert them: ralph undo --task ${task}`,
  )
}

function describeTaskReverted(
  { task }: TaskJob,
  { files, commits, kept, began, left }: Extract<EventOf<'reverted'>, { is: 'back' }>,
): string {
  const went = commits === 0 ? '' : ` and ${plural(commits, 'commit')}`
  const stay = left.length === 0 ? '' : `; not reverted, because Ralph has no stored version: ${left.join(', ')}`
  // Both trees include a person's uncommitted files, so these are not part of the difference.
  const did = began === undefined ? `HEAD...${kept}` : `${began} ${kept}`
  return `${task}: reverted its ${plural(files, 'file')}${went}${stay}. See the changes: git diff ${did}. Restore them: git diff --binary ${did} | git -C "$(git rev-parse --show-toplevel)" apply -3`
}
