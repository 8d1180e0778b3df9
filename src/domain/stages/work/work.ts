/** The stage in which an agent works: iterations until it claims that the loop or its task is complete. */
import { passesLimits, takeWay, wayTo } from '../../calls/call.ts'
import { beginIteration } from '../../calls/begin-iteration.ts'
import { iterationEvents, notKept, type IterationOf } from '../../calls/iteration.ts'
import type { TreeHash, WorkerId } from '../../ids.ts'
import { cameToNothing, visited } from '../../calls/choose-model.ts'
import type { Concluded } from '../../calls/concluded.ts'
import { endIteration } from '../../calls/end-iteration.ts'
import { abortPhase } from '../../pipeline/abort.ts'
import { finishStage, proceed, type Again } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import type { Reply } from '../../reply/reply.ts'
import { readTaskWord } from '../../reply/task-word.ts'
import type { EffectOf } from '../../state/effect.ts'
import type { EventOf } from '../../state/event.ts'
import type { Worker } from '../../state/state.ts'
import { decide, patchWorker, workerOf, type Course } from '../../state/context.ts'
import type { TaskId } from '../../task/task.ts'
import { clip } from '../../text/text.ts'
import { keepBase } from '../../tree/base.ts'
import { movesBase, survey, takeLook } from '../../tree/look.ts'
import { claimsByPlan } from '../../tree/plan-claim.ts'
import { isLeftOver, taskOf, type TaskJob } from '../../state/job.ts'
import { isStopping } from '../../admission/order.ts'
import { taskAsked } from '../../calls/task-asked.ts'
import { waitFor } from '../../pipeline/wait.ts'
import { weighTask } from './weigh-task.ts'
import { weighWork } from './weigh-work.ts'

const ITERATION: IterationOf = {
  commit(course, id, { reply, tree }) {
    const worker = workerOf(course, id)
    const task = taskOf(worker)
    if (!isKept(task, isStopping(course, id))) return null
    return { message: commitMessage(worker, task, reply), ...ownFiles(task, tree) }
  },
  isWorked: ({ reply, change }) => reply.end === 'success' || (reply.end === 'timed-out' && change.files > 0),
  weigh(course, id, done) {
    const job = taskOf(workerOf(course, id))
    if (job === null) weighWork(course, id, done)
    else weighTask(course, id, { ...done, job })
  },
  cutOff,
  // How often a task is tried again its pipeline knows; a breaker of its own it has not.
  afterFailure(course, id, call) {
    if (taskOf(workerOf(course, id)) === null) return false
    finishStage(course, id, 'FAIL', { again: { ...call, judged: false } })
    return true
  },
}

const CALL = iterationEvents(ITERATION)

export const WORK: StageModule = {
  kind: 'work',
  phases: ['surveying', 'basing', 'admitting', 'working', 'measuring', 'committing', 'remembering'],
  begin(course, id, entered) {
    if (entered === undefined) return beginCall(course, id)
    if (entered.again === undefined) return proceed(course, id)
    workAgain(course, id, entered.again)
  },
  on: {
    ...CALL,
    surveyed(course, event) {
      if (workerOf(course, event.worker).phase.is === 'surveying') surveyed(course, event)
      else CALL.surveyed(course, event)
    },
    'base-taken'(course, event) {
      keepBase(course, event)
      proceed(course, event.worker)
    },
    admitted: (course, event) => admitted(course, event.worker),
  },
  abort: abortPhase,
  describe: ({ iteration }) => `working on iteration ${iteration}`,
  failed(course, id, { effect, isLost }) {
    if (effect?.type !== 'keep-knowledge' || isLost) return false
    notKept(course, id, ITERATION)
    return true
  },
}

function beginCall(course: Course, id: WorkerId): void {
  const isFresh = workerOf(course, id).seen?.fresh === true
  // No limit and no breaker is in the way of what costs nothing: the plan is looked at once more, and its completion is proven.
  if (claimsByPlan(course, id)) return isFresh ? claimPlan(course, id) : survey(course, id)
  if (!passesLimits(course, id)) return
  const way = wayTo(course, course.house.run.rules.agent.order)
  if (way.is === 'free' && !isFresh) return survey(course, id)
  takeWay(course, id, 'work', way)
}

function claimPlan(course: Course, id: WorkerId): void {
  const already = workerOf(course, id).iteration === 0 ? ' already' : ''
  const why = `every box of the plan is ticked${already}`
  finishStage(course, id, 'PASS', { completion: { is: 'plan_complete', why } })
}

/** A task that is worked on again says why; an agent that failed gets its pause first. */
function workAgain(course: Course, id: WorkerId, { because, afterMs, gaveUp }: Again): void {
  cameToNothing(course, id, { stuck: gaveUp === true })
  const { task } = taskAsked(workerOf(course, id))
  if (task !== undefined) {
    const why = `${task.id} is worked on again, visit ${task.visit} of ${task.of}: ${because}`
    decide(course, id, 'task', 'retry', why)
  }
  if (afterMs === undefined) return proceed(course, id)
  waitFor(course, id, afterMs, because)
}

function surveyed(course: Course, event: EventOf<'surveyed'>): void {
  const look = takeLook(course, event)
  if (look !== null && !movesBase(course, event.worker, look)) proceed(course, event.worker)
}

function admitted(course: Course, id: WorkerId): void {
  const worker = workerOf(course, id)
  beginIteration(course, id, {
    about: taskAsked(worker),
    openBoxes: taskOf(worker) === null ? (worker.boxes?.open ?? null) : null,
    // It stays until an agent has worked with it: one that meets its usage limit at once has not.
    steering: (steering) => steering.map((one) => ({ ...one, told: true as const })),
  })
}

/**
 * Whoever stops a loop finds its files as the agent left them. Those of a task are committed all the same, or they would be in the commit
 * of whichever task comes next; but not where they are reverted.
 */
function isKept(task: TaskJob | null, isStopped: boolean): boolean {
  return task === null ? !isStopped : task.drop === null || !isLeftOver(task.drop)
}

/** What lay in the tree before a task is no work of it, and in no commit of it as long as it leaves it alone. */
function ownFiles(task: TaskJob | null, to: TreeHash): Pick<EffectOf<'commit'>, 'own'> {
  const own = task?.own ?? null
  return own === null ? {} : { own: { from: own.before.tree, to } }
}

/** The commits of a task are found again by its trailer. */
function commitMessage({ iteration }: Worker, task: TaskJob | null, reply: Reply): string {
  const summary = reply.signals.summary.trim()
  if (task !== null) return `${clip(task.title, 72)}\n\n${clip(summary, 500)}\n\nRalph-Task: ${task.task}\n`
  return summary === ''
    ? `ralph: iteration ${iteration}`
    : `ralph: iteration ${iteration}: ${summary.slice(0, 72)}`
}

/** It comes again, unless it was acknowledged to the agent what became of its task: then that is weighed as if it had ended. */
function cutOff(course: Course, id: WorkerId, done: Concluded): void {
  const worker = workerOf(course, id)
  const { iteration } = worker
  const job = taskOf(worker)
  patchWorker(course, id, { conversation: null })
  if (job !== null && readTaskWord(done.reply, job.task).is !== 'none') {
    const why = `iteration ${iteration} was cut off after it had told what became of ${job.task}`
    decide(course, id, 'task', 'told', why)
    visited(course, id, done)
    return weighTask(course, id, { ...done, reply: { ...done.reply, conversation: null }, job })
  }
  endIteration(course, id, 'interrupted', `iteration ${iteration} was cut off; what it changed stays`)
  proceed(course, id)
}
