/** A completion that does not hold goes back to the agent with the reasons; what only a person can settle ends the run. */
import type { WorkerId } from '../ids.ts'
import type { Verdict } from '../proof/evidence.ts'
import { decide, patchWorker, workerOf, type Course } from '../state/context.ts'
import { NO_TALLY } from '../state/job.ts'
import type { Ending } from '../pipeline/finish.ts'
import { finishStage } from '../pipeline/finish-stage.ts'
import type { Cause } from '../state/outcome.ts'

export interface Refusal {
  why: string
  /** What the agent is told in the next prompt. */
  tell: string
  verdict: Verdict
  /** The gate that is red, and what it said; or the files that are concerned. */
  gate?: string
  lines?: string[]
  /** A second agent's objection. */
  says?: string
}

/** A refused completion adds no signal; after a few in a row the run ends, since nobody seems able to prove it. */
export function refuse(course: Course, id: WorkerId, refusal: Refusal): void {
  const refusals = sendBack(course, id, refusal)
  if (isLast(course, id, refusals)) {
    const why =
      refusals === 1
        ? `a completion was refused, because ${refusal.why}`
        : `${refusals} completions in a row were refused, last because ${refusal.why}`
    const ending: Ending = { is: 'cannot_prove', why, verdict: refusal.verdict, cause: causeOf(refusal) }
    return finishStage(course, id, 'FAIL', { ending })
  }
  finishStage(course, id, 'FIX', { again: { because: refusal.why, judged: true } })
}

function causeOf({ gate, lines = [], says }: Refusal): Cause {
  return says === undefined ? { is: 'refused', gate: gate ?? null, lines } : { is: 'objected', says }
}

/** The gates passed and prove nothing. The agent may mend that with better tests; when it has had its chances, the run ends so. */
export function sendBackUnproven(
  course: Course,
  id: WorkerId,
  { tell, ending }: { tell: string | null; ending: Ending },
): void {
  const { refusals } = workerOf(course, id)
  if (tell === null || isLast(course, id, refusals + 1)) return finishStage(course, id, 'FAIL', { ending })
  const why = `it is unproven: ${ending.why}`
  sendBack(course, id, { why, tell })
  finishStage(course, id, 'FIX', { again: { because: why, judged: true } })
}

function sendBack(course: Course, id: WorkerId, { why, tell }: { why: string; tell: string }): number {
  const worker = workerOf(course, id)
  const refusals = worker.refusals + 1
  decide(course, id, 'proof', 'refuse', `the completion is refused: ${why}`)
  patchWorker(course, id, {
    refusals,
    tally: NO_TALLY,
    corrections: [...worker.corrections, `Your completion was refused. ${tell}`].slice(-4),
  })
  return refusals
}

/** Where the pipeline limits how often a stage is entered, no other limit is asked. */
function isLast(course: Course, id: WorkerId, refusals: number): boolean {
  const { line } = workerOf(course, id)
  if (line?.stages.some(({ max }) => max !== null) === true) return false
  const { proof } = course.house.run.rules
  return proof.refusals > 0 && refusals >= proof.refusals
}
