/** Effects that were not done: a handler could not do its job, or nobody knows what became of it. */
import { endUnweighed } from '../calls/end-iteration.ts'
import { proceed } from '../pipeline/finish-stage.ts'
import { stageOf, type EffectFailure } from '../pipeline/stage.ts'
import type { WorkerId } from '../ids.ts'
import { isStopping, orderOf } from '../admission/order.ts'
import { notPutBack } from '../workers/put-back.ts'
import type { Effect } from '../state/effect.ts'
import type { AboutEffect, EventOf } from '../state/event.ts'
import { finish } from '../pipeline/finish.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../state/context.ts'

/** Looking at the tree may fail once for reasons of its own (a lock, a file that vanished under it). */
const LOOKS = 3
const LOOKING: ReadonlySet<Effect['type'] | undefined> = new Set([
  'survey',
  'take-base',
  'sort-changes',
  'look-again',
] as const)

/** Looks count as failing again and again until one of them succeeds, whatever it looked for. */
export function lookedWell(course: Course, event: AboutEffect): void {
  if (event.type === 'effect-failed' || event.type === 'effect-lost') return
  if (LOOKING.has(course.answered?.type)) patchWorker(course, event.worker, { failedLooks: 0 })
}

/** A handler could not do its job. Looking is tried again; anything else ends the work with the reason. */
export function effectFailed(course: Course, event: EventOf<'effect-failed'>): void {
  const worker = workerOf(course, event.worker)
  decide(course, worker.id, 'loop', 'trouble', event.problem)
  if (worker.phase.is === 'finished') return
  const { answered: effect } = course
  if (isHandled(course, worker.id, { effect, why: event.problem, isLost: false })) return
  // Nothing is tried again in a run that is to stop, and what went wrong is no longer what ends it.
  if (isStopping(course, worker.id)) return leave(course, event)
  if (LOOKING.has(course.answered?.type) && worker.failedLooks + 1 < LOOKS) {
    patchWorker(course, worker.id, { failedLooks: worker.failedLooks + 1 })
    return askAgain(course, worker.id)
  }
  const why = event.hint === null ? event.problem : `${event.problem}. ${event.hint}`
  endUnweighed(course, worker.id, 'lost', why)
  finish(course, event.worker, { is: 'failed', why })
}

/** Nobody knows what became of it: ask again, unless the run is to stop. Agents that ran never come here: their log answers. */
export function effectLost(course: Course, event: EventOf<'effect-lost'>): void {
  const { answered: effect } = course
  if (isHandled(course, event.worker, { effect, why: 'it was cut off', isLost: true })) return
  if (isStopping(course, event.worker)) return leave(course, event)
  const during = stageOf(course, event.worker)?.describe(workerOf(course, event.worker))
  const what = during === undefined ? 'an effect was' : `${during}: an effect was`
  decide(course, event.worker, 'loop', 'repeat', `${what} cut off and is asked again`)
  askAgain(course, event.worker)
}

/** Whoever asked for it knows what follows. */
function isHandled(course: Course, id: WorkerId, failure: EffectFailure): boolean {
  if (workerOf(course, id).phase.is !== 'putting-back')
    return stageOf(course, id)?.failed?.(course, id, failure) ?? false
  notPutBack(course, id, failure.why)
  return true
}

/** What the worker was at is over; a wait that it had left before concerns nobody. */
function leave(course: Course, event: EventOf<'effect-lost' | 'effect-failed'>): void {
  const { phase } = workerOf(course, event.worker)
  if (!('effect' in phase) || phase.effect !== event.effect) return
  const order = orderOf(course, event.worker)
  if (order.is !== 'go') endUnweighed(course, event.worker, 'stopped', order.why)
  proceed(course, event.worker)
}

function askAgain(course: Course, id: WorkerId): void {
  const { phase } = workerOf(course, id)
  const effect = course.answered
  if (effect === undefined || !('effect' in phase) || phase.effect !== effect.id) return
  const { id: _, ...wanted } = effect
  enter(course, id, { ...phase, effect: ask(course, wanted) })
}
