/** The proof steps of a completion: which effect each step requests, and how its result ends the stage. */
import type { EventOf } from '../../state/event.ts'
import type { Worker } from '../../state/state.ts'
import type { EffectId, WorkerId } from '../../ids.ts'
import { assertNever } from '../../assert-never.ts'
import { createAcceptanceRequest, describeAcceptanceRequest } from '../../proof/acceptance.ts'
import { CLEAN_ROOM_HINTS } from '../../proof/clean-room-check.ts'
import { firstProofMove, nextProofMove } from '../../proof/proof-steps.ts'
import {
  requireClassification,
  type ProofStepAnswer,
  type ProofInput,
  type ProofMove,
} from '../../proof/proof-types.ts'
import { isStopping } from '../../admission/worker-directive.ts'
import { requestEffect, recordDecision, enterPhase, workerOf, type StepContext } from '../../state/context.ts'
import type { Ending } from '../../pipeline/end-worker.ts'
import { completionGates } from '../../completion/completion-gates.ts'
import { finishStage, continueWorker } from '../../pipeline/finish-stage.ts'
import { taskJobOf, verifyJobOf } from '../../state/job.ts'
import { describeFlakyGates, activeProofOf, type ActiveProof } from './active-proof.ts'
import { rejectCompletion, rejectUnproven } from '../../completion/reject-completion.ts'
import { acceptCompletion, reviewOrAcceptCompletion } from '../../completion/accept-completion.ts'
import { requestVerifyBase, endVerifyAfterProof } from './end-verify.ts'

/** The gates passed in the working tree: now the completion is tried in the clean room, if there is one. */
export function continueProofAfterGates(ctx: StepContext, id: WorkerId, proving: ActiveProof): void {
  if (verifyJobOf(workerOf(ctx, id)) !== null) return requestVerifyBase(ctx, id, proving)
  const { room, base } = workerOf(ctx, id)
  if (room?.is === 'fit' && base !== null) return applyProofMove(ctx, id, proving, firstProofMove())
  const why =
    room?.is === 'clean-room-unusable'
      ? `the gates can't run in the clean room: ${room.why}`
      : 'the state before the work is unknown'
  finishStage(ctx, id, 'PASS', {
    ending: {
      is: proving.completion.is,
      why: `the gates pass here, but ${why}`,
      ...(room?.is === 'clean-room-unusable' ? { cause: { is: 'blind', mend: CLEAN_ROOM_HINTS } } : {}),
    },
  })
}

export function onChangesClassified(ctx: StepContext, event: EventOf<'changes-classified'>): void {
  for (const note of event.classification.notes) recordDecision(ctx, event.worker, 'proof', 'note', note)
  advanceProof(ctx, event.worker, { is: 'sorted', classification: event.classification })
}

export function onTrialEnded(ctx: StepContext, event: EventOf<'trial-ended'>): void {
  advanceProof(ctx, event.worker, { is: 'tried', trial: event.trial })
}

export function onFinalTreeChecked(ctx: StepContext, event: EventOf<'final-tree-checked'>): void {
  advanceProof(ctx, event.worker, { is: 'looked', changed: event.changed })
}

function advanceProof(ctx: StepContext, id: WorkerId, answer: ProofStepAnswer): void {
  const proving = activeProofOf(ctx, id)
  if (proving === null || proving.proof.at.is !== 'proofSteps') return
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  const by = proofInputOf(ctx, workerOf(ctx, id))
  if (by === null) return
  applyProofMove(ctx, id, proving, nextProofMove(proving.proof.at.progress, answer, by))
}

/** What the proof steps compare with; null: there is no base, so there are no proof steps. */
function proofInputOf(ctx: StepContext, worker: Worker): ProofInput | null {
  const { id, base, room, iteration } = worker
  const { reruns, trials } = ctx.state.run.rules.proof
  if (base === null) return null
  const isTried = room?.is === 'fit' && room.base === base.tree
  return {
    gates: completionGates(ctx, id),
    base,
    // Before the first iteration nothing was changed or claimed: the plan was complete already.
    about: iteration > 0 || taskJobOf(worker) !== null ? 'work' : isTried ? 'state' : 'changed-state',
    testsAtBase: isTried ? room.tests : null,
    writtenAtBase: room?.is === 'fit' ? room.writtenFiles : [],
    reruns,
    trials,
  }
}

export function applyProofMove(
  ctx: StepContext,
  id: WorkerId,
  { completion, proof }: ActiveProof,
  move: ProofMove,
): void {
  const { progress } = move
  recordStepResults(ctx, id, proof.at.is === 'proofSteps' ? proof.at.progress.stepResults.length : 0, move)
  if (move.say !== null) recordDecision(ctx, id, 'proof', 'try', move.say)
  const on: ActiveProof = { completion, proof: { ...proof, at: { is: 'proofSteps', progress } } }
  if (move.is === 'sort' || move.is === 'try' || move.is === 'look')
    return enterPhase(ctx, id, { is: 'proving', effect: requestProofEffect(ctx, id, move), ...on })
  if (verifyJobOf(workerOf(ctx, id)) !== null) return endVerifyAfterProof(ctx, id, move)
  switch (move.is) {
    case 'proven': {
      const { final, plan, refs } = requireClassification(progress)
      const ending: Ending = {
        is: completion.is,
        why: `${move.why}${describeFlakyGates(proof)}`,
        verdict: 'proven',
        base: { tree: final, plan, refs, from: 'proven' },
        tests: progress.tests,
      }
      // An earlier proof that still holds included every step that was required then.
      const isNew = workerOf(ctx, id).base?.tree !== final
      return isNew ? reviewOrAcceptCompletion(ctx, id, completion, ending) : acceptCompletion(ctx, id, ending)
    }
    case 'accept': {
      const acceptance = createAcceptanceRequest(requireClassification(progress), move.needed, move.ignored)
      const ending: Ending = {
        is: 'needs_acceptance',
        why: describeAcceptanceRequest(move.why, acceptance),
        verdict: 'needs-review',
        acceptance,
      }
      if (move.tell !== null) return rejectUnproven(ctx, id, { tell: move.tell, ending })
      return reviewOrAcceptCompletion(ctx, id, completion, ending)
    }
    case 'refused':
      return rejectCompletion(ctx, id, move)
    case 'unproven':
      return rejectUnproven(ctx, id, {
        tell: move.tell,
        ending: {
          is: completion.is,
          why: move.why,
          verdict: 'unproven',
          ...(workerOf(ctx, id).iteration === 0 ? {} : { cause: { is: 'blind', mend: move.tell } }),
        },
      })
    case 'room-failed':
      return finishStage(ctx, id, 'FAIL', {
        ending: { is: 'room_failed', why: move.why, verdict: 'unproven' },
      })
    default:
      return assertNever(move)
  }
}

function requestProofEffect(
  ctx: StepContext,
  id: WorkerId,
  move: Extract<ProofMove, { is: 'sort' | 'try' | 'look' }>,
): EffectId {
  const worker = workerOf(ctx, id)
  const { base, seen, iteration, room } = worker
  const tests = taskJobOf(worker)?.tests ?? []
  if (base === null || seen === null) throw new Error('a proof needs a base')
  switch (move.is) {
    case 'sort':
      return requestEffect(ctx, {
        type: 'classify-changes',
        worker: id,
        iteration,
        base,
        tree: seen.tree,
        gates: completionGates(ctx, id),
        ...(tests.length > 0 ? { tests } : {}),
      })
    case 'try': {
      const { trialLayout, gates, purpose } = move
      const { file, hash, final } = requireClassification(move.progress)
      return requestEffect(ctx, {
        type: 'run-trial',
        worker: id,
        iteration,
        purpose,
        trialLayout,
        base,
        classification: { file, hash, final },
        gates,
        sharedTools: room?.is === 'fit' ? room.sharedTools : 'tools',
        all: false,
      })
    }
    case 'look':
      return requestEffect(ctx, {
        type: 'check-final-tree',
        worker: id,
        final: requireClassification(move.progress).final,
      })
    default:
      return assertNever(move)
  }
}

/** Records the result of a proof step as soon as it is known. */
function recordStepResults(ctx: StepContext, id: WorkerId, before: number, { progress }: ProofMove): void {
  for (const step of progress.stepResults.slice(before))
    ctx.decisions.push({ by: 'proof', what: 'proof-step', why: step.said, worker: id, step })
}
