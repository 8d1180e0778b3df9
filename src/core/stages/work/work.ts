/** The stage in which an agent works: iterations until it claims that the loop or its task is complete. */
import { enforceCallLimits, admitCallOrWait, findAvailableAgent } from '../../calls/call.ts'
import { beginIteration } from '../../calls/begin-iteration.ts'
import { iterationHandlers, onKnowledgeUnsaved, type IterationHooks } from '../../calls/iteration.ts'
import type { TreeHash, WorkerId } from '../../ids.ts'
import { recordFailedAttempt, recordAttempt } from '../../calls/choose-model.ts'
import type { IterationResult } from '../../calls/iteration-result.ts'
import { recordIterationEnd } from '../../calls/record-iteration-end.ts'
import { abortRunningEffect } from '../../pipeline/abort-effect.ts'
import { finishStage, continueWorker, type StageRetry } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import type { Reply } from '../../agent-output/reply.ts'
import { readTaskResult } from '../../agent-output/task-result.ts'
import type { EffectOf } from '../../state/effect.ts'
import type { Worker } from '../../state/state.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { clip } from '../../text/sanitize.ts'
import { saveBase } from '../../tree/base.ts'
import { moveBaseIfEdited, requestSnapshotBefore, applySnapshotBefore } from '../../tree/request-snapshot.ts'
import { planClaimsCompletion } from '../../calls/plan-completion-claim.ts'
import { shouldRevertDropped, taskJobOf, type TaskJob } from '../../state/job.ts'
import { isStopping } from '../../admission/worker-directive.ts'
import { taskCallOf } from '../../calls/task-call.ts'
import { requestWaitFor } from '../../pipeline/wait.ts'
import { evaluateTaskIteration } from './evaluate-task-iteration.ts'
import { evaluateLoopIteration } from './evaluate-loop-iteration.ts'

const ITERATION: IterationHooks = {
  commit(ctx, id, { reply, tree }) {
    const worker = workerOf(ctx, id)
    const task = taskJobOf(worker)
    if (!shouldCommit(task, isStopping(ctx, id))) return null
    return { message: commitMessage(worker, task, reply), ...ownFiles(task, tree) }
  },
  isWorked: ({ reply, change }) => reply.end === 'success' || (reply.end === 'timed-out' && change.files > 0),
  weigh(ctx, id, done) {
    const job = taskJobOf(workerOf(ctx, id))
    if (job === null) evaluateLoopIteration(ctx, id, done)
    else evaluateTaskIteration(ctx, id, { ...done, job })
  },
  cutOff,
  // The pipeline limits how often a task is tried; a task has no breaker.
  afterFailure(ctx, id, call) {
    if (taskJobOf(workerOf(ctx, id)) === null) return false
    finishStage(ctx, id, 'UNKNOWN', { again: { ...call, judged: false } })
    return true
  },
}

const CALL = iterationHandlers(ITERATION)

export const WORK_STAGE: StageModule = {
  kind: 'work',
  phases: ['taking-snapshot', 'resolving-base', 'admitting', 'working', 'measuring', 'committing', 'saving-knowledge'],
  begin(ctx, id, entered) {
    if (entered === undefined) return beginCall(ctx, id)
    if (entered.again === undefined) return continueWorker(ctx, id)
    workAgain(ctx, id, entered.again)
  },
  on: {
    ...CALL,
    'snapshot-taken'(ctx, event) {
      if (workerOf(ctx, event.worker).phase.is !== 'taking-snapshot') return CALL['snapshot-taken'](ctx, event)
      const look = applySnapshotBefore(ctx, event)
      if (look !== null && !moveBaseIfEdited(ctx, event.worker, look)) continueWorker(ctx, event.worker)
    },
    'base-resolved'(ctx, event) {
      saveBase(ctx, event)
      continueWorker(ctx, event.worker)
    },
    admitted: (ctx, event) => admitted(ctx, event.worker),
  },
  abort: abortRunningEffect,
  describe: ({ iteration }) => `working on iteration ${iteration}`,
  failed(ctx, id, { effect, isLost }) {
    if (effect?.type !== 'save-knowledge' || isLost) return false
    onKnowledgeUnsaved(ctx, id, ITERATION)
    return true
  },
}

function beginCall(ctx: StepContext, id: WorkerId): void {
  const isFresh = workerOf(ctx, id).seen?.fresh === true
  // A completed plan needs no call, so no limit applies: the plan is read once more, then the completion is proven.
  if (planClaimsCompletion(ctx, id)) return isFresh ? claimPlan(ctx, id) : requestSnapshotBefore(ctx, id)
  if (!enforceCallLimits(ctx, id)) return
  const chosen = findAvailableAgent(ctx, ctx.state.run.rules.agent.order)
  if (chosen.is === 'free' && !isFresh) return requestSnapshotBefore(ctx, id)
  admitCallOrWait(ctx, id, 'work', chosen)
}

function claimPlan(ctx: StepContext, id: WorkerId): void {
  const already = workerOf(ctx, id).iteration === 0 ? ' already' : ''
  const why = `every item of the plan is done${already}`
  finishStage(ctx, id, 'PASS', { completion: { is: 'plan_complete', why } })
}

/** A task that is worked on again says why; an agent that failed gets its pause first. */
function workAgain(ctx: StepContext, id: WorkerId, { because, afterMs, hasGivenUp }: StageRetry): void {
  recordFailedAttempt(ctx, id, { stuck: false, ...(hasGivenUp ? { hasGivenUp } : {}) })
  const { task } = taskCallOf(workerOf(ctx, id))
  if (task !== undefined) {
    const why = `retrying ${task.id} (attempt ${task.visit} of ${task.of}): ${because}`
    recordDecision(ctx, id, 'task', 'retry', why)
  }
  if (afterMs === undefined) return continueWorker(ctx, id)
  requestWaitFor(ctx, id, afterMs, because)
}

function admitted(ctx: StepContext, id: WorkerId): void {
  const worker = workerOf(ctx, id)
  beginIteration(ctx, id, {
    about: taskCallOf(worker),
    openCheckboxes: taskJobOf(worker) === null ? (worker.checkboxes?.open ?? null) : null,
    // It stays until an agent has worked with it: an agent that meets its usage limit at once has not.
    steering: (steering) => steering.map((one) => ({ ...one, told: true as const })),
  })
}

/**
 * Whoever stops a loop finds its files as the agent left them. Those of a task are committed all the same, or they would be in the commit
 * of whichever task comes next; but not where they are reverted.
 */
function shouldCommit(task: TaskJob | null, isStopped: boolean): boolean {
  return task === null ? !isStopped : task.drop === null || !shouldRevertDropped(task.drop)
}

/** Files that were uncommitted before the task are not part of its commits unless the task changes them. */
function ownFiles(task: TaskJob | null, to: TreeHash): Pick<EffectOf<'commit'>, 'own'> {
  const own = task?.own ?? null
  return own === null ? {} : { own: { from: own.before.tree, to } }
}

/** The commits of a task are found again by its trailer. */
function commitMessage({ iteration }: Worker, task: TaskJob | null, reply: Reply): string {
  const summary = reply.signals.summary.trim()
  if (task !== null) return `${clip(task.title, 72)}\n\n${clip(summary, 500)}\n\nRalph-Task: ${task.task}\n`
  return summary === '' ? `ralph: iteration ${iteration}` : `ralph: iteration ${iteration}: ${summary.slice(0, 72)}`
}

/** The call is repeated, unless the agent's task result was already acknowledged: then the iteration is evaluated as if it had ended. */
function cutOff(ctx: StepContext, id: WorkerId, done: IterationResult): void {
  const worker = workerOf(ctx, id)
  const { iteration } = worker
  const job = taskJobOf(worker)
  patchWorker(ctx, id, { conversation: null })
  if (job !== null && readTaskResult(done.reply, job.task).is !== 'none') {
    const why = `iteration ${iteration} was interrupted after the agent reported the result of ${job.task}`
    recordDecision(ctx, id, 'task', 'told', why)
    recordAttempt(ctx, id, done)
    return evaluateTaskIteration(ctx, id, { ...done, reply: { ...done.reply, conversation: null }, job })
  }
  recordIterationEnd(ctx, id, 'interrupted', `iteration ${iteration} was interrupted; its changes stay`)
  continueWorker(ctx, id)
}
