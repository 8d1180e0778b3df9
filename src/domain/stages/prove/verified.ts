/** What a verification comes to: a verdict on the state of the tree, which no agent could improve. */
import type { EffectId, WorkerId } from '../../ids.ts'
import { never } from '../../machine.ts'
import { acceptanceOf, whyAsked } from '../../proof/acceptance.ts'
import { sortingOf, type LadderMove } from '../../proof/rung.ts'
import type { Judgement } from '../../proof/verdict.ts'
import type { Ending } from '../../pipeline/finish.ts'
import type { ProofAt } from '../../state/state.ts'
import type { Rules } from '../../state/rules.ts'
import { ask, enter, workerOf, type Course } from '../../state/context.ts'
import { finishStage } from '../../pipeline/finish-stage.ts'
import { verifyOf, type VerifyJob } from '../../state/job.ts'
import { refuse, type Refusal } from '../../completion/refuse.ts'
import { completionGates } from '../../completion/gates.ts'
import type { Proving } from './proving.ts'

/** All gates passed. `null`: the proof steps follow. */
export function enough({ proof }: Rules, { gate, quick }: VerifyJob, { why }: Judgement): Judgement | null {
  if (gate === null && !quick && proof.level === 'full') return null
  return { verdict: 'gates-passed', why: `gates passed: ${why}; nothing more was asked` }
}

/** What it is judged against: the commit that was named, the remembered base, or else the last commit. */
export function findGround(course: Course, id: WorkerId, proving: Proving): void {
  const worker = workerOf(course, id)
  const [seen, job] = [worker.seen, verifyOf(worker)]
  if (seen === null || job === null) throw new Error('the tree is looked at first')
  const effect = ask(course, {
    type: 'take-base',
    worker: id,
    base: null,
    since: null,
    now: { tree: seen.tree, plan: seen.plan },
    gates: completionGates(course, id),
    verify: { since: job.since },
  })
  proofAt(course, id, proving, { at: { is: 'base' }, effect })
}

/** The last move of the proof, as a verdict on the state. */
export function verifiedBy(
  course: Course,
  id: WorkerId,
  move: Exclude<LadderMove, { is: 'sort' | 'try' | 'look' }>,
): void {
  switch (move.is) {
    case 'proven': {
      const { final, plan, refs } = sortingOf(move.ladder)
      return verified(course, id, {
        verdict: 'proven',
        why: move.why,
        base: { tree: final, plan, refs, from: 'proven' },
        tests: move.ladder.tests,
      })
    }
    case 'accept': {
      const acceptance = acceptanceOf(sortingOf(move.ladder), move.needed, move.ignored)
      const why = whyAsked(move.why, acceptance)
      return verified(course, id, { verdict: 'needs-acceptance', why, acceptance })
    }
    case 'refused':
      return verified(course, id, { verdict: move.verdict, why: move.why })
    case 'unproven':
      return verified(course, id, { verdict: 'unproven', why: move.why })
    case 'room-failed':
      return verified(course, id, { verdict: 'unproven', why: `the clean room failed: ${move.why}` })
    default:
      return never(move)
  }
}

export function verified(
  course: Course,
  id: WorkerId,
  { verdict, why, ...shown }: Judgement & Pick<Ending, 'base' | 'tests' | 'acceptance'>,
): void {
  finishStage(course, id, 'PASS', { ending: { is: 'verified', verdict, why, ...shown } })
}

/** A verification reports what failed; nobody works on it again. */
export function reject(course: Course, id: WorkerId, refusal: Refusal): void {
  if (verifyOf(workerOf(course, id)) === null) return refuse(course, id, refusal)
  verified(course, id, { verdict: refusal.verdict, why: refusal.why })
}

export function proofAt(
  course: Course,
  id: WorkerId,
  { completion, proof }: Proving,
  { at, effect }: { at: ProofAt; effect: EffectId },
): void {
  enter(course, id, { is: 'proving', effect, completion, proof: { ...proof, at } })
}
