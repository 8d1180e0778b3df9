/**
 * A worker of a run through tasks: what follows when it got one, when there is none for it, when it is done with one, or has lost it. The graph lies in the store; here is only what follows from its answers.
 */
import type { Instant, WorkerId } from '../ids.ts'
import { limitReached } from '../admission/admission.ts'
import { proceed } from '../pipeline/finish-stage.ts'
import { closedBreaker } from '../admission/breaker.ts'
import type { EffectOf } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import { finish } from '../pipeline/finish.ts'
import type { TasksOfRun, Worker } from '../state/state.ts'
import {
  decide,
  decideForRun,
  enter,
  patchRun,
  patchWorker,
  workerOf,
  type Course,
} from '../state/context.ts'
import type { NothingReady } from '../task/task.ts'
import { endingWithout } from '../task/ending.ts'
import { sayChange, sayClaimed, sayNotYet, sayWaiting } from '../task/words.ts'
import { never } from '../machine.ts'
import { taskOf, type TaskJob } from '../state/job.ts'
import { beginJob } from './begin-job.ts'
import { isGoing } from '../admission/order.ts'
import { pause } from '../pipeline/pause.ts'
import { unsee, waitUntil } from '../pipeline/wait.ts'

/**
 * Others may finish or give back a task at any time, in another process too: nobody waits longer without asking again. Being told sooner would
 * want an event of its own, for a wait of seconds after an iteration of minutes; asking more often, three rows in the record each time.
 */
const ASK_AGAIN_MS = 15_000

export function taskClaimed(course: Course, event: EventOf<'task-claimed'>): void {
  const { worker: id, task } = event
  const worker = workerOf(course, id)
  if (worker.phase.is !== 'claiming') return
  const job: TaskJob = {
    is: 'task',
    task: task.id,
    attempt: task.attempt,
    title: task.title,
    retries: task.maxRetries ?? course.house.run.rules.task.maxRetries,
    checks: task.checks,
    tests: task.tests,
    own: null,
    drop: null,
  }
  decide(course, id, 'task', 'claim', sayClaimed(task))
  patchWorker(course, id, {
    ...beginJob(job, course.house.run.rules, inherited(course, worker, task.checks)),
    failures: 0,
    failedLooks: 0,
  })
  // Where it begins is looked at: what comes to be is its doing, and the judge may not be ready yet.
  unsee(course, id)
  proceed(course, id)
}

/** What the last job left is known: the same tree, the same gates. A task with checks of its own is judged by other gates. */
function inherited(course: Course, worker: Worker, checks: string[]): Parameters<typeof beginJob>[2] {
  const { base, room, roomKey, baseline, boxes, nextBox } = worker
  const judged = checks.length === 0 ? { base, room, roomKey, baseline } : { base }
  return { breaker: closedBreaker(course.now.at), conversation: null, boxes, nextBox, ...judged }
}

export function nothingReady(course: Course, event: EventOf<'nothing-ready'>): void {
  const { worker: id, nothing } = event
  if (workerOf(course, id).phase.is !== 'claiming') return
  const others = Object.values(course.house.workers).filter((one) => taskOf(one) !== null)
  const until = whenAgain(course, nothing)
  if (until !== null) {
    // Nobody waits for what may not be begun then.
    const limit = limitReached(course, id)
    if (limit !== null) return finish(course, id, limit)
    if (course.house.run.rules.loop.once === true)
      return finish(course, id, { is: 'tasks_blocked', why: sayNotYet(nothing) })
    decide(course, id, 'task', 'wait', sayWaiting(nothing))
    return waitUntil(course, id, until, sayWaiting(nothing))
  }
  if (others.length === 0) return endAll(course, id, nothing)
  // Who would have to finish something first stands still, and so does whoever waits for that.
  if (others.every(({ phase }) => phase.is === 'paused'))
    return pause(course, id, 'nothing is ready, and who has the other tasks is paused')
  enter(course, id, { is: 'idle' })
}

/** Null: nothing will be ready by itself. */
function whenAgain({ now }: Course, { until, counts }: NothingReady): Instant | null {
  if (until === null) return null
  // At its time a sleeper is there; who has a task elsewhere may be done with it sooner.
  return counts.going > 0 ? Math.min(until, now.at + ASK_AGAIN_MS) : until
}

/** Nobody works and nothing can be taken: that is the end for all. */
function endAll(course: Course, id: WorkerId, nothing: NothingReady): void {
  const { tasks } = course.house.run
  if (tasks === null) return
  const ending = endingWithout(nothing, tasks)
  const idle = Object.values(course.house.workers).filter((one) => one.id === id || one.phase.is === 'idle')
  for (const one of idle) finish(course, one.id, ending)
}

export function taskSettled(course: Course, event: EventOf<'task-settled'>): void {
  const { worker: id, held, changes } = event
  const worker = workerOf(course, id)
  const settled = course.answered
  if (settled?.type !== 'settle-task') return
  if (!held && !isLost(worker))
    decide(course, id, 'task', 'lost', `${settled.task} was no longer this worker's, so nothing changed`)
  for (const one of changes) decide(course, id, 'task', 'follows', sayChange(one))
  if (held) patchRun(course, { tasks: counted(course, settled.as, settled.verification === 'passed') })
  if (held) patchWorker(course, id, { smooth: smoothAfter(worker, settled.as) })
  putDown(course, id)
  if (worker.phase.is !== 'finished') {
    // Where nothing is left to meet it, the run ends by itself.
    if (held && settled.as === 'failed' && event.next !== false) openBreaker(course)
    proceed(course, id)
  }
  wakeIdle(course)
}

/** Jobs in a row without a failed visit. A task that failed ends the row, also by its only visit. */
function smoothAfter({ smooth, tries }: Worker, as: EffectOf<'settle-task'>['as']): number {
  if (as === 'failed') return 0
  return as === 'done' && tries.failed === 0 ? smooth + 1 : smooth
}

function isLost(worker: Worker): boolean {
  return taskOf(worker)?.drop?.as === 'lost'
}

function counted(course: Course, as: 'done' | 'failed' | 'released', proven: boolean): TasksOfRun | null {
  const { tasks } = course.house.run
  if (tasks === null) return null
  switch (as) {
    case 'done':
      return {
        ...tasks,
        done: tasks.done + 1,
        unproven: tasks.unproven + (proven ? 0 : 1),
        failedInARow: 0,
      }
    case 'failed':
      return { ...tasks, failed: tasks.failed + 1, failedInARow: tasks.failedInARow + 1 }
    case 'released':
      return tasks
    default:
      return never(as)
  }
}

/** So many in a row failed and none was done: whatever is wrong, the next one would meet it too. */
function openBreaker(course: Course): void {
  const { run } = course.house
  const max = run.rules.task.failuresMax
  if (run.tasks === null || max === 0 || run.tasks.failedInARow < max || run.is !== 'going') return
  const why = `${run.tasks.failedInARow} tasks in a row failed and none was done`
  decideForRun(course, 'task', 'breaker', why)
  // Whoever goes on gives it as many again.
  patchRun(course, { is: 'pausing', why, tasks: { ...run.tasks, failedInARow: 0 } })
  for (const { id, phase } of Object.values(course.house.workers))
    if (phase.is === 'waiting' || phase.is === 'idle') proceed(course, id)
}

/** What became of one task may have made another ready; in a run that rested nobody was told. */
export function wakeIdle(course: Course): void {
  for (const { id, phase, line } of Object.values(course.house.workers)) {
    const waits = phase.is === 'idle' || (phase.is === 'waiting' && line === null)
    if (waits && isGoing(course, id)) proceed(course, id)
  }
}

/** Its job is over; what is known of the tree and the room stays with the worker. */
function putDown(course: Course, id: WorkerId): void {
  const worker = workerOf(course, id)
  const checks = taskOf(worker)?.checks ?? []
  patchWorker(course, id, beginJob({ is: 'none' }, course.house.run.rules, inherited(course, worker, checks)))
}

/** Somebody else has it, or decided about it: what runs for it is ended, and what it says changes nothing. */
export function claimLost(course: Course, event: EventOf<'claim-lost'>): WorkerId | null {
  const worker = course.house.workers[event.worker]
  const job = worker === undefined ? null : taskOf(worker)
  if (job === null || job.task !== event.task || job.attempt !== event.attempt) return null
  if (job.drop !== null) return null
  const why = `${job.task} is no longer this worker's: a person decided about it, or somebody else has it`
  decide(course, event.worker, 'task', 'lost', why)
  patchWorker(course, event.worker, { job: { ...job, drop: { as: 'lost', why, status: event.status } } })
  return event.worker
}
