/** What an iteration means to its worker's breaker. */
import type { WorkerId } from '../ids.ts'
import { recordMove, type Moved } from './breaker.ts'
import { decide, patchWorker, workerOf, type Course } from '../state/context.ts'

export function moveBreaker(course: Course, id: WorkerId, moved: Moved): void {
  const before = workerOf(course, id).breaker
  const breaker = recordMove(before, moved, course.house.run.rules.breaker, course.now.at)
  patchWorker(course, id, { breaker })
  if (breaker.is === before.is) return
  const why = breaker.is === 'closed' ? 'things move again' : breaker.reason
  decide(course, id, 'breaker', breaker.is, why)
  // What led into a dead end must not be gone on with.
  if (breaker.is === 'open') patchWorker(course, id, { conversation: null })
}
