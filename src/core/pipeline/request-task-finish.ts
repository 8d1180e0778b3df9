/** The result that a worker writes to its task, in the transaction that ends its claim. */
import type { EffectId, WorkerId } from '../ids.ts'
import type { EffectOf } from '../state/effect.ts'
import type { Worker } from '../state/state.ts'
import { requestEffect, workerOf, type StepContext } from '../state/context.ts'
import type { AgentTaskSummary } from '../tasks/task.ts'
import { clip } from '../text/sanitize.ts'
import { retryCount, taskJobOf } from '../state/job.ts'

/** One sentence in the row of a task; its log has more. */
const WHY_MAX = 500

/** What it says. */
export type TaskFinish = Pick<EffectOf<'finish-task'>, 'as' | 'why' | 'verification'>

/** Null: it has no task. */
export function requestTaskFinish(ctx: StepContext, id: WorkerId, how: TaskFinish): EffectId | null {
  const worker = workerOf(ctx, id)
  const { seen } = worker
  const job = taskJobOf(worker)
  const { tasks } = ctx.state.run
  if (job === null) return null
  return requestEffect(ctx, {
    type: 'finish-task',
    worker: id,
    task: job.task,
    attempt: job.attempt,
    as: how.as,
    why: clip(how.why.replaceAll(/\s*\n\s*/g, ' '), WHY_MAX),
    retries: retryCount(worker),
    verification: how.verification,
    from: job.own?.before.head ?? null,
    to: seen?.head ?? null,
    ...(how.as === 'done' ? summaryOf(worker) : {}),
    ...(how.as === 'failed' && tasks !== null ? { scope: tasks.scope } : {}),
  })
}

/** Tasks that depend on it are given this as context. */
function summaryOf({ previous, author }: Pick<Worker, 'previous' | 'author'>): { summary?: AgentTaskSummary } {
  return previous === null || author === null ? {} : { summary: { by: author, text: previous } }
}
