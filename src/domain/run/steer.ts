/** What people ask of a running engine: of the run, or of one of its workers. */
import type { Address, Request } from '../state/event.ts'
import type { Steered, Worker } from '../state/state.ts'
import type { WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import { INTERVIEW_MAX } from '../feature/interview.ts'
import { change } from '../rules/change-rules.ts'
import { decide, decideForRun, patchRun, patchWorker, workerOf, type Course } from '../state/context.ts'
import { finish } from '../pipeline/finish.ts'
import { endUnweighed } from '../calls/end-iteration.ts'
import { proceed } from '../pipeline/finish-stage.ts'
import { stageOf } from '../pipeline/stage.ts'
import { abortPhase } from '../pipeline/abort.ts'
import { withoutOutages } from '../admission/cooldown.ts'
import { stageKindOf } from '../pipeline/position.ts'
import { taskOf } from '../state/job.ts'
import { orderOf } from '../admission/order.ts'
import { wakeIdle } from '../workers/take.ts'

export function obey(course: Course, request: Request): void {
  const { to } = request
  if (to === undefined) return obeyAll(course, request)
  const id = addressed(course, to)
  if (id === null) return decideForRun(course, 'loop', 'ignore', nobodyAt(to))
  if (workerOf(course, id).phase.is === 'finished')
    return decide(course, id, 'loop', 'ignore', `worker ${id} has ended already`)
  obeyAlone(course, id, request)
}

function addressed(course: Course, to: Address): WorkerId | null {
  const { workers } = course.house
  if ('worker' in to) return workers[to.worker] === undefined ? null : to.worker
  return Object.values(workers).find((worker) => taskOf(worker)?.task === to.task)?.id ?? null
}

function nobodyAt(to: Address): string {
  return 'worker' in to ? `there is no worker ${to.worker}` : `no worker is at task ${to.task}`
}

function obeyAll(course: Course, request: Request): void {
  switch (request.do) {
    case 'stop':
      return stop(course, {
        why: `stopped by ${request.from}`,
        now: request.now,
        as: request.because === 'limit' ? 'api_limit_exit' : 'stopped',
      })
    case 'pause':
      return pause(course, `paused by ${request.from}`, { now: request.now === true })
    case 'resume':
      return resume(course, request.from)
    case 'steer':
      return steer(course, Object.keys(course.house.workers), request)
    case 'set':
      return set(course, request)
    case 'abandon':
      return abandon(course, request.from)
    case 'skip':
      return decideForRun(course, 'loop', 'ignore', 'nobody said which task is to be skipped')
    default:
      return never(request)
  }
}

function obeyAlone(course: Course, id: WorkerId, request: Request): void {
  switch (request.do) {
    case 'stop':
      return stopWorker(course, id, { why: `worker ${id} was stopped by ${request.from}`, now: request.now })
    case 'pause':
      return pauseWorker(course, id, `worker ${id} was paused by ${request.from}`)
    case 'resume':
      return resumeWorker(course, id, request.from)
    case 'steer':
      return steer(course, [id], request)
    case 'skip':
      return skip(course, id, request.from)
    case 'set':
    case 'abandon':
      return decide(course, id, 'loop', 'ignore', `${request.do} concerns the whole run, not one worker`)
    default:
      return never(request)
  }
}

/** No new work; what runs is ended; whoever waits ends at once. */
function stop(course: Course, how: { why: string; now: boolean; as: 'stopped' | 'api_limit_exit' }): void {
  decideForRun(course, 'loop', 'stop', how.why)
  patchRun(course, { is: 'stopping', why: how.why, stopAs: how.as })
  for (const worker of Object.values(course.house.workers)) endEarly(course, worker, how)
}

function stopWorker(course: Course, id: WorkerId, { why, now }: { why: string; now: boolean }): void {
  decide(course, id, 'loop', 'stop', why)
  patchWorker(course, id, { told: { is: 'stop', why } })
  endEarly(course, workerOf(course, id), { now })
}

/** Whatever is under way is aborted, in every phase; where nothing runs the worker ends at once. */
export function endEarly(course: Course, worker: Worker, how: { now: boolean }): void {
  const { id, phase } = worker
  if (STANDS.has(phase.is) || phase.is === 'paused') return proceed(course, id)
  // Its task is over already: only a stop does not wait for the tree.
  if (phase.is === 'putting-back')
    return orderOf(course, id).is === 'stop' ? abortPhase(course, worker, how) : undefined
  if (!AT_ONCE.has(phase.is)) stageOf(course, id)?.abort(course, worker, how)
}

/** These are answered in the transaction that asks them, so nobody ever meets a worker there; or nothing is asked any more. */
const AT_ONCE: ReadonlySet<Worker['phase']['is']> = new Set([
  'admitting',
  'claiming',
  'settling',
  'finished',
] as const)

/** Nothing of it runs any more: it only has to be called ended. */
function abandon(course: Course, from: string): void {
  for (const worker of Object.values(course.house.workers)) {
    if (worker.phase.is === 'finished') continue
    const why = `given up for a new run (${from})`
    endUnweighed(course, worker.id, 'lost', why)
    finish(course, worker.id, { is: 'abandoned', why })
  }
}

/** The task of this worker fails now; what runs for it is ended. */
function skip(course: Course, id: WorkerId, from: string): void {
  if (taskOf(workerOf(course, id)) === null)
    return decide(course, id, 'loop', 'ignore', `worker ${id} is at no task`)
  drop(course, id, { as: 'failed', why: `skipped by ${from}` })
}

function drop(course: Course, id: WorkerId, how: { as: 'failed' | 'released'; why: string }): void {
  const worker = workerOf(course, id)
  const job = taskOf(worker)
  if (job === null || job.drop !== null) return
  patchWorker(course, id, { job: { ...job, drop: how } })
  endEarly(course, worker, { now: false })
}

/** The iterations under way are finished first, unless it is to be now: then tasks go back to where they came from. */
function pause(course: Course, why: string, { now }: { now: boolean }): void {
  if (course.house.run.is !== 'going')
    return decideForRun(course, 'loop', 'ignore', `the run is ${course.house.run.is} already`)
  const first = now ? 'what runs is ended' : 'the iteration under way is finished first'
  decideForRun(course, 'loop', 'pausing', `${why}; ${first}`)
  patchRun(course, { is: 'pausing', why })
  for (const worker of Object.values(course.house.workers)) {
    const { id, phase } = worker
    if (now && taskOf(worker) !== null) drop(course, id, { as: 'released', why })
    else if (STANDS.has(phase.is)) proceed(course, id)
  }
}

/** Nothing runs for it, and a pause need not wait for it. */
const STANDS: ReadonlySet<Worker['phase']['is']> = new Set(['waiting', 'idle', 'asking'] as const)

function pauseWorker(course: Course, id: WorkerId, why: string): void {
  const { phase, told } = workerOf(course, id)
  if (phase.is === 'paused' || told !== null)
    return decide(
      course,
      id,
      'loop',
      'ignore',
      `worker ${id} is ${told?.is === 'stop' ? 'stopping' : 'paused'} already`,
    )
  decide(course, id, 'loop', 'pausing', `${why}; the iteration under way is finished first`)
  patchWorker(course, id, { told: { is: 'pause', why } })
  if (STANDS.has(phase.is)) proceed(course, id)
}

/** Whoever stands still goes on, whether the run was paused or one of its workers. */
function resume(course: Course, from: string): void {
  const { run, workers } = course.house
  const rest = run.is === 'paused' || run.is === 'pausing' || run.is === 'leaving'
  const some = Object.values(workers).some(({ phase, told }) => phase.is === 'paused' || told?.is === 'pause')
  if (!rest && (run.is !== 'going' || !some))
    return decideForRun(course, 'loop', 'ignore', 'the run is not paused')
  decideForRun(course, 'loop', 'continue', `resumed by ${from}`)
  patchRun(course, { is: 'going', why: null, rests: withoutOutages(run.rests) })
  for (const id of Object.keys(workers)) wake(course, id)
  wakeIdle(course)
}

function resumeWorker(course: Course, id: WorkerId, from: string): void {
  const { run } = course.house
  const { phase, told } = workerOf(course, id)
  if (run.is === 'stopping' || told?.is === 'stop' || (phase.is !== 'paused' && told === null))
    return decide(course, id, 'loop', 'ignore', `worker ${id} is not paused`)
  decide(course, id, 'loop', 'continue', `worker ${id} was resumed by ${from}`)
  // A run in which somebody works is no paused run; the others stand where they stood.
  if (run.is !== 'going') patchRun(course, { is: 'going', why: null, rests: withoutOutages(run.rests) })
  wake(course, id)
  if (run.is !== 'going') wakeIdle(course)
  // Who stepped aside because the run was to be left was paused by nobody, and nobody would wake it.
  if (run.is !== 'leaving') return
  for (const other of Object.values(course.house.workers)) if (other.told === null) wake(course, other.id)
}

function wake(course: Course, id: WorkerId): void {
  const { phase, told } = workerOf(course, id)
  if (told?.is === 'pause') patchWorker(course, id, { told: null })
  if (phase.is === 'paused') proceed(course, id)
}

/** Texts wait for the next prompt; the oldest give way, since a prompt has only so much room. */
const STEERING_MAX = 8
const STEERING_LENGTH = 500
/** An answer comes with its question. */
const ANSWER_LENGTH = 1_300

/** What is said to the run is said to every worker. */
function steer(course: Course, to: WorkerId[], request: Extract<Request, { do: 'steer' }>): void {
  const text = request.text.slice(0, lengthFor(course, to, request))
  const accepted = `goes into the next prompt: ${text}`
  if (request.to === undefined) decideForRun(course, 'steer', 'accept', accepted)
  for (const id of to) {
    if (request.to !== undefined) decide(course, id, 'steer', 'accept', accepted)
    const { steering, phase } = workerOf(course, id)
    patchWorker(course, id, { steering: [...steering, steeringOf(request, text)].slice(-STEERING_MAX) })
    if (phase.is === 'asking') proceed(course, id)
  }
}

function lengthFor(course: Course, to: WorkerId[], { answers }: Extract<Request, { do: 'steer' }>): number {
  if (to.some((id) => stageKindOf(workerOf(course, id)) === 'draft')) return INTERVIEW_MAX
  return answers === undefined ? STEERING_LENGTH : ANSWER_LENGTH
}

function steeringOf({ id, answers }: Extract<Request, { do: 'steer' }>, text: string): Steered {
  return { request: id, text, ...(answers === undefined ? {} : { answers }) }
}

function set(course: Course, request: Extract<Request, { do: 'set' }>): void {
  const changed = change(course.house.run.rules, request.key, request.value)
  if ('problem' in changed) return decideForRun(course, 'steer', 'refuse', changed.problem)
  decideForRun(course, 'steer', 'set', changed.said)
  patchRun(course, { rules: changed.rules })
}
