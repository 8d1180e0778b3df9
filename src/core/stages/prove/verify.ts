/**
 * A run of `ralph verify`: the stage *prove* alone, on the working tree. It takes a snapshot, runs every gate, finds the base that a
 * completion would be compared with (`end-verify.ts`), and takes the same proof steps.
 */
import type { WorkerId } from '../../ids.ts'
import { lastSnapshotFrom } from '../../tree/last-snapshot.ts'
import { continueWorker } from '../../pipeline/finish-stage.ts'
import { firstProofMove } from '../../proof/proof-steps.ts'
import { testCountOf } from '../../proof/trial.ts'
import { decideVerdict } from '../../proof/verdict.ts'
import type { EventOf } from '../../state/event.ts'
import type { CompletionClaim } from '../../state/state.ts'
import {
  requestEffect,
  recordDecision,
  enterPhase,
  patchWorker,
  workerOf,
  type StepContext,
} from '../../state/context.ts'
import { requestBaseTrial } from '../../tree/base.ts'
import { isStopping } from '../../admission/worker-directive.ts'
import { applyProofMove } from './continue-proof.ts'
import { completionGates } from '../../completion/completion-gates.ts'
import { activeProofOf } from './active-proof.ts'
import { enterProofPhase, endVerify } from './end-verify.ts'

/** Nobody claims a completion: the person asked for the verification. */
const STATE: CompletionClaim = { is: 'verified', why: 'verified by hand' }

export function beginVerify(ctx: StepContext, id: WorkerId): void {
  const effect = requestEffect(ctx, {
    type: 'snapshot',
    worker: id,
    for: 'verify',
    iteration: 0,
    since: null,
    sinceHead: null,
  })
  enterPhase(ctx, id, {
    is: 'proving',
    effect,
    completion: STATE,
    proof: { evidence: [], flaky: [], at: { is: 'look' } },
  })
}

/** After the snapshot the gates run. */
export function onVerifySnapshot(
  ctx: StepContext,
  event: EventOf<'snapshot-taken'>,
  runGates: (ctx: StepContext, id: WorkerId, completion: CompletionClaim) => void,
): void {
  const { worker: id } = event
  if (activeProofOf(ctx, id)?.proof.at.is !== 'look') return
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  patchWorker(ctx, id, { seen: lastSnapshotFrom(null, event) })
  const gates = completionGates(ctx, id)
  if (gates.length === 0) return endVerify(ctx, id, decideVerdict(gates, []))
  runGates(ctx, id, STATE)
}

export function onVerifyBaseResolved(ctx: StepContext, event: EventOf<'base-resolved'>): void {
  const { worker: id, base, cleanRoomCheck, sharedTools, verify } = event
  const proving = activeProofOf(ctx, id)
  if (proving === null || proving.proof.at.is !== 'base') return
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  patchWorker(ctx, id, { base, room: cleanRoomCheck })
  if (verify?.commit === 'last') recordDecision(ctx, id, 'proof', 'note', JUDGED_BY_COMMIT)
  if (verify?.ready === true) return applyProofMove(ctx, id, proving, firstProofMove())
  // If no run has prepared the clean room, it takes its tools as they are now, and the gates run there on the base first.
  const effect = requestBaseTrial(ctx, id, { base, gates: completionGates(ctx, id), sharedTools })
  enterProofPhase(ctx, id, proving, { at: { is: 'room' }, effect })
}

const JUDGED_BY_COMMIT = 'no proven state yet: comparing with the last commit (choose another: --since REF)'

export function isTryingBase(ctx: StepContext, id: WorkerId): boolean {
  return activeProofOf(ctx, id)?.proof.at.is === 'room'
}

export function onBaseTrialEnded(ctx: StepContext, { worker: id, trial }: EventOf<'trial-ended'>): void {
  const proving = activeProofOf(ctx, id)
  if (proving === null || proving.proof.at.is !== 'room') return
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  const { room } = workerOf(ctx, id)
  // A gate that fails here fails again on the tree itself, and is reported then.
  if (trial.is === 'ran' && room?.is === 'fit')
    patchWorker(ctx, id, { room: { ...room, tests: testCountOf(trial), writtenFiles: trial.writtenFiles } })
  applyProofMove(ctx, id, proving, firstProofMove())
}
