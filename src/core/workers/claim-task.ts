/** A worker without a job claims a task, and one that is told to drop its task gives it back. */
import type { WorkerId } from '../ids.ts'
import { requestEffect, recordDecision, enterPhase, workerOf, type StepContext } from '../state/context.ts'
import { describeTask } from '../tasks/task-text.ts'
import { shouldRevertDropped, taskJobOf } from '../state/job.ts'
import { finishClaimedTask, revertAndFinishTask } from './revert-task.ts'
import type { TaskFinish } from '../pipeline/request-task-finish.ts'

export function claimTask(ctx: StepContext, id: WorkerId): void {
  const { tasks, rules } = ctx.state.run
  if (tasks === null) throw new Error('a plain loop claims no task')
  const effect = requestEffect(ctx, { type: 'claim-task', worker: id, scope: tasks.scope, leaseMs: rules.task.leaseMs })
  enterPhase(ctx, id, { is: 'claiming', effect })
}

/** Nothing of it runs any more. */
export function dropTask(ctx: StepContext, id: WorkerId): void {
  const job = taskJobOf(workerOf(ctx, id))
  if (job === null || job.drop === null) throw new Error(`worker ${id} has no task to release`)
  const { drop } = job
  const { as, why } = drop
  const said = `${describeTask(job)}${as === 'failed' ? ' failed' : ' is released'}: ${why}`
  if (as !== 'lost') recordDecision(ctx, id, 'task', as === 'failed' ? 'failed' : 'release', said)
  // Finishing a lost claim changes nothing; it is done all the same, so that every job ends with the same event.
  const how: TaskFinish = { as: as === 'lost' ? 'released' : as, why, verification: null }
  if (shouldRevertDropped(drop)) return revertAndFinishTask(ctx, id, how)
  finishClaimedTask(ctx, id, how)
}
