/** A worker without a job asks for a task, and one that is to put its task down says so. */
import type { WorkerId } from '../ids.ts'
import { ask, decide, enter, workerOf, type Course } from '../state/context.ts'
import { nameTask } from '../task/words.ts'
import { isLeftOver, taskOf } from '../state/job.ts'
import { settle, settleFailed } from './put-back.ts'
import type { Settling } from '../pipeline/settle.ts'

export function claim(course: Course, id: WorkerId): void {
  const { tasks, rules } = course.house.run
  if (tasks === null) throw new Error('a plain loop claims no task')
  const effect = ask(course, {
    type: 'claim-task',
    worker: id,
    scope: tasks.scope,
    leaseMs: rules.task.leaseMs,
  })
  enter(course, id, { is: 'claiming', effect })
}

/** Nothing of it runs any more. */
export function dropTask(course: Course, id: WorkerId): void {
  const job = taskOf(workerOf(course, id))
  if (job === null || job.drop === null) throw new Error(`worker ${id} has no task to put down`)
  const { drop } = job
  const { as, why } = drop
  const said = `${nameTask(job)}${as === 'failed' ? ' failed' : ' goes back'}: ${why}`
  if (as !== 'lost') decide(course, id, 'task', as === 'failed' ? 'failed' : 'release', said)
  // What is said about a lost one changes nothing; it is said all the same, so that every job ends with the same word.
  const how: Settling = { as: as === 'lost' ? 'released' : as, why, verification: null }
  if (isLeftOver(drop)) return settleFailed(course, id, how)
  settle(course, id, how)
}
