/** A plan without an open checkbox is a claim of completion by itself. */
import type { WorkerId } from '../ids.ts'
import { isPlanComplete } from './change.ts'
import { workerOf, type StepContext } from '../state/context.ts'

/** The plan alone says that all is done, and nobody has been told yet that it is not: no agent is needed to find out. */
export function planClaimsCompletion(ctx: StepContext, id: WorkerId): boolean {
  const { job, checkboxes, rejections, iteration, corrections, steering } = workerOf(ctx, id)
  if (job.is !== 'loop' || !isPlanComplete(checkboxes) || rejections > 0) return false
  // Whoever said something, or did not accept the last run's completion, wants it heard.
  return steering.length === 0 && (iteration > 0 || corrections.length === 0)
}
