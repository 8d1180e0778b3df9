/** A plan without an open box is a claim of completion by itself. */
import type { WorkerId } from '../ids.ts'
import { planComplete } from './change.ts'
import { workerOf, type Course } from '../state/context.ts'

/** The plan alone says that all is done, and nobody has been told yet that it is not: no agent is needed to find out. */
export function claimsByPlan(course: Course, id: WorkerId): boolean {
  const { job, boxes, refusals, iteration, corrections, steering } = workerOf(course, id)
  if (job.is !== 'loop' || !planComplete(boxes) || refusals > 0) return false
  // Whoever said something, or did not accept the last run's completion, wants it heard.
  return steering.length === 0 && (iteration > 0 || corrections.length === 0)
}
