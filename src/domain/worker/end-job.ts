/**
 * The end of a job. Of a loop it is the end of its worker; a task is settled, and the worker takes the next one. What is nobody's fault
 * (a limit, a stop, no agent, no room) ends the worker, and its task goes back to where it came from.
 */
import type { WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import { finish, rebase, type Ending } from '../run/finish.ts'
import { isComplete, type OutcomeName } from '../run/outcome.ts'
import type { SettledAs } from '../task/task.ts'
import { nameTask } from '../task/words.ts'
import { decide, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { settle, settleFailed } from './put-back.ts'
import type { Settling } from './settle.ts'

/** Ends that say something about the task, not about the run. */
const OF_THE_TASK: ReadonlySet<OutcomeName> = new Set<OutcomeName>([
  'cannot_prove',
  'needs_acceptance',
  'safety_stop',
  'test_saturation',
])

export function endJob(course: Course, id: WorkerId, ending: Ending): void {
  const { job } = workerOf(course, id)
  switch (job.is) {
    case 'loop':
    case 'draft':
    case 'none':
      return finish(course, id, ending)
    case 'task': {
      const as = settledAs(course, ending)
      return as === null ? finish(course, id, ending) : endTask(course, id, as, ending)
    }
    default:
      return never(job)
  }
}

/** Null: the task is not to blame. */
function settledAs(course: Course, { is, verdict }: Ending): Exclude<SettledAs, 'released'> | null {
  if (!isComplete(is)) return OF_THE_TASK.has(is) ? 'failed' : null
  const { required } = course.house.run.rules.proof
  return verdict !== 'proven' && required ? 'failed' : 'done'
}

function endTask(course: Course, id: WorkerId, as: SettledAs, ending: Ending): void {
  const { verdict = 'unproven', base, tests } = ending
  const isProven = verdict === 'proven'
  const why = ending.acceptance === undefined ? ending.why : `${ending.why}. ${wayOut(course, id)}`
  if (base !== undefined) rebase(course, id, base, tests ?? null)
  saySettled(course, id, as, why)
  const verification = isProven ? 'passed' : as === 'failed' && ending.verdict !== undefined ? 'failed' : null
  patchWorker(course, id, { held: null })
  const how: Settling = { as, why, verification }
  // What needs a person's yes goes as well: the tasks that follow would need the same yes, and nobody is there to give it.
  if (as === 'failed') return settleFailed(course, id, how)
  settle(course, id, how)
}

/** Why it counts was said with the proof. */
function saySettled(course: Course, id: WorkerId, as: SettledAs, why: string): void {
  const { job } = workerOf(course, id)
  if (job.is !== 'task') return
  if (as === 'done') decide(course, id, 'task', 'done', `${nameTask(job)} is done`)
  else decide(course, id, 'task', 'failed', `${nameTask(job)} failed: ${why}`)
}

/** A run asks at its end (`ralph accept`); a task is long past by then. */
function wayOut(course: Course, id: WorkerId): string {
  const { job } = workerOf(course, id)
  const task = job.is === 'task' ? job.task : 'ID'
  return `Allow it such tests (ralph task update ${task} --test GLOB) and have it tried again (ralph task reset ${task}), or take what it did and say so (ralph task done ${task})`
}
