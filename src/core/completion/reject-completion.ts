/** A rejected completion goes back to the agent with the reasons; if only a person can decide, the run ends. */
import type { WorkerId } from '../ids.ts'
import type { Verdict } from '../proof/evidence.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { NO_EXIT_COUNTS } from '../state/job.ts'
import type { Ending } from '../pipeline/end-worker.ts'
import { finishStage } from '../pipeline/finish-stage.ts'
import type { EndCause } from '../state/outcome.ts'

export interface Rejection {
  why: string
  /** What the agent is told in the next prompt. */
  tell: string
  verdict: Verdict
  /** The gate that failed, and its failing lines; or the files. */
  gate?: string
  lines?: string[]
  /** A second agent's objection. */
  says?: string
}

/** A rejected completion adds no exit signal; after `proof.rejections` in a row the run ends. */
export function rejectCompletion(ctx: StepContext, id: WorkerId, refusal: Rejection): void {
  const rejections = sendBack(ctx, id, refusal)
  if (isLast(ctx, id, rejections)) {
    const why = rejections === 1 ? refusal.why : `${refusal.why} (${rejections} rejections in a row)`
    const { verdict, gate = null, lines = [], says } = refusal
    const cause: EndCause = says === undefined ? { is: 'refused', gate, lines } : { is: 'objected', says }
    const ending: Ending = { is: 'cannot_prove', why, verdict, cause }
    return finishStage(ctx, id, 'FAIL', { ending })
  }
  finishStage(ctx, id, 'FIX', { again: { because: refusal.why, judged: true } })
}

/** The gates passed and prove nothing. The agent may add better tests; after its last attempt the run ends with this verdict. */
export function rejectUnproven(
  ctx: StepContext,
  id: WorkerId,
  { tell, ending }: { tell: string | null; ending: Ending },
): void {
  const { rejections } = workerOf(ctx, id)
  if (tell === null || isLast(ctx, id, rejections + 1)) return finishStage(ctx, id, 'FAIL', { ending })
  const why = `unproven: ${ending.why}`
  sendBack(ctx, id, { why, tell })
  finishStage(ctx, id, 'FIX', { again: { because: why, judged: true } })
}

function sendBack(ctx: StepContext, id: WorkerId, { why, tell }: { why: string; tell: string }): number {
  const worker = workerOf(ctx, id)
  const rejections = worker.rejections + 1
  recordDecision(ctx, id, 'proof', 'refuse', why)
  patchWorker(ctx, id, {
    rejections,
    exitCounts: NO_EXIT_COUNTS,
    corrections: [...worker.corrections, `Ralph rejected your completion. ${tell}`].slice(-4),
  })
  return rejections
}

/** `proof.rejections` does not apply if the pipeline limits the visits of a stage. */
function isLast(ctx: StepContext, id: WorkerId, rejections: number): boolean {
  const { line } = workerOf(ctx, id)
  if (line?.stages.some(({ max }) => max !== null) === true) return false
  const { proof } = ctx.state.run.rules
  return proof.rejections > 0 && rejections >= proof.rejections
}
