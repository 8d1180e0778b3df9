/** What a worker is asked to do now (stop, pause, …), by an order to the run or to this worker. */
import type { WorkerId } from '../ids.ts'
import { assertNever } from '../assert-never.ts'
import { workerOf, type StepContext } from '../state/context.ts'
import { taskJobOf } from '../state/job.ts'

/** `drop`: it gives its task back, then follows the run's order. */
export type WorkerDirective = { is: 'go' } | { is: 'pause' | 'suspend' | 'stop' | 'drop'; why: string }

/** The stronger of the two counts: no worker continues in a run that stops. */
export function directiveOf(ctx: StepContext, id: WorkerId): WorkerDirective {
  const { run } = ctx.state
  const worker = workerOf(ctx, id)
  const { told } = worker
  const drop = taskJobOf(worker)?.drop ?? null
  if (run.is === 'stopping' || run.is === 'ended') return { is: 'stop', why: run.why ?? 'a stop was requested' }
  if (drop !== null) return { is: 'drop', why: drop.why }
  switch (run.is) {
    case 'leaving':
    case 'left':
      return told?.is === 'stop' ? told : { is: 'suspend', why: run.why ?? 'you quit the run' }
    case 'pausing':
    case 'paused':
      return told?.is === 'stop' ? told : { is: 'pause', why: run.why ?? 'a pause was requested' }
    case 'going':
      return told ?? { is: 'go' }
    default:
      return assertNever(run.is)
  }
}

export function mayContinue(ctx: StepContext, id: WorkerId): boolean {
  return directiveOf(ctx, id).is === 'go'
}

/** Its running effect is ended, and nothing new begins. */
export function isStopping(ctx: StepContext, id: WorkerId): boolean {
  const { is } = directiveOf(ctx, id)
  return is === 'stop' || is === 'drop'
}
