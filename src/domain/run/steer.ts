/** What people ask of a running engine. */
import type { Request } from './event.ts'
import type { Worker } from './house.ts'
import type { EffectId, WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import { change } from './change-rules.ts'
import { ask, decide, enter, patchRun, type Course } from './step-so-far.ts'
import { finish } from './finish.ts'
import { next } from '../iteration/next.ts'
import { withoutOutages } from '../call/rest.ts'

export function obey(course: Course, request: Request): void {
  switch (request.do) {
    case 'stop':
      return stop(course, {
        why: `stopped by ${request.from}`,
        now: request.now,
        as: request.because === 'limit' ? 'api_limit_exit' : 'stopped',
      })
    case 'pause':
      return pause(course, `paused by ${request.from}`)
    case 'resume':
      return resume(course, request.from)
    case 'steer':
      return steer(course, request)
    case 'set':
      return set(course, request)
    case 'abandon':
      return abandon(course, request.from)
    default:
      return never(request)
  }
}

/** No new work; what runs is ended; whoever waits ends at once. */
function stop(course: Course, how: { why: string; now: boolean; as: 'stopped' | 'api_limit_exit' }): void {
  decide(course, 'loop', 'stop', how.why)
  patchRun(course, { is: 'stopping', why: how.why, stopAs: how.as })
  for (const worker of Object.values(course.house.workers)) endEarly(course, worker, how)
}

/** Whatever is under way is aborted, in every phase; where nothing runs the worker ends at once. */
function endEarly(course: Course, { id, phase }: Worker, { now }: { now: boolean }): void {
  switch (phase.is) {
    case 'working':
    case 'reviewing':
      enter(course, id, { ...phase, aborting: 'stop' })
      return abort(course, id, { target: phase.effect, why: 'stop', now })
    case 'surveying':
    case 'measuring':
    case 'committing':
    case 'basing':
    case 'baselining':
    case 'fitting':
    case 'proving':
    case 'checking':
      return abort(course, id, { target: phase.effect, why: 'stop', now })
    case 'waiting':
    case 'paused':
      return next(course, id)
    // Admission is answered in the transaction that asks it, so nobody ever meets a worker there.
    case 'admitting':
    case 'finished':
      return
    default:
      return never(phase)
  }
}

function abort(
  course: Course,
  worker: WorkerId,
  how: { target: EffectId; why: 'stop' | 'budget'; now: boolean },
): void {
  ask(course, { type: 'abort', worker, ...how })
}

/** Nothing of it runs any more: it only has to be called ended. */
function abandon(course: Course, from: string): void {
  for (const worker of Object.values(course.house.workers)) {
    if (worker.phase.is !== 'finished')
      finish(course, worker.id, { is: 'abandoned', why: `given up for a new run (${from})` })
  }
}

/** The iterations under way are finished first. */
function pause(course: Course, why: string): void {
  if (course.house.run.is !== 'going')
    return decide(course, 'loop', 'ignore', `the run is ${course.house.run.is} already`)
  decide(course, 'loop', 'pausing', `${why}; the iteration under way is finished first`)
  patchRun(course, { is: 'pausing', why })
  for (const worker of Object.values(course.house.workers)) {
    if (worker.phase.is === 'waiting') next(course, worker.id)
  }
}

function resume(course: Course, from: string): void {
  const { is, rests } = course.house.run
  if (is !== 'paused' && is !== 'pausing' && is !== 'leaving') {
    return decide(course, 'loop', 'ignore', 'the run is not paused')
  }
  decide(course, 'loop', 'continue', `resumed by ${from}`)
  patchRun(course, { is: 'going', why: null, rests: withoutOutages(rests) })
  for (const worker of Object.values(course.house.workers)) {
    if (worker.phase.is === 'paused') next(course, worker.id)
  }
}

/** Texts wait for the next prompt; the oldest give way, since a prompt has only so much room. */
const STEERING_MAX = 8
const STEERING_LENGTH = 500

function steer(course: Course, request: Extract<Request, { do: 'steer' }>): void {
  const text = request.text.slice(0, STEERING_LENGTH)
  decide(course, 'steer', 'accept', `goes into the next prompt: ${text}`)
  patchRun(course, {
    steering: [...course.house.run.steering, { request: request.id, text }].slice(-STEERING_MAX),
  })
}

function set(course: Course, request: Extract<Request, { do: 'set' }>): void {
  const changed = change(course.house.run.rules, request.key, request.value)
  if ('problem' in changed) return decide(course, 'steer', 'refuse', changed.problem)
  decide(course, 'steer', 'set', changed.said)
  patchRun(course, { rules: changed.rules })
}
