/** What is asked of a worker at this moment: of the whole run, or of it alone. */
import type { WorkerId } from '../ids.ts'
import { never } from '../assert-never.ts'
import { workerOf, type StepContext } from '../state/context.ts'
import { taskOf } from '../state/job.ts'

/** `drop`: the task it is at is put down, and then it does as the run does. */
export type WorkerDirective = { is: 'go' } | { is: 'pause' | 'leave' | 'stop' | 'drop'; why: string }

/** The stronger of both counts: nobody goes on in a run that stops. */
export function directiveOf(ctx: StepContext, id: WorkerId): WorkerDirective {
  const { run } = ctx.state
  const worker = workerOf(ctx, id)
  const { told } = worker
  const drop = taskOf(worker)?.drop ?? null
  if (run.is === 'stopping' || run.is === 'ended')
    return { is: 'stop', why: run.why ?? 'a stop was asked for' }
  if (drop !== null) return { is: 'drop', why: drop.why }
  switch (run.is) {
    case 'leaving':
    case 'left':
      return told?.is === 'stop' ? told : { is: 'leave', why: run.why ?? 'the run was left' }
    case 'pausing':
    case 'paused':
      return told?.is === 'stop' ? told : { is: 'pause', why: run.why ?? 'a pause was asked for' }
    case 'going':
      return told ?? { is: 'go' }
    default:
      return never(run.is)
  }
}

export function mayContinue(ctx: StepContext, id: WorkerId): boolean {
  return directiveOf(ctx, id).is === 'go'
}

/** Whatever runs for it is cut short, and nothing new is begun. */
export function isStopping(ctx: StepContext, id: WorkerId): boolean {
  const { is } = directiveOf(ctx, id)
  return is === 'stop' || is === 'drop'
}
