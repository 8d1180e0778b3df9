/** What is asked of a worker at this moment: of the whole run, or of it alone. */
import type { WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import { workerOf, type Course } from '../state/context.ts'
import { taskOf } from '../state/job.ts'

/** `drop`: the task it is at is put down, and then it does as the run does. */
export type Order = { is: 'go' } | { is: 'pause' | 'leave' | 'stop' | 'drop'; why: string }

/** The stronger of both counts: nobody goes on in a run that stops. */
export function orderOf(course: Course, id: WorkerId): Order {
  const { run } = course.house
  const worker = workerOf(course, id)
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

export function isGoing(course: Course, id: WorkerId): boolean {
  return orderOf(course, id).is === 'go'
}

/** Whatever runs for it is cut short, and nothing new is begun. */
export function isStopping(course: Course, id: WorkerId): boolean {
  const { is } = orderOf(course, id)
  return is === 'stop' || is === 'drop'
}
