/** Ends whatever runs for a worker. The effect is still answered, if only by `effect-lost`. */
import type { WorkerId, EffectId } from '../ids.ts'
import type { Worker } from '../state/state.ts'
import { ask, enter, type Course } from '../state/context.ts'

export function abortPhase(course: Course, { id, phase }: Worker, { now }: { now: boolean }): void {
  if (!('effect' in phase)) return
  // The agent's process remembers why it is ended.
  if ('aborting' in phase) enter(course, id, { ...phase, aborting: 'stop' })
  abortEffect(course, id, { target: phase.effect, why: 'stop', now })
}

export function abortEffect(
  course: Course,
  worker: WorkerId,
  how: { target: EffectId; why: 'stop' | 'budget'; now: boolean },
): void {
  ask(course, { type: 'abort', worker, ...how })
}
