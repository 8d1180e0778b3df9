/**
 * A worker of a run through tasks: what follows when it got a task, found none, finished or lost one. The task graph is in the store; here
 * is only what follows from its answers.
 */
import type { Instant, WorkerId } from '../ids.ts'
import { findReachedLimit } from '../admission/admission.ts'
import { continueWorker } from '../pipeline/finish-stage.ts'
import { closedBreaker } from '../admission/breaker.ts'
import type { EffectOf } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import { endWorker } from '../pipeline/end-worker.ts'
import type { RunTaskCounts, Worker } from '../state/state.ts'
import {
  recordDecision,
  recordRunDecision,
  enterPhase,
  patchRun,
  patchWorker,
  workerOf,
  type StepContext,
} from '../state/context.ts'
import type { NothingReady } from '../tasks/task.ts'
import { endingWhenNothingReady } from '../tasks/nothing-ready-ending.ts'
import {
  describeDerivedChange,
  describeClaimed,
  describeNothingReadyOnce,
  describeNothingReady,
} from '../tasks/task-text.ts'
import { assertNever } from '../assert-never.ts'
import { taskJobOf, type TaskJob } from '../state/job.ts'
import { initialJobState } from './initial-job-state.ts'
import { mayContinue } from '../admission/worker-directive.ts'
import { pauseWorker } from '../pipeline/pause.ts'
import { invalidateSnapshot, requestWaitUntil } from '../pipeline/wait.ts'

/**
 * Other workers, also of other processes, may finish or give back a task at any time, so the claim is repeated at this interval. Being told sooner would
 * need an event of its own to save seconds after an iteration of minutes; a shorter interval costs three rows each time.
 */
const ASK_AGAIN_MS = 15_000

export function onTaskClaimed(ctx: StepContext, event: EventOf<'task-claimed'>): void {
  const { worker: id, task } = event
  const worker = workerOf(ctx, id)
  if (worker.phase.is !== 'claiming') return
  const job: TaskJob = {
    is: 'task',
    task: task.id,
    attempt: task.attempt,
    title: task.title,
    retries: task.maxRetries ?? ctx.state.run.rules.task.maxRetries,
    checks: task.checks,
    tests: task.tests,
    own: null,
    drop: null,
  }
  recordDecision(ctx, id, 'task', 'claim', describeClaimed(task))
  patchWorker(ctx, id, {
    ...initialJobState(job, ctx.state.run.rules, inherited(ctx, worker, task.checks)),
    failures: 0,
    failedSnapshots: 0,
  })
  // A snapshot comes first: changes from here on are the task's, and the clean room may not be ready yet.
  invalidateSnapshot(ctx, id)
  continueWorker(ctx, id)
}

/** The last job's results still hold: the same tree, the same gates. A task with checks of its own has other gates. */
function inherited(ctx: StepContext, worker: Worker, checks: string[]): Parameters<typeof initialJobState>[2] {
  const { base, room, cleanRoomKey, baseline, checkboxes, nextCheckbox } = worker
  const judged = checks.length === 0 ? { base, room, cleanRoomKey, baseline } : { base }
  return { breaker: closedBreaker(ctx.now.at), conversation: null, checkboxes, nextCheckbox, ...judged }
}

export function onNothingReady(ctx: StepContext, event: EventOf<'nothing-ready'>): void {
  const { worker: id, nothing } = event
  if (workerOf(ctx, id).phase.is !== 'claiming') return
  const others = Object.values(ctx.state.workers).filter((one) => taskJobOf(one) !== null)
  const until = whenAgain(ctx, nothing)
  if (until !== null) {
    // No wait for a task that may not begin then.
    const limit = findReachedLimit(ctx, id)
    if (limit !== null) return endWorker(ctx, id, limit)
    if (ctx.state.run.rules.loop.once === true)
      return endWorker(ctx, id, { is: 'tasks_blocked', why: describeNothingReadyOnce(nothing) })
    recordDecision(ctx, id, 'task', 'wait', describeNothingReady(nothing))
    return requestWaitUntil(ctx, id, until, describeNothingReady(nothing))
  }
  if (others.length === 0) return endAll(ctx, id, nothing)
  // A worker whose unfinished task others wait for is paused, and so are the others.
  if (others.every(({ phase }) => phase.is === 'paused'))
    return pauseWorker(ctx, id, 'no task is ready, and all other workers are paused')
  enterPhase(ctx, id, { is: 'idle' })
}

/** Null: nothing will be ready by itself. */
function whenAgain({ now }: StepContext, { until, counts }: NothingReady): Instant | null {
  if (until === null) return null
  // A scheduled task is ready at its time; another worker's task may be finished sooner.
  return counts.going > 0 ? Math.min(until, now.at + ASK_AGAIN_MS) : until
}

/** No worker is active and no task is ready: the run ends. */
function endAll(ctx: StepContext, id: WorkerId, nothing: NothingReady): void {
  const { tasks } = ctx.state.run
  if (tasks === null) return
  const ending = endingWhenNothingReady(nothing, tasks)
  const idle = Object.values(ctx.state.workers).filter((one) => one.id === id || one.phase.is === 'idle')
  for (const one of idle) endWorker(ctx, one.id, ending)
}

export function onTaskFinished(ctx: StepContext, event: EventOf<'task-finished'>): void {
  const { worker: id, held, changes } = event
  const worker = workerOf(ctx, id)
  const settled = ctx.answered
  if (settled?.type !== 'finish-task') return
  if (!held && taskJobOf(worker)?.drop?.as !== 'lost')
    recordDecision(ctx, id, 'task', 'lost', `${settled.task} no longer belongs to this worker, so nothing changed`)
  for (const one of changes) recordDecision(ctx, id, 'task', 'follows', describeDerivedChange(one))
  if (held) patchRun(ctx, { tasks: taskCountsAfter(ctx, settled.as, settled.verification === 'passed') })
  if (held) patchWorker(ctx, id, { smoothJobs: smoothAfter(worker, settled.as) })
  clearJob(ctx, id)
  if (worker.phase.is !== 'finished') {
    // If no task is left, the run ends by itself.
    if (held && settled.as === 'failed' && event.next !== false) pauseAfterFailedTasks(ctx)
    continueWorker(ctx, id)
  }
  wakeIdleWorkers(ctx)
}

/** Jobs in a row without a failed visit. A task that failed ends the row, also by its only visit. */
function smoothAfter({ smoothJobs, tries }: Worker, as: EffectOf<'finish-task'>['as']): number {
  if (as === 'failed') return 0
  return as === 'done' && tries.failed === 0 ? smoothJobs + 1 : smoothJobs
}

function taskCountsAfter(ctx: StepContext, as: 'done' | 'failed' | 'released', proven: boolean): RunTaskCounts | null {
  const { tasks } = ctx.state.run
  if (tasks === null) return null
  switch (as) {
    case 'done':
      return { ...tasks, done: tasks.done + 1, unproven: tasks.unproven + (proven ? 0 : 1), consecutiveFailures: 0 }
    case 'failed':
      return { ...tasks, failed: tasks.failed + 1, consecutiveFailures: tasks.consecutiveFailures + 1 }
    case 'released':
      return tasks
    default:
      return assertNever(as)
  }
}

/** This many tasks in a row failed: the next one would most likely fail for the same reason. */
function pauseAfterFailedTasks(ctx: StepContext): void {
  const { run } = ctx.state
  const max = run.rules.task.failuresMax
  if (run.tasks === null || max === 0 || run.tasks.consecutiveFailures < max || run.is !== 'going') return
  const why = `${run.tasks.consecutiveFailures} tasks in a row failed`
  recordRunDecision(ctx, 'task', 'breaker', why)
  // After a resume the count starts again.
  patchRun(ctx, { is: 'pausing', why, tasks: { ...run.tasks, consecutiveFailures: 0 } })
  for (const { id, phase } of Object.values(ctx.state.workers))
    if (phase.is === 'waiting' || phase.is === 'idle') continueWorker(ctx, id)
}

/** The end of one task may have made another ready; in a paused run idle workers were not woken. */
export function wakeIdleWorkers(ctx: StepContext): void {
  for (const { id, phase, line } of Object.values(ctx.state.workers)) {
    const waits = phase.is === 'idle' || (phase.is === 'waiting' && line === null)
    if (waits && mayContinue(ctx, id)) continueWorker(ctx, id)
  }
}

/** Its job is over; what is known of the tree and the clean room stays with the worker. */
function clearJob(ctx: StepContext, id: WorkerId): void {
  const worker = workerOf(ctx, id)
  const checks = taskJobOf(worker)?.checks ?? []
  patchWorker(ctx, id, initialJobState({ is: 'none' }, ctx.state.run.rules, inherited(ctx, worker, checks)))
}

/** Another worker has it, or a person decided about it: its running effect is ended, and the result does not count. */
export function onClaimLost(ctx: StepContext, event: EventOf<'claim-lost'>): WorkerId | null {
  const worker = ctx.state.workers[event.worker]
  const job = worker === undefined ? null : taskJobOf(worker)
  if (job === null || job.task !== event.task || job.attempt !== event.attempt) return null
  if (job.drop !== null) return null
  const why = `${job.task} no longer belongs to this worker: a person changed it, or another worker has it`
  recordDecision(ctx, event.worker, 'task', 'lost', why)
  patchWorker(ctx, event.worker, { job: { ...job, drop: { as: 'lost', why, status: event.status } } })
  return event.worker
}
