/** The result of a verification: a verdict on the tree as it is. No agent works on it afterwards. */
import type { EffectId, WorkerId } from '../../ids.ts'
import { assertNever } from '../../assert-never.ts'
import { createAcceptanceRequest, describeAcceptanceRequest } from '../../proof/acceptance.ts'
import { requireClassification, type ProofMove } from '../../proof/proof-types.ts'
import type { VerdictWithReason } from '../../proof/verdict.ts'
import type { Ending } from '../../pipeline/end-worker.ts'
import type { ProofPhase } from '../../state/state.ts'
import type { Rules } from '../../state/rules.ts'
import { requestEffect, enterPhase, workerOf, type StepContext } from '../../state/context.ts'
import { finishStage } from '../../pipeline/finish-stage.ts'
import { verifyJobOf, type VerifyJob } from '../../state/job.ts'
import { rejectCompletion, type Rejection } from '../../completion/reject-completion.ts'
import { completionGates } from '../../completion/completion-gates.ts'
import type { ActiveProof } from './active-proof.ts'

/** All gates passed. `null`: the proof steps follow. */
export function verdictIfGatesSuffice(
  { proof }: Rules,
  { gate, quick }: VerifyJob,
  { why }: VerdictWithReason,
): VerdictWithReason | null {
  if (gate === null && !quick && proof.level === 'full') return null
  return { verdict: 'gates-passed', why }
}

/** The base of the comparison: the named commit, the saved base, or else the last commit. */
export function requestVerifyBase(ctx: StepContext, id: WorkerId, proving: ActiveProof): void {
  const worker = workerOf(ctx, id)
  const [seen, job] = [worker.seen, verifyJobOf(worker)]
  if (seen === null || job === null) throw new Error('a verification takes its snapshot first')
  const effect = requestEffect(ctx, {
    type: 'resolve-base',
    worker: id,
    base: null,
    since: null,
    now: { tree: seen.tree, plan: seen.plan },
    gates: completionGates(ctx, id),
    verify: { since: job.since },
  })
  enterProofPhase(ctx, id, proving, { at: { is: 'base' }, effect })
}

/** The last result of the proof, as a verdict on the tree. */
export function endVerifyAfterProof(
  ctx: StepContext,
  id: WorkerId,
  move: Exclude<ProofMove, { is: 'sort' | 'try' | 'look' }>,
): void {
  switch (move.is) {
    case 'proven': {
      const { final, plan, refs } = requireClassification(move.progress)
      return endVerify(ctx, id, {
        verdict: 'proven',
        why: move.why,
        base: { tree: final, plan, refs, from: 'proven' },
        tests: move.progress.tests,
      })
    }
    case 'accept': {
      const acceptance = createAcceptanceRequest(requireClassification(move.progress), move.needed, move.ignored)
      const why = describeAcceptanceRequest(move.why, acceptance)
      return endVerify(ctx, id, { verdict: 'needs-review', why, acceptance })
    }
    case 'refused':
      return endVerify(ctx, id, { verdict: move.verdict, why: move.why })
    case 'unproven':
      return endVerify(ctx, id, { verdict: 'unproven', why: move.why })
    case 'room-failed':
      return endVerify(ctx, id, { verdict: 'unproven', why: `the clean room failed: ${move.why}` })
    default:
      return assertNever(move)
  }
}

export function endVerify(
  ctx: StepContext,
  id: WorkerId,
  { verdict, why, ...shown }: VerdictWithReason & Pick<Ending, 'base' | 'tests' | 'acceptance'>,
): void {
  finishStage(ctx, id, 'PASS', { ending: { is: 'verified', verdict, why, ...shown } })
}

/** A verification only reports what failed; no agent is asked to fix it. */
export function rejectOrEndVerify(ctx: StepContext, id: WorkerId, refusal: Rejection): void {
  if (verifyJobOf(workerOf(ctx, id)) === null) return rejectCompletion(ctx, id, refusal)
  endVerify(ctx, id, { verdict: refusal.verdict, why: refusal.why })
}

export function enterProofPhase(
  ctx: StepContext,
  id: WorkerId,
  { completion, proof }: ActiveProof,
  { at, effect }: { at: ProofPhase; effect: EffectId },
): void {
  enterPhase(ctx, id, { is: 'proving', effect, completion, proof: { ...proof, at } })
}
