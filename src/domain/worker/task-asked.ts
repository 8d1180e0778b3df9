/** Which task a call is about, as its effect carries it. */
import type { RunAgent } from '../run/effect.ts'
import type { Worker } from '../run/house.ts'
import { retriesOf, taskOf } from './job.ts'

export function taskAsked(worker: Pick<Worker, 'job' | 'line'>): Pick<RunAgent, 'task'> {
  const job = taskOf(worker)
  if (job === null) return {}
  const { task: id, attempt, retries } = job
  return { task: { id, attempt, visit: retriesOf(worker) + 1, of: retries + 1 } }
}
