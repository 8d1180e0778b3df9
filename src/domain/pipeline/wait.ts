/** A worker that waits: until an instant, or for a while of awake time. What it waited for is decided anew afterwards. */
import type { Instant, Millis, WorkerId } from '../ids.ts'
import type { EffectOf } from '../state/effect.ts'
import { ask, enter, patchWorker, workerOf, type Course } from '../state/context.ts'

export function waitUntil(course: Course, id: WorkerId, until: Instant, why: string): void {
  wait(course, id, { until, forMs: null, why })
}

export function waitFor(course: Course, id: WorkerId, forMs: Millis, why: string): void {
  wait(course, id, { until: course.now.at + forMs, forMs, why })
}

export function wait(
  course: Course,
  id: WorkerId,
  wanted: Pick<EffectOf<'wait'>, 'until' | 'forMs' | 'why' | 'outage'>,
): void {
  unsee(course, id)
  const effect = ask(course, { type: 'wait', worker: id, ...wanted })
  enter(course, id, { is: 'waiting', effect, until: wanted.until, why: wanted.why })
}

/** While nobody works, somebody else may: the tree must be looked at again before the next iteration. */
export function unsee(course: Course, id: WorkerId): void {
  const { seen } = workerOf(course, id)
  if (seen !== null) patchWorker(course, id, { seen: { ...seen, fresh: false } })
}
