/**
 * A claim of completion on its way through the judge: are the files that judge untouched, do the gates pass, were those files
 * left alone meanwhile, do the old tests still pass where tests were edited, does a second agent agree? Only then the run is
 * proven done; a refused claim goes back to the agent with the reasons.
 */
import type { EventOf } from '../event.ts'
import type { Claim, Proof } from '../house.ts'
import type { TreeHash, WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import type { Evidence, Verdict } from '../proof/evidence.ts'
import { complainOfTampering, type GuardReport } from '../proof/guard.ts'
import { readOpinion, type Opinion } from '../proof/opinion.ts'
import { counts, describeFailure, judge } from '../proof/verdict.ts'
import type { Reply } from '../reply/reply.ts'
import { leftInFlight, settle, wallWithin } from './budget.ts'
import { ask, decide, enter, patchRun, patchWorker, workerOf, type Course } from './course.ts'
import { NO_TALLY } from './exit.ts'
import { sentence, troubleIn } from './failed.ts'
import { finish } from './finish.ts'
import { completionGates } from './gates.ts'
import { next } from './next.ts'
import { isComplete } from './outcome.ts'

export function prove(course: Course, id: WorkerId, claim: Claim): void {
  if (!isComplete(claim.is)) return finish(course, id, claim)
  const gates = completionGates(course)
  if (gates.length === 0) {
    return finish(course, id, {
      ...claim,
      why: `${claim.why}; unproven, because no gate is configured`,
      verdict: 'unproven',
    })
  }
  decide(course, 'proof', 'check', `${claim.why}; the gates decide`)
  const proof: Proof = {
    doing: 'guard',
    left: gates.map((gate) => gate.name),
    evidence: [],
    tries: [],
    flaky: [],
    report: null,
    opinion: null,
  }
  lookAtJudge(course, id, { claim, proof })
}

/** Without a base there is nothing to compare with: a run of one stopped start. */
function lookAtJudge(course: Course, id: WorkerId, { claim, proof }: Proving): void {
  const { guard, seen } = workerOf(course, id)
  if (guard === null || seen === null) return judgeLooked(course, id, { claim, proof })
  const { protect } = course.house.run.rules.proof
  const gates = completionGates(course)
  const effect = ask(course, {
    type: 'guard',
    worker: id,
    do: 'check',
    tree: seen.tree,
    base: guard,
    gates,
    protect,
  })
  enter(course, id, { is: 'proving', effect, claim, proof: { ...proof, doing: 'guard' } })
}

/** The gates come after the first look; after the second one they have run. */
function judgeLooked(course: Course, id: WorkerId, proving: Proving): void {
  if (gatesRan(proving.proof)) return oldTests(course, id, proving)
  runGate(course, id, { ...proving, proof: { ...proving.proof, doing: 'gate' } })
}

function gatesRan(proof: Proof): boolean {
  return proof.evidence.length > 0
}

interface Proving {
  claim: Claim
  proof: Proof
}

function provingOf(course: Course, id: WorkerId): Proving | null {
  const { phase } = workerOf(course, id)
  return phase.is === 'proving' ? { claim: phase.claim, proof: phase.proof } : null
}

export function guardChecked(course: Course, event: EventOf<'guard-checked'>): void {
  const { worker: id, report } = event
  const proving = provingOf(course, id)
  if (proving === null) return
  if (course.house.run.is === 'stopping') return next(course, id)
  const found = { ...proving, proof: { ...proving.proof, report } }
  const known = proving.proof.report?.permitted ?? []
  for (const path of report.permitted) {
    if (!known.includes(path)) decide(course, 'proof', 'note', `${path} changed, as the plan said it would`)
  }
  if (report.tampered.length === 0) return judgeLooked(course, id, found)
  if (gatesRan(found.proof)) return tamperedByGate(course, id, report)
  tampered(course, id, found, report)
}

/** Putting them back would not help: what the gates run would change them again. */
function tamperedByGate(course: Course, id: WorkerId, report: GuardReport): void {
  const why = `files that judge the work were changed while the gates ran: ${named(report)}`
  refuse(course, id, {
    why,
    tell: `While the gates ran, something they start changed the judge. ${complainOfTampering(report)}`,
    verdict: 'tampered',
  })
}

function named(report: GuardReport): string {
  return report.tampered
    .map((one) => one.path)
    .slice(0, 5)
    .join(', ')
}

function tampered(course: Course, id: WorkerId, proving: Proving, report: GuardReport): void {
  const { onTamper } = course.house.run.rules.proof
  const why = `files that judge the work were changed: ${named(report)}`
  switch (onTamper) {
    case 'refuse':
      return refuse(course, id, { why, tell: complainOfTampering(report), verdict: 'tampered' })
    case 'restore': {
      const { guard } = workerOf(course, id)
      if (guard === null)
        return refuse(course, id, { why, tell: complainOfTampering(report), verdict: 'tampered' })
      decide(course, 'proof', 'restore', `${why}; they are put back`)
      const effect = ask(course, {
        type: 'restore',
        worker: id,
        base: guard.tree,
        paths: report.tampered.map((one) => one.path),
      })
      return enter(course, id, {
        is: 'proving',
        effect,
        claim: proving.claim,
        proof: { ...proving.proof, doing: 'restore' },
      })
    }
    case 'ask':
      // A person must look; the claim is refused, and the run waits until they have, unless it is on its way out already.
      if (course.house.run.is === 'going') patchRun(course, { is: 'pausing', why })
      return refuse(course, id, { why, tell: complainOfTampering(report), verdict: 'tampered' })
    default:
      return never(onTamper)
  }
}

export function restored(course: Course, event: EventOf<'restored'>): void {
  const { worker: id, snapshot } = event
  const proving = provingOf(course, id)
  if (proving === null) return
  patchWorker(course, id, { seen: { tree: snapshot.tree, head: snapshot.head, fresh: true } })
  if (course.house.run.is === 'stopping') return next(course, id)
  runGate(course, id, { ...proving, proof: { ...proving.proof, doing: 'gate' } })
}

/** Runs the first gate that is left, on the final tree or with the old tests. */
function runGate(course: Course, id: WorkerId, { claim, proof }: Proving): void {
  const gate = completionGates(course).find((one) => one.name === proof.left[0])
  if (gate === undefined) return gatesDone(course, id, { claim, proof })
  const { iteration, seen, guard } = workerOf(course, id)
  const old =
    proof.doing === 'old-tests' && guard !== null
      ? { base: guard.tree, paths: proof.report?.edited ?? [] }
      : null
  const effect = ask(course, {
    type: 'run-gate',
    worker: id,
    gate,
    iteration,
    tree: seen?.tree ?? null,
    purpose: old === null ? 'completion' : 'old-tests',
    old,
    guarded: proof.report?.hash ?? '',
  })
  enter(course, id, { is: 'proving', effect, claim, proof })
}

export function afterGate(course: Course, id: WorkerId, result: Evidence): void {
  const proving = provingOf(course, id)
  if (proving === null) return
  if (course.house.run.is === 'stopping') return next(course, id)
  if (proving.proof.doing === 'old-tests') return afterOldTests(course, id, proving, result)
  sawTree(course, id, result.tree)
  const { rules } = course.house.run
  const ok = counts(result, rules.proof.quarantine)
  const tries = [...proving.proof.tries, ok]
  const evidence = [...proving.proof.evidence.filter((one) => one.gate !== result.gate), result]
  const proof: Proof = { ...proving.proof, tries, evidence }
  if (mayRunAgain(tries, result, rules.proof.reruns)) {
    decide(
      course,
      'proof',
      'again',
      `gate ${result.gate} ${ok ? 'passed after it had failed' : 'failed'}; it is run again`,
    )
    return runGate(course, id, { claim: proving.claim, proof })
  }
  if (!ok) return refuseGate(course, id, { result, evidence, tries })
  const flaky = tries.length > 1 ? [...proof.flaky, result.gate] : proof.flaky
  if (tries.length > 1)
    decide(course, 'proof', 'flaky', `gate ${result.gate} is flaky: it failed, then passed twice in a row`)
  runGate(course, id, {
    claim: proving.claim,
    proof: { ...proof, left: proof.left.slice(1), tries: [], flaky },
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
  if (bad.tries.includes(true)) {
    const why = `gate ${bad.result.gate} is flaky: it passes and fails on the same tree`
    return refuse(course, id, { why, tell: `${why}. ${complaint(bad.result)}`, verdict: 'flaky' })
  }
  const judgement = judge(completionGates(course), bad.evidence, {
    baseline,
    quarantine: rules.proof.quarantine,
  })
  refuse(course, id, { why: judgement.why, tell: complaint(bad.result), verdict: judgement.verdict })
}

/** All gates passed. They ran the work itself, which may have reached for the judge meanwhile: so it is looked at again. */
function gatesDone(course: Course, id: WorkerId, proving: Proving): void {
  const { proof } = proving
  if (proof.doing === 'old-tests') return lastWord(course, id, proving)
  const judgement = judge(completionGates(course), proof.evidence, {
    quarantine: course.house.run.rules.proof.quarantine,
  })
  if (judgement.verdict !== 'proven') return refuse(course, id, { ...judgement, tell: judgement.why })
  lookAtJudge(course, id, proving)
}

/** Where tests were edited, the gates must pass with the old ones as well. */
function oldTests(course: Course, id: WorkerId, proving: Proving): void {
  const edited = proving.proof.report?.edited ?? []
  if (edited.length === 0 || course.house.run.rules.proof.editedTests === 'accept')
    return lastWord(course, id, proving)
  decide(
    course,
    'proof',
    'check',
    `${edited.slice(0, 5).join(', ')} changed, so the old tests must pass as well`,
  )
  const left = completionGates(course).map((gate) => gate.name)
  runGate(course, id, { ...proving, proof: { ...proving.proof, doing: 'old-tests', left, tries: [] } })
}

/** A second agent's, where one was asked for. */
function lastWord(course: Course, id: WorkerId, proving: Proving): void {
  const { opinion } = course.house.run.rules.proof
  const broken = opinion === null ? undefined : course.house.run.unusable[opinion]
  if (broken !== undefined) return finish(course, id, { is: 'agent_unusable', why: broken })
  if (opinion !== null) return askOpinion(course, id, proving, opinion)
  accept(course, id, proving)
}

function afterOldTests(course: Course, id: WorkerId, proving: Proving, result: Evidence): void {
  const { proof } = proving
  if (proof.evidence.some((one) => one.tree !== result.tree)) {
    const why = 'the tree changed after the gates had passed on it'
    return refuse(course, id, {
      why,
      tell: `${why}. Leave nothing running when you say that you are done.`,
      verdict: 'failed',
    })
  }
  if (counts(result, course.house.run.rules.proof.quarantine)) {
    return runGate(course, id, { ...proving, proof: { ...proof, left: proof.left.slice(1) } })
  }
  const edited = (proof.report?.edited ?? []).slice(0, 8).join(', ')
  refuse(course, id, {
    why: `the work contradicts the tests it was given: with ${edited} as they were, ${describeFailure(result)}`,
    tell: `You changed ${edited}. With these tests as they were, ${complaint(result)} Restore the tests and make the work pass them.`,
    verdict: 'failed',
  })
}

/** Reads only, and answers whether the work is done. It is one more agent process, so it is asked last. */
function askOpinion(course: Course, id: WorkerId, { claim, proof }: Proving, agent: string): void {
  const { run } = course.house
  const { iteration } = workerOf(course, id)
  decide(course, 'proof', 'opinion', `${agent} is asked for a second opinion`)
  const { limits, effort, output } = run.rules.agent
  const left = leftInFlight(run.budget, run.rules.budget, id)
  const effect = ask(course, {
    type: 'run-agent',
    worker: id,
    iteration,
    agent,
    role: 'opinion',
    context: { iteration, openBoxes: null, breaker: null, previous: null, corrections: [], steering: [] },
    prompt: run.rules.loop.prompt,
    how: { model: null, effort, tools: null, permission: null, maxTurns: null, output },
    resume: null,
    resumeUsage: null,
    previousLength: null,
    limits: { ...limits, wallMs: wallWithin(limits.wallMs, run.rules.budget, course.now.up - run.startedUp) },
    usdLeft: left.usd,
    tokensLeft: left.tokens,
  })
  enter(course, id, { is: 'proving', effect, claim, proof: { ...proof, doing: 'opinion' } })
}

export function afterOpinion(course: Course, id: WorkerId, reply: Reply): void {
  const proving = provingOf(course, id)
  if (proving === null) return
  const { run } = course.house
  const bill = { usage: reply.usage, cutOff: reply.end === 'interrupted' }
  patchRun(course, { budget: settle(run.budget, run.rules.budget, id, bill) })
  if (run.is === 'stopping') return next(course, id)
  const trouble = troubleIn(reply, { worked: false })
  if (trouble?.remedy === 'elsewhere') {
    const agent = run.rules.proof.opinion ?? 'the second agent'
    return finish(course, id, { is: 'agent_unusable', why: sentence(agent, trouble.failure) })
  }
  const opinion: Opinion = reply.end === 'success' ? readOpinion(reply.lastWords) : { is: 'none' }
  const { seen, iteration } = workerOf(course, id)
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: 'after',
    iteration,
    since: seen?.tree ?? null,
    sinceHead: seen?.head ?? null,
  })
  enter(course, id, {
    is: 'proving',
    effect,
    claim: proving.claim,
    proof: { ...proving.proof, doing: 'opinion-check', opinion },
  })
}

/** The reviewer may only read: if it changed the tree, what was proven is no longer what is there. */
export function opinionChecked(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id, snapshot } = event
  const proving = provingOf(course, id)
  if (proving === null) return
  const { seen } = workerOf(course, id)
  const moved = seen !== null && seen.tree !== snapshot.tree
  patchWorker(course, id, { seen: { tree: snapshot.tree, head: snapshot.head, fresh: true } })
  if (course.house.run.is === 'stopping') return next(course, id)
  const { opinion } = proving.proof
  if (moved)
    return refuse(course, id, {
      why: 'the second opinion changed files, so it does not count',
      tell: 'A reviewer changed files; check the tree.',
      verdict: 'unproven',
    })
  if (opinion?.is === 'fail')
    return refuse(course, id, {
      why: `the second opinion says no: ${opinion.why}`,
      tell: `A reviewer says: ${opinion.why}`,
      verdict: 'failed',
    })
  if (opinion?.is !== 'pass')
    return refuse(course, id, {
      why: 'the second opinion gave no verdict',
      tell: 'The reviewer gave no verdict.',
      verdict: 'unproven',
    })
  accept(course, id, proving)
}

function accept(course: Course, id: WorkerId, { claim, proof }: Proving): void {
  const { editedTests } = course.house.run.rules.proof
  const changed = [
    ...(proof.report?.permitted ?? []),
    ...(editedTests === 'accept' ? (proof.report?.edited ?? []) : []),
  ]
  const notes = [
    judge(completionGates(course), proof.evidence, { quarantine: course.house.run.rules.proof.quarantine })
      .why,
    changed.length > 0 ? `tests changed: ${changed.slice(0, 5).join(', ')}` : null,
    proof.flaky.length > 0 ? `flaky: ${proof.flaky.join(', ')}` : null,
    proof.opinion?.is === 'pass' ? 'a second agent agrees' : null,
  ].filter((note) => note !== null)
  decide(course, 'proof', 'accept', notes.join('; '))
  finish(course, id, { is: claim.is, why: `${claim.why}; ${notes.join('; ')}`, verdict: 'proven' })
}

interface Refusal {
  why: string
  /** What the agent is told in the next prompt. */
  tell: string
  verdict: Verdict
}

/** A refused completion adds no signal; after a few in a row the run ends, since nobody seems able to prove it. */
function refuse(course: Course, id: WorkerId, refusal: Refusal): void {
  const worker = workerOf(course, id)
  const refusals = worker.refusals + 1
  decide(course, 'proof', 'refuse', `the completion is refused: ${refusal.why}`)
  patchWorker(course, id, {
    refusals,
    tally: NO_TALLY,
    corrections: [...worker.corrections, `Your completion was refused. ${refusal.tell}`].slice(-4),
  })
  const { proof } = course.house.run.rules
  if (proof.refusals > 0 && refusals >= proof.refusals) {
    return finish(course, id, {
      is: 'cannot_prove',
      why: `${refusals} completions in a row were refused, last because ${refusal.why}`,
      verdict: refusal.verdict,
    })
  }
  next(course, id)
}

function complaint(evidence: Evidence): string {
  const summary = evidence.summary.trim()
  return `${describeFailure(evidence)}.${summary === '' ? '' : ` It said:\n${summary.slice(0, 1_200)}`}`
}

function sawTree(course: Course, id: WorkerId, tree: TreeHash): void {
  const { seen } = workerOf(course, id)
  if (seen !== null) patchWorker(course, id, { seen: { ...seen, tree } })
}
