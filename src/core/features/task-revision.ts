/**
 * Compares a new task file with the accepted one. It lists the work that is left: tasks that are done stay as they are, tasks that a
 * person deleted stay deleted, and a person's edits of a task stay where the task file has not changed.
 */
import type { Task, TaskId } from '../tasks/task.ts'
import type { Instant } from '../ids.ts'
import { parseObject } from '../text/json.ts'
import { parseTaskFile, type DraftTask } from './task-file.ts'

/** A task as it was accepted. */
export interface AcceptedTask {
  key: string
  task: TaskId
  /** The `serializeDraftTask` of the task at that time. */
  said: string
}

export interface TaskRevision {
  /** New keys. */
  added: string[]
  /** Changed in the task file, and not done. */
  changed: RevisedTask[]
  /** No longer in the task file, and not done. */
  gone: RevisedTask[]
  /** Changed or missing in the task file, but kept: done, or the parent of a task that is kept. */
  stays: RevisedTask[]
  /** Keys of tasks that a person deleted: they are not created again. */
  deleted: string[]
}

export interface RevisedTask {
  key: string
  task: TaskId
  title: string
}

/** The content by which two versions of a task are compared. */
export function serializeDraftTask(task: DraftTask): string {
  return JSON.stringify(task)
}

/** The accepted tasks under the keys of a later task file: a task with the same content and parent under a new key is the same task. */
export function rekeyAcceptedTasks(tasks: DraftTask[], before: AcceptedTask[]): AcceptedTask[] {
  const now = tasks.map((task) => ({ key: task.key, said: serializeDraftTask(task) }))
  const nowKeys = new Set(now.map(({ key }) => key))
  const oldKeys = new Set(before.map(({ key }) => key))
  const came = keysByContent(now)
  const renamed = new Map<string, string>()
  for (const [said, old] of keysByContent(before)) {
    const key = came.get(said) ?? null
    if (old !== null && key !== null && !nowKeys.has(old) && !oldKeys.has(key)) renamed.set(old, key)
  }
  if (renamed.size === 0) return before
  return before.map(({ key, task, said }) => ({ key: renamed.get(key) ?? key, task, said: replaceKeys(said, renamed) }))
}

/** Keys by the content of a task and its parent's title; null: two tasks have that content. */
function keysByContent(tasks: Pick<AcceptedTask, 'key' | 'said'>[]): Map<string, string | null> {
  const all = tasks.map(({ key, said }) => ({ key, said: parseObject(said) ?? {} }))
  const titles = new Map(all.map(({ key, said }) => [key, said['title']]))
  const keys = new Map<string, string | null>()
  for (const { key, said } of all) {
    const { title, description, files, checks, criteria, tests, parent } = said
    const group = typeof parent === 'string' ? titles.get(parent) : null
    const says = JSON.stringify([title, description, files, checks, criteria, tests, group])
    keys.set(says, keys.has(says) ? null : key)
  }
  return keys
}

function replaceKeys(said: string, renamed: ReadonlyMap<string, string>): string {
  const task = parseObject(said)
  if (task === null) return said
  const newKey = (key: unknown): unknown => (typeof key === 'string' ? (renamed.get(key) ?? key) : key)
  const { key, parent, after } = task
  return JSON.stringify({
    ...task,
    key: newKey(key),
    parent: newKey(parent),
    after: Array.isArray(after) ? after.map(newKey) : after,
  })
}

/** The tasks as they were accepted. */
export function parseAcceptedTasks(before: AcceptedTask[]): DraftTask[] {
  return before.flatMap(({ said }) => parseTaskFile(`{"version": 1, "tasks": [${said}]}`).tasks)
}

type CurrentStatus = Pick<Task, 'title' | 'status' | 'archivedAt'>

/** `now`: the current state of the accepted tasks; a task that is missing there was deleted. */
export function planTaskRevision(
  tasks: DraftTask[],
  before: AcceptedTask[],
  now: ReadonlyMap<TaskId, CurrentStatus>,
): TaskRevision {
  const known = new Map(before.map((one) => [one.key, one]))
  const revision: TaskRevision = { added: [], changed: [], gone: [], stays: [], deleted: [] }
  for (const draft of tasks) {
    const { key, title } = draft
    const was = known.get(key)
    const standing = was === undefined ? undefined : now.get(was.task)
    if (was === undefined) revision.added.push(key)
    else if (isDeleted(standing)) revision.deleted.push(key)
    else if (was.said === serializeDraftTask(draft)) continue
    else if (standing.status === 'done') revision.stays.push({ key, task: was.task, title: standing.title })
    else revision.changed.push({ key, task: was.task, title })
  }
  const said = new Set(tasks.map(({ key }) => key))
  for (const { key, task } of before) {
    const standing = now.get(task)
    if (said.has(key) || isDeleted(standing)) continue
    const list = standing.status === 'done' ? revision.stays : revision.gone
    list.push({ key, task, title: standing.title })
  }
  return revision
}

export function isEmptyRevision({ added, changed, gone }: TaskRevision): boolean {
  return added.length + changed.length + gone.length === 0
}

function isDeleted(task: CurrentStatus | undefined): task is undefined | (CurrentStatus & { archivedAt: Instant }) {
  return task === undefined || task.archivedAt !== null
}
