/** A completion and how far it has come, while its worker proves it. */
import type { CompletionClaim, ProofState } from '../../state/state.ts'
import type { WorkerId } from '../../ids.ts'
import { decideVerdict } from '../../proof/verdict.ts'
import { workerOf, type StepContext } from '../../state/context.ts'
import { completionGates } from '../../completion/completion-gates.ts'

export interface ActiveProof {
  completion: CompletionClaim
  proof: ProofState
}

export function activeProofOf(ctx: StepContext, id: WorkerId): ActiveProof | null {
  const { phase } = workerOf(ctx, id)
  return phase.is === 'proving' ? { completion: phase.completion, proof: phase.proof } : null
}

/** For the final sentence: which gates were flaky in the working tree. */
export function describeGatesPassed(ctx: StepContext, id: WorkerId, { evidence }: ProofState): string {
  const { quarantine } = ctx.state.run.rules.proof
  return decideVerdict(completionGates(ctx, id), evidence, { quarantine }).why
}

/** The same, of gates that failed first. */
export function describeFlakyGates({ flaky }: ProofState): string {
  return flaky.length > 0 ? `; flaky: ${flaky.join(', ')}` : ''
}
