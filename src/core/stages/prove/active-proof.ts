/** A completion and how far it has come, while its worker proves it. */
import type { CompletionClaim, ProofState } from '../../state/state.ts'
import type { WorkerId } from '../../ids.ts'
import { workerOf, type StepContext } from '../../state/context.ts'

export interface ActiveProof {
  completion: CompletionClaim
  proof: ProofState
}

export function activeProofOf(ctx: StepContext, id: WorkerId): ActiveProof | null {
  const { phase } = workerOf(ctx, id)
  return phase.is === 'proving' ? { completion: phase.completion, proof: phase.proof } : null
}

/** For the final sentence: gates that failed first and then passed. */
export function describeFlakyGates({ flaky }: ProofState): string {
  return flaky.length > 0 ? `; flaky: ${flaky.join(', ')}` : ''
}
