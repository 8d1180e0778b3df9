/**
 * The end of the work on a task. What failed is taken out of the tree before the store is told, so that whatever comes next is judged by
 * itself; where it cannot be told from somebody else's work it stays, and that is said.
 */
import type { EffectId, WorkerId } from '../ids.ts'
import { isSamePoint } from '../tree/own-change.ts'
import { never } from '../machine.ts'
import type { EventOf } from '../state/event.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../state/context.ts'
import { count } from '../text/amounts.ts'
import { taskOf, type TaskJob } from '../state/job.ts'
import { lastPoint, wentBack } from '../tree/own-work.ts'
import { askSettle, type Settling } from '../pipeline/settle.ts'

export function settle(course: Course, id: WorkerId, how: Settling): void {
  const effect = askSettle(course, id, how)
  if (effect !== null) enter(course, id, { is: 'settling', effect })
}

export function settleFailed(course: Course, id: WorkerId, how: Settling): void {
  const effect = askPutBack(course, id)
  if (effect === null) return settle(course, id, how)
  enter(course, id, { is: 'putting-back', effect, settle: how })
}

/** Null: there is nothing of it in the tree, or it stays there. */
function askPutBack(course: Course, id: WorkerId): EffectId | null {
  const worker = workerOf(course, id)
  const { seen, measured } = worker
  const job = taskOf(worker)
  if (job === null || job.own === null || worker.author === null) return null
  if (course.house.run.rules.task.failed === 'keep') return null
  const { before, after, mixed } = job.own
  if (measured && seen?.tree === before.tree && isSamePoint(before, after)) return null
  if (mixed) {
    stays(course, id, job, 'somebody else changed something while it was worked on')
    return null
  }
  // While nobody worked, somebody else may have: then all must be as it was at the last look.
  const since = measured && seen?.fresh === false ? lastPoint(worker) : null
  const { task, attempt } = job
  return ask(course, {
    type: 'put-back',
    worker: id,
    task,
    attempt,
    iteration: worker.iteration,
    before,
    since,
  })
}

export function wasPutBack(course: Course, event: EventOf<'put-back'>): void {
  const { worker: id } = event
  const worker = workerOf(course, id)
  const { phase } = worker
  const job = taskOf(worker)
  if (job === null || phase.is !== 'putting-back') return
  switch (event.is) {
    case 'stays':
      stays(course, id, job, event.why)
      break
    case 'back':
      wentBack(course, event)
      decide(course, id, 'task', 'put-back', sayPutBack(job, event))
      break
    default:
      never(event)
  }
  settle(course, id, phase.settle)
}

/** It could not be done, or nobody knows how far it came. */
export function notPutBack(course: Course, id: WorkerId, why: string): void {
  const worker = workerOf(course, id)
  const { phase } = worker
  const job = taskOf(worker)
  if (job === null || phase.is !== 'putting-back') return
  stays(course, id, job, why)
  // Half of it may be done: what is there is nobody's edit.
  patchWorker(course, id, { measured: false })
  settle(course, id, phase.settle)
}

function stays(course: Course, id: WorkerId, { task, own }: TaskJob, why: string): void {
  const head = own?.before.head ?? null
  const see = head === null ? 'git status' : `git diff ${head.slice(0, 10)}`
  decide(
    course,
    id,
    'task',
    'stays',
    `${task}: what it did stays in the tree, and the tasks that follow are judged with it: ${why}. See it: ${see}. Take it back: ralph undo --task ${task}`,
  )
}

function sayPutBack(
  { task }: TaskJob,
  { files, commits, kept, began, left }: Extract<EventOf<'put-back'>, { is: 'back' }>,
): string {
  const went = commits === 0 ? '' : ` and ${count(commits, 'commit')}`
  const stay =
    left.length === 0
      ? ''
      : `; left as they are, since one of their versions is not stored: ${left.join(', ')}`
  // Both as they lay there: what a person had not committed yet is in neither half of the difference.
  const did = began === undefined ? `HEAD...${kept}` : `${began} ${kept}`
  return `${task}: its ${count(files, 'file')}${went} were put back to how it was before${stay}. See what it did: git diff ${did}. Have it back: git diff --binary ${did} | git -C "$(git rev-parse --show-toplevel)" apply -3`
}
