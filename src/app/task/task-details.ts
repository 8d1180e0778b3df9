/** One task in detail: its fields, what it waits for, what waits for it, and its log. */
import type { Task, TaskId, TaskLogEntry } from '../../core/tasks/task.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findTask, findTaskByPrefix } from '../../store/task/find-task.ts'
import { loadTaskDependencies, type LinkedTask } from '../../store/task/list-tasks.ts'
import { loadTaskLog } from '../../store/task/task-log.ts'
import { taskFactsOf, type TaskFacts } from './task-facts.ts'
import { useExistingStore, type StoreLocation } from './task-store.ts'
import { unmetBlockerFacts, type UnmetBlockerFacts } from './task-tree.ts'

/** A blocker, a task that waits for this one, or a parent. */
export interface LinkedTaskFacts {
  id: TaskId
  title: string
  status: LinkedTask['status']
}

export interface TaskLogFacts {
  at: string
  author: string
  kind: TaskLogEntry['kind']
  text: string
}

export interface TaskDetails extends TaskFacts {
  parent: Omit<LinkedTaskFacts, 'status'> | null
  blocked_by: LinkedTaskFacts[]
  blocks: LinkedTaskFacts[]
  /** Blockers that are not done, including those of the tasks above it. */
  waits_for: UnmetBlockerFacts[]
  /** The newest entries. */
  log: TaskLogFacts[]
}

/** `task log` has all of them. */
const LOG_SHOWN = 5
const ALL = 2_147_483_647

export function loadTaskDetails(location: StoreLocation, typed: string): Promise<TaskDetails> {
  return useExistingStore(location, async (sql) => shown(sql, await findTaskByPrefix(sql, typed)))
}

async function shown(sql: Sql, task: Task): Promise<TaskDetails> {
  const { blockers, blocks } = await loadTaskDependencies(sql, task.id)
  const parent = task.parent === null ? null : await findTask(sql, task.parent)
  const facts = await one(sql, task)
  const log = await loadTaskLog(sql, task.id, LOG_SHOWN)
  return {
    ...facts,
    parent: parent === null ? null : { id: parent.id, title: parent.title },
    blocked_by: blockers.map(link),
    blocks: blocks.map(link),
    waits_for: facts.status === 'blocked' ? await unmetBlockerFacts(sql, task.id) : [],
    log: log.map(logFacts),
  }
}

/** A task after a change. */
export async function currentTaskFacts(sql: Sql, id: TaskId): Promise<TaskFacts> {
  return one(sql, await findTaskByPrefix(sql, id))
}

async function one(sql: Sql, task: Task): Promise<TaskFacts> {
  const [facts] = await taskFactsOf(sql, [task], systemClock().at())
  if (facts === undefined) throw new Error(`no facts about task ${task.id}`)
  return facts
}

export interface DependencyFacts {
  id: TaskId
  title: string
  blocked_by: LinkedTaskFacts[]
  blocks: LinkedTaskFacts[]
}

export function loadDependencyFacts(location: StoreLocation, typed: string): Promise<DependencyFacts> {
  return useExistingStore(location, async (sql) => {
    const { id, title } = await findTaskByPrefix(sql, typed)
    const { blockers, blocks } = await loadTaskDependencies(sql, id)
    return { id, title, blocked_by: blockers.map(link), blocks: blocks.map(link) }
  })
}

/** Oldest first. A deleted task keeps its log. */
export function loadTaskLogFacts(
  location: StoreLocation,
  typed: string,
  limit: number | null,
): Promise<TaskLogFacts[]> {
  return useExistingStore(location, async (sql) => {
    const { id } = await findTaskByPrefix(sql, typed)
    return (await loadTaskLog(sql, id, limit ?? ALL)).map(logFacts)
  })
}

function link({ id, title, status }: LinkedTask): LinkedTaskFacts {
  return { id, title, status }
}

function logFacts({ at, author, kind, text }: TaskLogEntry): TaskLogFacts {
  return { at: isoTime(at), author, kind, text }
}
