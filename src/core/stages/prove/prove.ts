/**
 * The stage that proves a completion: first the gates in the working tree, where a failure rejects it at once; then the proof steps in the
 * clean room (`continue-proof.ts`).
 */
import type { CompletionClaim, ProofState, ProofPhase } from '../../state/state.ts'
import type { TreeHash, WorkerId } from '../../ids.ts'
import type { Evidence } from '../../proof/evidence.ts'
import { gateFailureLines } from '../../proof/gate-failure-lines.ts'
import { passesExceptQuarantined, describeGateFailure, decideVerdict } from '../../proof/verdict.ts'
import { onChangesClassified, continueProofAfterGates, onFinalTreeChecked, onTrialEnded } from './continue-proof.ts'
import { plural } from '../../text/format-amounts.ts'
import { isStopping } from '../../admission/worker-directive.ts'
import {
  requestEffect,
  recordDecision,
  enterPhase,
  patchWorker,
  workerOf,
  type StepContext,
} from '../../state/context.ts'
import type { Ending } from '../../pipeline/end-worker.ts'
import { completionGates } from '../../completion/completion-gates.ts'
import { finishStage, continueWorker } from '../../pipeline/finish-stage.ts'
import { describeFlakyGates, activeProofOf, type ActiveProof } from './active-proof.ts'
import { rejectCompletion } from '../../completion/reject-completion.ts'
import { reviewOrAcceptCompletion } from '../../completion/accept-completion.ts'
import { abortRunningEffect } from '../../pipeline/abort-effect.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import { taskJobOf, verifyJobOf } from '../../state/job.ts'
import { verdictIfGatesSuffice, rejectOrEndVerify, endVerify } from './end-verify.ts'
import { beginVerify, onVerifyBaseResolved, isTryingBase, onBaseTrialEnded, onVerifySnapshot } from './verify.ts'

export const PROVE_STAGE: StageModule = {
  kind: 'prove',
  phases: ['proving'],
  begin(ctx, id) {
    const worker = workerOf(ctx, id)
    if (verifyJobOf(worker) !== null) return beginVerify(ctx, id)
    const completion = worker.line?.input.completion
    if (completion === undefined) throw new Error('a proof needs a completion')
    beginProof(ctx, id, completion)
  },
  on: {
    'snapshot-taken': (ctx, event) => onVerifySnapshot(ctx, event, beginGates),
    'base-resolved': onVerifyBaseResolved,
    'gate-ended': (ctx, event) => afterGate(ctx, event.worker, event.evidence),
    'changes-classified': onChangesClassified,
    'trial-ended'(ctx, event) {
      if (isTryingBase(ctx, event.worker)) onBaseTrialEnded(ctx, event)
      else onTrialEnded(ctx, event)
    },
    'final-tree-checked': onFinalTreeChecked,
  },
  abort: abortRunningEffect,
  describe: () => 'proving the completion',
}

function beginProof(ctx: StepContext, id: WorkerId, completion: CompletionClaim): void {
  const loose = uncommittedRejection(ctx, id)
  if (loose !== null) return rejectCompletion(ctx, id, { ...loose, verdict: 'failed' })
  const gates = completionGates(ctx, id)
  if (gates.length === 0) {
    const why = 'no gate is configured, so nothing was checked'
    const ending: Ending = { ...completion, why, verdict: 'unproven' }
    // A task without gates can still be reviewed by a second agent.
    if (taskJobOf(workerOf(ctx, id)) !== null) return reviewOrAcceptCompletion(ctx, id, completion, ending)
    return finishStage(ctx, id, 'PASS', { ending })
  }
  recordDecision(ctx, id, 'proof', 'check', `${completion.why}; running the gates`)
  beginGates(ctx, id, completion)
}

function beginGates(ctx: StepContext, id: WorkerId, completion: CompletionClaim): void {
  const gates = completionGates(ctx, id)
  const at: ProofPhase = { is: 'gates', left: gates.map((gate) => gate.name), tries: [] }
  runGate(ctx, id, { completion, proof: { evidence: [], flaky: [], at } })
}

/** Why a completion with uncommitted files is rejected, if the settings require commits. */
function uncommittedRejection(ctx: StepContext, id: WorkerId): { why: string; tell: string; lines: string[] } | null {
  const { loop } = ctx.state.run.rules
  const { seen, iteration } = workerOf(ctx, id)
  // Files that were uncommitted before the run do not count.
  const files = (seen?.uncommitted ?? 0) - (seen?.uncommittedAtStart ?? 0)
  if (!loop.commitRequired || loop.commit !== 'agent' || iteration === 0 || files <= 0) return null
  const many = plural(files, 'file')
  return {
    why: `${many} uncommitted (commits.require)`,
    tell: `Commit your work first: ${many} uncommitted. Add files that must not be committed to .gitignore.`,
    lines: ['Commit the files of the work and add the others to .gitignore: git status --short'],
  }
}

/** Runs the first gate that is left. */
function runGate(ctx: StepContext, id: WorkerId, { completion, proof }: ActiveProof): void {
  const first = proof.at.is === 'gates' ? proof.at.left[0] : undefined
  const gate = completionGates(ctx, id).find((one) => one.name === first)
  if (gate === undefined) return onGatesPassed(ctx, id, { completion, proof })
  const { iteration, seen } = workerOf(ctx, id)
  const effect = requestEffect(ctx, {
    type: 'run-gate',
    worker: id,
    gate,
    iteration,
    tree: seen?.tree ?? null,
    purpose: 'completion',
  })
  patchWorker(ctx, id, { measured: false })
  enterPhase(ctx, id, { is: 'proving', effect, completion, proof })
}

function afterGate(ctx: StepContext, id: WorkerId, result: Evidence): void {
  const proving = activeProofOf(ctx, id)
  if (proving === null || proving.proof.at.is !== 'gates') return
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  recordSeenTree(ctx, id, result.tree)
  const { rules } = ctx.state.run
  const { at } = proving.proof
  const ok = passesExceptQuarantined(result, rules.proof.quarantine)
  const tries = [...at.tries, ok]
  const evidence = [...proving.proof.evidence.filter((one) => one.gate !== result.gate), result]
  const proof: ProofState = { ...proving.proof, evidence, at: { ...at, tries } }
  if (mayRunAgain(tries, result, rules.proof.reruns)) {
    recordDecision(
      ctx,
      id,
      'proof',
      'again',
      ok ? `${result.gate} passed after a failure; running it once more` : `${result.gate} failed; retrying`,
    )
    return runGate(ctx, id, { completion: proving.completion, proof })
  }
  // A verification reports every gate.
  const isLast = at.left.length === 1 || verifyJobOf(workerOf(ctx, id)) === null
  if (!ok && isLast) return refuseGate(ctx, id, { result, evidence, tries })
  const isFlaky = ok && tries.length > 1
  const flaky = isFlaky ? [...proof.flaky, result.gate] : proof.flaky
  if (isFlaky)
    recordDecision(ctx, id, 'proof', 'flaky', `${result.gate} is flaky: it failed, then passed twice in a row`)
  runGate(ctx, id, {
    completion: proving.completion,
    proof: { ...proof, flaky, at: { is: 'gates', left: at.left.slice(1), tries: [] } },
  })
}

/** A failure is run again as often as the settings allow; a pass after a failure needs a second one in a row. */
function mayRunAgain(tries: boolean[], result: Evidence, reruns: number): boolean {
  if (result.timedOut || result.missing || result.unstable) return false
  const failures = tries.filter((ok) => !ok).length
  if (failures === 0) return false
  const ok = tries.at(-1) === true
  return ok ? tries.at(-2) === false : failures <= reruns && tries.length === failures
}

function refuseGate(
  ctx: StepContext,
  id: WorkerId,
  bad: { result: Evidence; evidence: Evidence[]; tries: boolean[] },
): void {
  const { rules } = ctx.state.run
  const { baseline } = workerOf(ctx, id)
  const red = { gate: bad.result.gate, lines: gateFailureLines(bad.result) }
  if (bad.tries.includes(true)) {
    const why = `${bad.result.gate} is flaky: it passes and fails on the same files`
    return rejectOrEndVerify(ctx, id, { why, tell: `${why}. ${gateCorrection(bad.result)}`, verdict: 'flaky', ...red })
  }
  const judgement = decideVerdict(completionGates(ctx, id), bad.evidence, {
    baseline,
    quarantine: rules.proof.quarantine,
  })
  const { why, verdict } = judgement
  rejectOrEndVerify(ctx, id, { why, tell: gateCorrection(bad.result), verdict, ...red })
}

/** All gates passed in the working tree. That is no proof yet: the agent could change everything there. */
function onGatesPassed(ctx: StepContext, id: WorkerId, proving: ActiveProof): void {
  const { rules } = ctx.state.run
  const judgement = decideVerdict(completionGates(ctx, id), proving.proof.evidence, {
    quarantine: rules.proof.quarantine,
  })
  if (judgement.verdict !== 'proven') return rejectOrEndVerify(ctx, id, { ...judgement, tell: judgement.why })
  const job = verifyJobOf(workerOf(ctx, id))
  const shown = job === null ? null : verdictIfGatesSuffice(rules, job, judgement)
  if (shown !== null) return endVerify(ctx, id, shown)
  if (rules.proof.level === 'full') return continueProofAfterGates(ctx, id, proving)
  reviewOrAcceptCompletion(ctx, id, proving.completion, {
    is: proving.completion.is,
    why: `${judgement.why}${describeFlakyGates(proving.proof)}; proof.level = quick needs no further proof`,
    verdict: 'gates-passed',
  })
}

/** For the next prompt: the failing lines first, then the rest of the gate's output, up to a limit. */
function gateCorrection(evidence: Evidence): string {
  const lines = gateFailureLines(evidence)
  const summary = evidence.summary.trim()
  const said = [...lines, ...(lines.join('\n') === summary ? [] : ['', summary])].join('\n')
  return `Gate ${describeGateFailure(evidence)}, command: ${evidence.command}.${summary === '' ? '' : ` Its output:\n${said.slice(0, 1_200)}`}`
}

function recordSeenTree(ctx: StepContext, id: WorkerId, tree: TreeHash): void {
  const { seen } = workerOf(ctx, id)
  if (seen !== null) patchWorker(ctx, id, { seen: { ...seen, tree }, measured: true })
}
