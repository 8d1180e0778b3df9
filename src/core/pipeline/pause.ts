/** A paused worker: a person asked for it, or no agent could be reached for too long. */
import type { WorkerId } from '../ids.ts'
import { pauseRunIfIdle } from './end-worker.ts'
import { recordDecision, recordRunDecision, enterPhase, patchRun, type StepContext } from '../state/context.ts'
import { invalidateSnapshot } from './wait.ts'

export function pauseWorker(ctx: StepContext, id: WorkerId, why: string): void {
  invalidateSnapshot(ctx, id)
  recordDecision(ctx, id, 'loop', 'pause', why)
  enterPhase(ctx, id, { is: 'paused', why })
  pauseRunIfIdle(ctx)
}

/** A person decides whether to wait longer. Active workers finish first; then the process ends and the run stays unfinished. */
export function suspendRun(ctx: StepContext, id: WorkerId, why: string): void {
  recordRunDecision(ctx, 'retry', 'suspend', `${why}; the run stays unfinished`)
  patchRun(ctx, { is: 'leaving', why })
  pauseWithRun(ctx, id)
  for (const worker of Object.values(ctx.state.workers)) {
    if (worker.phase.is === 'waiting' || worker.phase.is === 'idle') pauseWithRun(ctx, worker.id)
  }
}

export function pauseWithRun(ctx: StepContext, id: WorkerId): void {
  invalidateSnapshot(ctx, id)
  enterPhase(ctx, id, { is: 'paused', why: ctx.state.run.why ?? 'you quit the run' })
  pauseRunIfIdle(ctx)
}
