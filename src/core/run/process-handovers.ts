/** What a worker does next: it follows the run's order, claims a task, or its stage begins the next call. */
import type { WorkerId } from '../ids.ts'
import { assertNever } from '../assert-never.ts'
import type { WorkerHandover } from '../pipeline/finish-stage.ts'
import { nextMove, type PipelineMove } from '../pipeline/position.ts'
import { stageModuleOf } from '../pipeline/stage.ts'
import { directiveOf, type WorkerDirective } from '../admission/worker-directive.ts'
import { pauseWorker, pauseWithRun } from '../pipeline/pause.ts'
import { claimTask, dropTask } from '../workers/claim-task.ts'
import { endJob } from '../workers/end-job.ts'
import { endWorker, type Ending } from '../pipeline/end-worker.ts'
import { patchWorker, workerOf, type StepContext } from '../state/context.ts'

/** Acts on what stages handed over, one after the other; a stage that begins may hand over at once. */
export function processHandovers(ctx: StepContext): void {
  for (let one = ctx.handovers.shift(); one !== undefined; one = ctx.handovers.shift()) {
    if (one.is === 'continue') continueOrHalt(ctx, one.worker)
    else followStage(ctx, one)
  }
}

function continueOrHalt(ctx: StepContext, id: WorkerId): void {
  if (workerOf(ctx, id).phase.is === 'finished') return
  const stage = stageModuleOf(ctx, id)
  if (stage?.cleanUp?.(ctx, id) === true) return
  const order = directiveOf(ctx, id)
  if (order.is !== 'go') return followDirective(ctx, id, order)
  if (stage === null) return claimTask(ctx, id)
  stage.begin(ctx, id)
}

/** Nothing new begins: the worker ends or pauses. */
function followDirective(ctx: StepContext, id: WorkerId, { is, why }: Exclude<WorkerDirective, { is: 'go' }>): void {
  switch (is) {
    case 'stop':
      return endWorker(ctx, id, { is: ctx.state.run.stopOutcome, why })
    case 'pause':
      return pauseWorker(ctx, id, why)
    case 'suspend': {
      // A worker that a person paused stays paused when the others continue.
      const { told } = workerOf(ctx, id)
      return told?.is === 'pause' ? pauseWorker(ctx, id, told.why) : pauseWithRun(ctx, id)
    }
    case 'drop':
      return dropTask(ctx, id)
    default:
      return assertNever(is)
  }
}

/** Goes where the result of a stage leads. */
function followStage(
  ctx: StepContext,
  { worker: id, word, result }: Extract<WorkerHandover, { is: 'finished' }>,
): void {
  const { line } = workerOf(ctx, id)
  if (line === null) return
  const moved = nextMove(line, word, result)
  if (moved.is !== 'run') return endJob(ctx, id, result.ending ?? endingOf(moved, result.again))
  patchWorker(ctx, id, { line: moved.line })
  stageModuleOf(ctx, id)?.begin(ctx, id, result)
}

/** No stage gave an ending: the pipeline is at its end, or its result leads nowhere. */
function endingOf(
  moved: Exclude<PipelineMove, { is: 'run' }>,
  again: { because: string; judged: boolean } | undefined,
): Ending {
  if (again !== undefined)
    return { is: 'cannot_prove', why: again.because, ...(again.judged ? { verdict: 'failed' } : {}) }
  return { is: 'failed', why: moved.is === 'abort' ? moved.why : 'the pipeline has no further stage' }
}
