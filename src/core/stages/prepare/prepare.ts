/**
 * The stage before the first iteration: it finds the base that completions are judged against, runs each gate once, so that nobody is blamed
 * for old failures, and checks that the clean room shows the same as the working tree. All of it before an agent is paid.
 */
import { endedByBreaker, enforceCallLimits, admitCallOrWait, findAvailableAgent } from '../../calls/call.ts'
import { completionGates } from '../../completion/completion-gates.ts'
import type { WorkerId } from '../../ids.ts'
import { abortRunningEffect } from '../../pipeline/abort-effect.ts'
import { finishStage, continueWorker } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import type { Evidence, Gate } from '../../proof/evidence.ts'
import {
  evaluateCleanRoomTrial,
  nextSharedToolsLevel,
  CLEAN_ROOM_HINTS,
  type CleanRoomCheckInput,
  type CleanRoomCheckResult,
} from '../../proof/clean-room-check.ts'
import type { SharedToolsLevel } from '../../proof/trial.ts'
import { hasPassed } from '../../proof/verdict.ts'
import type { EventOf } from '../../state/event.ts'
import { endWorker } from '../../pipeline/end-worker.ts'
import type { LastSnapshot } from '../../state/state.ts'
import {
  requestEffect,
  recordDecision,
  enterPhase,
  patchWorker,
  workerOf,
  type StepContext,
} from '../../state/context.ts'
import { requestBase, requestBaseTrial, needsCleanRoom, saveBase } from '../../tree/base.ts'
import { moveBaseIfEdited, requestSnapshotBefore, applySnapshotBefore } from '../../tree/request-snapshot.ts'
import { planClaimsCompletion } from '../../calls/plan-completion-claim.ts'
import { mayContinue, directiveOf } from '../../admission/worker-directive.ts'

export const PREPARE_STAGE: StageModule = {
  kind: 'prepare',
  phases: ['taking-snapshot', 'resolving-base', 'running-baseline', 'checking-clean-room'],
  begin(ctx, id, entered) {
    if (entered !== undefined) return requestSnapshotBefore(ctx, id)
    // Nothing is prepared for a call that may not begin.
    if (!planClaimsCompletion(ctx, id)) {
      if (!enforceCallLimits(ctx, id)) return
      const chosen = findAvailableAgent(ctx, ctx.state.run.rules.agent.order)
      if (chosen.is !== 'free') return admitCallOrWait(ctx, id, 'work', chosen)
    }
    requestSnapshotBefore(ctx, id)
  },
  on: {
    'snapshot-taken': snapshotTaken,
    'base-resolved': baseResolved,
    'gate-ended': (ctx, event) => afterBaseline(ctx, event.worker, event.evidence),
    'trial-ended': cleanRoomChecked,
  },
  abort: abortRunningEffect,
  describe: () => 'preparing the proof',
}

function snapshotTaken(ctx: StepContext, event: EventOf<'snapshot-taken'>): void {
  const { worker: id } = event
  const { phase } = workerOf(ctx, id)
  const look = applySnapshotBefore(ctx, event)
  if (look === null || phase.is !== 'taking-snapshot') return
  // A task that is given back needs no preparation.
  const isDropped = directiveOf(ctx, id).is === 'drop'
  if (!isDropped && (phase.for === 'start' || needsPreparation(ctx, id))) {
    // Gates and clean room take minutes: they do not run if no call could follow.
    if (!planClaimsCompletion(ctx, id) && endedByBreaker(ctx, id)) return
    return beginPreparation(ctx, id, look.before)
  }
  if (!moveBaseIfEdited(ctx, id, look)) finishPrepare(ctx, id)
}

/** A pause may come before the base is resolved or clean room ready; no agent is called until both are done. */
function needsPreparation(ctx: StepContext, id: WorkerId): boolean {
  const { base, room } = workerOf(ctx, id)
  return needsCleanRoom(ctx, id) && (base === null || room === null)
}

function beginPreparation(ctx: StepContext, id: WorkerId, before: LastSnapshot | null): void {
  if (!mayContinue(ctx, id)) return continueWorker(ctx, id)
  if (needsCleanRoom(ctx, id)) return requestBase(ctx, id, before)
  runBaseline(ctx, id, { known: null, sharedTools: 'nothing', now: '' })
}

/** Everything is ready. If a pause or a stop was requested meanwhile, the stage is not over yet. */
function finishPrepare(ctx: StepContext, id: WorkerId): void {
  if (mayContinue(ctx, id)) finishStage(ctx, id, 'PASS')
  else continueWorker(ctx, id)
}

function baseResolved(ctx: StepContext, event: EventOf<'base-resolved'>): void {
  const { worker: id } = event
  const { phase } = workerOf(ctx, id)
  saveBase(ctx, event)
  if (phase.is !== 'resolving-base') return
  if (phase.for === 'before') return finishPrepare(ctx, id)
  runBaseline(ctx, id, { known: event.cleanRoomCheck, sharedTools: event.sharedTools, now: event.now })
}

function runBaseline(ctx: StepContext, id: WorkerId, fitting: CleanRoomCheckInput): void {
  const gates = ctx.state.run.rules.proof.baseline === 'off' ? [] : completionGates(ctx, id)
  runNext(ctx, id, gates, fitting)
}

function runNext(ctx: StepContext, id: WorkerId, gates: Gate[], fitting: CleanRoomCheckInput): void {
  if (!mayContinue(ctx, id)) return finishPrepare(ctx, id)
  const [gate, ...left] = gates
  if (gate === undefined) return requestCleanRoomCheck(ctx, id, fitting)
  const { seen } = workerOf(ctx, id)
  const effect = requestEffect(ctx, {
    type: 'run-gate',
    worker: id,
    gate,
    iteration: 0,
    tree: seen?.tree ?? null,
    purpose: 'baseline',
  })
  patchWorker(ctx, id, { measured: false })
  enterPhase(ctx, id, { is: 'running-baseline', effect, left: left.map((one) => one.name), ...fitting })
}

function afterBaseline(ctx: StepContext, id: WorkerId, evidence: Evidence): void {
  const worker = workerOf(ctx, id)
  if (worker.phase.is !== 'running-baseline') return
  const { left, known, sharedTools, now } = worker.phase
  const seen = worker.seen === null ? null : { ...worker.seen, tree: evidence.tree }
  const { exit, failing } = evidence
  patchWorker(ctx, id, {
    seen,
    measured: true,
    baseline: { ...worker.baseline, [evidence.gate]: { passed: hasPassed(evidence), failing, exit } },
  })
  const missing = missingProgram(evidence)
  if (missing !== null) {
    const why = `gate ${evidence.gate} (${evidence.command}) needs ${missing}, which is not installed`
    const cause = { is: 'missing' as const, gate: evidence.gate, program: missing }
    return endWorker(ctx, id, { is: 'program_missing', why, cause })
  }
  if (hasPassed(evidence) && evidence.tests === 0) {
    const why = `gate ${evidence.gate} (${evidence.command}) passes but runs 0 tests, so it proves nothing yet`
    if (ctx.state.run.rules.proof.noTests === 'refuse') return endWorker(ctx, id, { is: 'not_started', why })
    recordDecision(ctx, id, 'proof', 'empty', why)
  }
  const state = hasPassed(evidence) ? 'pass' : evidence.timedOut ? 'timed out' : 'fail'
  recordDecision(ctx, id, 'proof', 'baseline', `baseline: ${evidence.gate} ${state}`)
  const gates = completionGates(ctx, id).filter((gate) => left.includes(gate.name))
  runNext(ctx, id, gates, { known, sharedTools, now })
}

/** The name of the command that the shell did not find; null: the gate ran, or the missing file belongs to the project and may still be written. */
function missingProgram({ missing, summary }: Evidence): string | null {
  if (!missing) return null
  const name = /(?:^|[\s:])([\w.+-]+): (?:command )?not found\b/m.exec(summary)?.[1]
  return name ?? null
}

/** A clean room that already passed its check is only made ready: its tools are copied before an agent can change them. */
function requestCleanRoomCheck(ctx: StepContext, id: WorkerId, { known, sharedTools, now }: CleanRoomCheckInput): void {
  const { base } = workerOf(ctx, id)
  if (!needsCleanRoom(ctx, id) || base === null) return finishPrepare(ctx, id)
  const ready = known?.is === 'fit' ? known : null
  const { baseline } = ctx.state.run.rules.proof
  const gates = ready !== null || baseline === 'off' ? [] : completionGates(ctx, id)
  const shared = ready?.sharedTools ?? sharedTools
  const effect = requestBaseTrial(ctx, id, { base: { ...base, tree: now }, gates, sharedTools: shared })
  enterPhase(ctx, id, { is: 'checking-clean-room', effect, sharedTools: shared, known: ready, now })
}

function cleanRoomChecked(ctx: StepContext, event: EventOf<'trial-ended'>): void {
  const { worker: id, trial } = event
  const { phase, baseline } = workerOf(ctx, id)
  if (phase.is !== 'checking-clean-room') return
  const found = evaluateCleanRoomTrial(trial, { sharedTools: phase.sharedTools, baseline, base: phase.now })
  // The clean room passed its check before; it is made ready again, and that result still holds.
  const room = found.is === 'fit' && phase.known?.is === 'fit' ? phase.known : found
  const more = found.is === 'clean-room-unusable' ? nextSharedToolsLevel(phase.sharedTools) : null
  // After a pause the check continues here: the clean room has not failed yet, only not been given more tools.
  if (more !== null && !mayContinue(ctx, id)) return finishPrepare(ctx, id)
  if (more !== null) {
    // That an empty clean room fails is expected and not reported; a set-up command that fails is.
    if (phase.sharedTools !== 'nothing' || trial.is === 'room-failed')
      recordDecision(
        ctx,
        id,
        'proof',
        'room',
        `${found.is === 'clean-room-unusable' ? found.why : ''}; ${SHARING[more]}`,
      )
    return requestCleanRoomCheck(ctx, id, { known: null, sharedTools: more, now: phase.now })
  }
  patchWorker(ctx, id, { room })
  recordDecision(ctx, id, 'proof', room.is === 'fit' ? 'room' : 'clean-room-unusable', describeCleanRoomCheck(room))
  finishPrepare(ctx, id)
}

const SHARING: Record<SharedToolsLevel, string> = {
  nothing: 'nothing is shared with it',
  tools: 'with copied tool folders',
  ignored: 'with copied ignored files',
  neighbours: 'with copied neighbour folders',
}

function describeCleanRoomCheck(room: CleanRoomCheckResult): string {
  if (room.is === 'clean-room-unusable')
    return `the gates can't run in the clean room, so the result will be unproven: ${room.why}\n${CLEAN_ROOM_HINTS}`
  const with_ = room.sharedTools === 'nothing' ? '' : `, ${SHARING[room.sharedTools]}`
  return `clean room ready${with_}`
}
