/** A plan without an open checkbox is a claim of completion by itself. */
import type { WorkerId } from '../ids.ts'
import { isPlanComplete } from '../tree/change.ts'
import { workerOf, type StepContext } from '../state/context.ts'

/** The plan has no open checkbox and no rejection is pending, so no agent call is needed before the proof. */
export function planClaimsCompletion(ctx: StepContext, id: WorkerId): boolean {
  const { job, checkboxes, rejections, iteration, corrections, steering } = workerOf(ctx, id)
  if (job.is !== 'loop' || !isPlanComplete(checkboxes) || rejections > 0) return false
  // A person gave guidance or did not accept the last completion: an agent must work with that first.
  return steering.length === 0 && (iteration > 0 || corrections.length === 0)
}
