/**
 * What a document changes that comes after one that was accepted. It says what is still to be done: tasks that are done stay as they are,
 * what a person deleted stays deleted, and what a person wrote into a task stays where the document says what it said before.
 */
import type { Task, TaskId } from '../task/task.ts'
import type { DraftTask } from './document.ts'

/** A task as it was accepted. */
export interface AcceptedTask {
  key: string
  task: TaskId
  /** `saidOf` it then. */
  said: string
}

export interface Revision {
  /** Keys that are new. */
  added: string[]
  /** Said otherwise now, and not done. */
  changed: RevisedTask[]
  /** In the document no longer, and not done. */
  gone: RevisedTask[]
  /** Done, deleted by somebody, or above a task that stays, though the document says otherwise. */
  stays: RevisedTask[]
}

export interface RevisedTask {
  key: string
  task: TaskId
  title: string
}

/** All there is to compare. */
export function saidOf(task: DraftTask): string {
  return JSON.stringify(task)
}

type Standing = Pick<Task, 'title' | 'status' | 'archivedAt'>

/** `now`: the tasks that were accepted, as they stand; one that is not among them was deleted. */
export function revise(
  tasks: DraftTask[],
  before: AcceptedTask[],
  now: ReadonlyMap<TaskId, Standing>,
): Revision {
  const known = new Map(before.map((one) => [one.key, one]))
  const revision: Revision = { added: [], changed: [], gone: [], stays: [] }
  for (const draft of tasks) {
    const was = known.get(draft.key)
    if (was === undefined) revision.added.push(draft.key)
    else if (was.said !== saidOf(draft)) {
      const standing = now.get(was.task)
      const { key, title } = draft
      if (isOpen(standing)) revision.changed.push({ key, task: was.task, title })
      else revision.stays.push({ key, task: was.task, title: standing?.title ?? title })
    }
  }
  const said = new Set(tasks.map(({ key }) => key))
  for (const { key, task } of before) {
    const standing = now.get(task)
    if (said.has(key) || standing === undefined || standing.archivedAt !== null) continue
    const list = isOpen(standing) ? revision.gone : revision.stays
    list.push({ key, task, title: standing.title })
  }
  return revision
}

export function isNothing({ added, changed, gone }: Revision): boolean {
  return added.length + changed.length + gone.length === 0
}

function isOpen(task: Standing | undefined): boolean {
  return task !== undefined && task.archivedAt === null && task.status !== 'done'
}
