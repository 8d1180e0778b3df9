/** How a stage hands its worker back: with its result, or to be continued. `step` acts on it when the rest of the event is done. */
import type { Millis, WorkerId } from '../ids.ts'
import type { Ending } from './end-worker.ts'
import type { CompletionClaim } from '../state/state.ts'
import type { StepContext } from '../state/context.ts'
import type { StageResult } from './pipeline.ts'

/** What a stage passes on to the next one, or to the end of the job. */
export interface StageOutput {
  /** The completion that the agent claims. */
  completion?: CompletionClaim
  /** How the job ends if no stage comes after this one. */
  ending?: Ending
  /** Why the stage before runs again. */
  again?: StageRetry
}

/** `afterMs`: a pause before it. */
export interface StageRetry {
  because: string
  afterMs?: Millis
  /** False: the agent itself gave up, failed or said nothing, so no completion was judged. */
  judged: boolean
  /** The agent itself says that it cannot. */
  hasGivenUp?: true
}

export type WorkerHandover =
  | { is: 'finished'; worker: WorkerId; word: StageResult; result: StageOutput }
  | { is: 'continue'; worker: WorkerId }

export function finishStage(ctx: StepContext, worker: WorkerId, word: StageResult, result: StageOutput = {}): void {
  ctx.handovers.push({ is: 'finished', worker, word, result })
}

/** The worker does what its run and its job ask for now: it stops, pauses, claims a task, or its stage begins the next call. */
export function continueWorker(ctx: StepContext, worker: WorkerId): void {
  if (ctx.handovers.some((one) => one.is === 'continue' && one.worker === worker)) return
  ctx.handovers.push({ is: 'continue', worker })
}
