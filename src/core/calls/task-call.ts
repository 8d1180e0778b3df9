/** Which task a call is about, as its effect carries it. */
import type { RunAgentEffect } from '../state/effect.ts'
import type { Worker } from '../state/state.ts'
import { retryCount, taskJobOf } from '../state/job.ts'

export function taskCallOf(worker: Pick<Worker, 'job' | 'line'>): Pick<RunAgentEffect, 'task'> {
  const job = taskJobOf(worker)
  if (job === null) return {}
  const { task: id, attempt, retries } = job
  return { task: { id, attempt, visit: retryCount(worker) + 1, of: retries + 1 } }
}
