/** A completion that was proven: a review comes first if the pipeline has one, then the job ends with the result of the proof. */
import type { WorkerId } from '../ids.ts'
import { finishStage } from '../pipeline/finish-stage.ts'
import { isStageAhead } from '../pipeline/position.ts'
import type { Ending } from '../pipeline/end-worker.ts'
import type { CompletionClaim } from '../state/state.ts'
import { recordDecision, workerOf, type StepContext } from '../state/context.ts'

/** Passes a completion that holds so far on to its review, or accepts it. */
export function reviewOrAcceptCompletion(
  ctx: StepContext,
  id: WorkerId,
  completion: CompletionClaim,
  ending: Ending,
): void {
  if (isStageAhead(workerOf(ctx, id), 'review')) return finishStage(ctx, id, 'PASS', { completion, ending })
  acceptCompletion(ctx, id, ending)
}

/** A later stage finds no completion here, so it only passes the ending on. */
export function acceptCompletion(ctx: StepContext, id: WorkerId, ending: Ending): void {
  recordDecision(ctx, id, 'proof', ending.acceptance === undefined ? 'accept' : 'ask', ending.why)
  finishStage(ctx, id, 'PASS', { ending })
}
