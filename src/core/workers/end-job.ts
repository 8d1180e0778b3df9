/**
 * The end of a job. The end of a loop ends its worker; a task is settled, and the worker takes the next one. A cause outside the task
 * (a limit, a stop, no agent, no disk space) ends the worker, and its task is ready again.
 */
import type { WorkerId } from '../ids.ts'
import { endWorker, saveProvenBase, type Ending } from '../pipeline/end-worker.ts'
import { isCompleteOutcome, type OutcomeName } from '../state/outcome.ts'
import type { ClaimEnd } from '../tasks/task.ts'
import { describeTask } from '../tasks/task-text.ts'
import { recordDecision, workerOf, type StepContext } from '../state/context.ts'
import { finishClaimedTask, revertAndFinishTask } from './revert-task.ts'
import { taskJobOf, type TaskJob } from '../state/job.ts'
import type { TaskFinish } from '../pipeline/request-task-finish.ts'

/** Ends that say something about the task, not about the run. */
const OF_THE_TASK: ReadonlySet<OutcomeName> = new Set<OutcomeName>([
  'cannot_prove',
  'needs_acceptance',
  'safety_stop',
  'test_saturation',
])

export function endJob(ctx: StepContext, id: WorkerId, ending: Ending): void {
  const job = taskJobOf(workerOf(ctx, id))
  const as = job === null ? null : finishedAs(ctx, ending)
  if (job === null || as === null) return endWorker(ctx, id, ending)
  endTask(ctx, id, job, { as, ending })
}

/** Null: the task is not to blame. */
function finishedAs(ctx: StepContext, { is, verdict }: Ending): Exclude<ClaimEnd, 'released'> | null {
  if (!isCompleteOutcome(is)) return OF_THE_TASK.has(is) ? 'failed' : null
  const { required } = ctx.state.run.rules.proof
  return verdict !== 'proven' && required ? 'failed' : 'done'
}

function endTask(
  ctx: StepContext,
  id: WorkerId,
  job: TaskJob,
  { as, ending }: { as: Exclude<ClaimEnd, 'released'>; ending: Ending },
): void {
  const { verdict = 'unproven', base, tests } = ending
  const isProven = verdict === 'proven'
  const why = ending.acceptance === undefined ? ending.why : `${ending.why}. ${acceptanceAdvice(job)}`
  if (base !== undefined) saveProvenBase(ctx, id, base, tests ?? null)
  // Why it counts was said with the proof.
  if (as === 'done') recordDecision(ctx, id, 'task', 'done', `${describeTask(job)} is done`)
  else recordDecision(ctx, id, 'task', 'failed', `${describeTask(job)} failed: ${why}`)
  const verification = isProven ? 'passed' : as === 'failed' && ending.verdict !== undefined ? 'failed' : null
  const how: TaskFinish = { as, why, verification }
  // Work that a person must accept is reverted too: later tasks would need the same acceptance, and no person is there to give it.
  if (as === 'failed') return revertAndFinishTask(ctx, id, how)
  finishClaimedTask(ctx, id, how)
}

/** A run asks at its end (`ralph accept`); a task is long past by then. */
function acceptanceAdvice({ task }: TaskJob): string {
  return `Allow it to change such tests (ralph task update ${task} --test GLOB) and retry it (ralph task reset ${task}), or accept its work (ralph task done ${task})`
}
