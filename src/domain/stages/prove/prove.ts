/**
 * The stage that proves a completion: first the gates where the work was made, red is refused at once; then the ladder of trials in the
 * clean room (`climbing.ts`).
 */
import type { Completion, Proof, ProofAt } from '../../state/state.ts'
import type { TreeHash, WorkerId } from '../../ids.ts'
import type { Evidence } from '../../proof/evidence.ts'
import { failingLines } from '../../proof/failing-lines.ts'
import { counts, describeFailure, judge } from '../../proof/verdict.ts'
import { changesSorted, climbOn, lookedAgain, roomTried } from './climbing.ts'
import { isStopping } from '../../admission/order.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import type { Ending } from '../../pipeline/finish.ts'
import { completionGates } from '../../completion/gates.ts'
import { finishStage, proceed } from '../../pipeline/finish-stage.ts'
import { flakyNote, provingOf, type Proving } from './proving.ts'
import { refuse } from '../../completion/refuse.ts'
import { passOn } from '../../completion/accept.ts'
import { abortPhase } from '../../pipeline/abort.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import { taskOf, verifyOf } from '../../state/job.ts'
import { enough, reject, verified } from './verified.ts'
import { beginVerify, groundTaken, isAtBase, roomTriedAtBase, treeSeen } from './verify.ts'

export const PROVE: StageModule = {
  kind: 'prove',
  phases: ['proving'],
  begin(course, id) {
    const worker = workerOf(course, id)
    if (verifyOf(worker) !== null) return beginVerify(course, id)
    const completion = worker.line?.input.completion
    if (completion === undefined) throw new Error('nothing was claimed, so nothing is proven')
    prove(course, id, completion)
  },
  on: {
    surveyed: (course, event) => treeSeen(course, event, beginGates),
    'base-taken': groundTaken,
    'gate-ended': (course, event) => afterGate(course, event.worker, event.evidence),
    'changes-sorted': changesSorted,
    'room-tried'(course, event) {
      if (isAtBase(course, event.worker)) roomTriedAtBase(course, event)
      else roomTried(course, event)
    },
    'looked-again': lookedAgain,
  },
  abort: abortPhase,
  describe: () => 'proving the completion',
}

function prove(course: Course, id: WorkerId, completion: Completion): void {
  const loose = looseFiles(course, id)
  if (loose !== null) return refuse(course, id, { ...loose, verdict: 'failed' })
  const gates = completionGates(course, id)
  if (gates.length === 0) {
    const why = `${completion.why}; unproven, because no gate is configured`
    const ending: Ending = { ...completion, why, verdict: 'unproven' }
    // Where nothing else judges a task, a second agent is all there is.
    if (taskOf(workerOf(course, id)) !== null) return passOn(course, id, completion, ending)
    return finishStage(course, id, 'PASS', { ending })
  }
  decide(course, id, 'proof', 'check', `${completion.why}; the gates decide`)
  beginGates(course, id, completion)
}

function beginGates(course: Course, id: WorkerId, completion: Completion): void {
  const gates = completionGates(course, id)
  const at: ProofAt = { is: 'gates', left: gates.map((gate) => gate.name), tries: [] }
  runGate(course, id, { completion, proof: { evidence: [], flaky: [], at } })
}

/** Where the settings ask for commits: what keeps a completion from being judged. */
function looseFiles(course: Course, id: WorkerId): { why: string; tell: string; lines: string[] } | null {
  const { loop } = course.house.run.rules
  const { seen, iteration } = workerOf(course, id)
  // What was so before the run is its owner's business.
  const files = (seen?.uncommitted ?? 0) - (seen?.uncommittedBefore ?? 0)
  if (!loop.commitRequired || loop.commit !== 'agent' || iteration === 0 || files <= 0) return null
  const many = files === 1 ? 'one file is' : `${files} files are`
  return {
    why: `${many} in no commit (commits.require)`,
    tell: `Commit your work first: ${many} in no commit. What must not be committed belongs in .gitignore.`,
    lines: ['Commit what belongs to the work, and put the rest into .gitignore: git status --short'],
  }
}

/** Runs the first gate that is left. */
function runGate(course: Course, id: WorkerId, { completion, proof }: Proving): void {
  const first = proof.at.is === 'gates' ? proof.at.left[0] : undefined
  const gate = completionGates(course, id).find((one) => one.name === first)
  if (gate === undefined) return gatesDone(course, id, { completion, proof })
  const { iteration, seen } = workerOf(course, id)
  const effect = ask(course, {
    type: 'run-gate',
    worker: id,
    gate,
    iteration,
    tree: seen?.tree ?? null,
    purpose: 'completion',
  })
  patchWorker(course, id, { measured: false })
  enter(course, id, { is: 'proving', effect, completion, proof })
}

function afterGate(course: Course, id: WorkerId, result: Evidence): void {
  const proving = provingOf(course, id)
  if (proving === null || proving.proof.at.is !== 'gates') return
  if (isStopping(course, id)) return proceed(course, id)
  sawTree(course, id, result.tree)
  const { rules } = course.house.run
  const { at } = proving.proof
  const ok = counts(result, rules.proof.quarantine)
  const tries = [...at.tries, ok]
  const evidence = [...proving.proof.evidence.filter((one) => one.gate !== result.gate), result]
  const proof: Proof = { ...proving.proof, evidence, at: { ...at, tries } }
  if (mayRunAgain(tries, result, rules.proof.reruns)) {
    decide(
      course,
      id,
      'proof',
      'again',
      `gate ${result.gate} ${ok ? 'passed after it had failed' : 'failed'}; it is run again`,
    )
    return runGate(course, id, { completion: proving.completion, proof })
  }
  // A verification reports every gate.
  const isLast = at.left.length === 1 || verifyOf(workerOf(course, id)) === null
  if (!ok && isLast) return refuseGate(course, id, { result, evidence, tries })
  const isFlaky = ok && tries.length > 1
  const flaky = isFlaky ? [...proof.flaky, result.gate] : proof.flaky
  if (isFlaky)
    decide(
      course,
      id,
      'proof',
      'flaky',
      `gate ${result.gate} is flaky: it failed, then passed twice in a row`,
    )
  runGate(course, id, {
    completion: proving.completion,
    proof: { ...proof, flaky, at: { is: 'gates', left: at.left.slice(1), tries: [] } },
  })
}

/** A failure is run again as often as the settings allow; a pass after a failure needs a second one in a row. */
function mayRunAgain(tries: boolean[], result: Evidence, reruns: number): boolean {
  if (result.timedOut || result.missing || result.unsettled) return false
  const failures = tries.filter((ok) => !ok).length
  if (failures === 0) return false
  const ok = tries.at(-1) === true
  return ok ? tries.at(-2) === false : failures <= reruns && tries.length === failures
}

function refuseGate(
  course: Course,
  id: WorkerId,
  bad: { result: Evidence; evidence: Evidence[]; tries: boolean[] },
): void {
  const { rules } = course.house.run
  const { baseline } = workerOf(course, id)
  const red = { gate: bad.result.gate, lines: failingLines(bad.result) }
  if (bad.tries.includes(true)) {
    const why = `gate ${bad.result.gate} is flaky: it passes and fails on the same tree`
    return reject(course, id, { why, tell: `${why}. ${complaint(bad.result)}`, verdict: 'flaky', ...red })
  }
  const judgement = judge(completionGates(course, id), bad.evidence, {
    baseline,
    quarantine: rules.proof.quarantine,
  })
  const { why, verdict } = judgement
  reject(course, id, { why, tell: complaint(bad.result), verdict, ...red })
}

/** All gates passed where the work was made. That alone is no proof: whoever made the work could reach everything there. */
function gatesDone(course: Course, id: WorkerId, proving: Proving): void {
  const { rules } = course.house.run
  const judgement = judge(completionGates(course, id), proving.proof.evidence, {
    quarantine: rules.proof.quarantine,
  })
  if (judgement.verdict !== 'proven') return reject(course, id, { ...judgement, tell: judgement.why })
  const job = verifyOf(workerOf(course, id))
  const shown = job === null ? null : enough(rules, job, judgement)
  if (shown !== null) return verified(course, id, shown)
  if (rules.proof.level === 'full') return climbOn(course, id, proving)
  passOn(course, id, proving.completion, {
    is: proving.completion.is,
    why: `${proving.completion.why}; ${judgement.why}${flakyNote(proving.proof)}; gates passed, and proof.level = quick asks for no more`,
    verdict: 'gates-passed',
  })
}

/** For the next prompt: the telling lines first, then what else the gate said, as far as there is room. */
function complaint(evidence: Evidence): string {
  const lines = failingLines(evidence)
  const summary = evidence.summary.trim()
  const said = [...lines, ...(lines.join('\n') === summary ? [] : ['', summary])].join('\n')
  return `${describeFailure(evidence)}.${summary === '' ? '' : ` It said:\n${said.slice(0, 1_200)}`}`
}

function sawTree(course: Course, id: WorkerId, tree: TreeHash): void {
  const { seen } = workerOf(course, id)
  if (seen !== null) patchWorker(course, id, { seen: { ...seen, tree }, measured: true })
}
