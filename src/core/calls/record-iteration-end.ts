/** Records that an iteration is over: exactly once for each call that was admitted to work, in the row in which it is weighed. */
import type { WorkerId } from '../ids.ts'
import type { IterationOutcome } from '../state/decision.ts'
import { stageKindOf } from '../pipeline/position.ts'
import type { WorkerPhase } from '../state/state.ts'
import { workerOf, type StepContext } from '../state/context.ts'

export function recordIterationEnd(ctx: StepContext, id: WorkerId, outcome: IterationOutcome, why: string): void {
  const worker = workerOf(ctx, id)
  const kind =
    stageKindOf(worker) === 'draft'
      ? ({ by: 'draft', what: 'turn-ended' } as const)
      : ({ by: 'iteration', what: 'ended' } as const)
  ctx.decisions.push({ ...kind, worker: id, n: worker.iteration, outcome, why })
}

/** The iteration cannot be evaluated: its call or its measurement is lost, or the run is abandoned. Does nothing if no iteration is open. */
export function recordUnmeasuredEnd(
  ctx: StepContext,
  id: WorkerId,
  outcome: Extract<IterationOutcome, 'lost' | 'stopped'>,
  why: string,
): void {
  if (OPEN.has(workerOf(ctx, id).phase.is)) recordIterationEnd(ctx, id, outcome, why)
}

/** From the start of the agent until its work is weighed. */
const OPEN: ReadonlySet<WorkerPhase['is']> = new Set<WorkerPhase['is']>([
  'working',
  'measuring',
  'committing',
  'saving-knowledge',
])
