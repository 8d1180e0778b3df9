/** One task from near: what it says of itself, what it waits for, who waits for it, and what was said about it. */
import type { Task, TaskId, TaskLogEntry } from '../../core/tasks/task.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findTask, findTaskByPrefix } from '../../store/task/find-task.ts'
import { loadTaskDeps, type LinkedTask } from '../../store/task/list-tasks.ts'
import { taskLog } from '../../store/task/log.ts'
import { taskFactsOf, type TaskFacts } from './task-facts.ts'
import { changeStore, type StoreLocation } from './task-store.ts'
import { unmetBlockerFacts, type WaitFacts } from './tree.ts'

/** A task at the other end of an edge, or above. */
export interface LinkFacts {
  id: TaskId
  title: string
  status: LinkedTask['status']
}

export interface LogFacts {
  at: string
  author: string
  kind: TaskLogEntry['kind']
  text: string
}

export interface ShownTask extends TaskFacts {
  parent: Omit<LinkFacts, 'status'> | null
  blocked_by: LinkFacts[]
  blocks: LinkFacts[]
  /** What is not done and keeps it from beginning; also through the tasks above it. */
  waits_for: WaitFacts[]
  /** The newest of it. */
  log: LogFacts[]
}

/** `task log` has all of it. */
const LOG_SHOWN = 5
const ALL = 2_147_483_647

export function showTask(location: StoreLocation, typed: string): Promise<ShownTask> {
  return changeStore(location, async (sql) => shown(sql, await findTaskByPrefix(sql, typed)))
}

async function shown(sql: Sql, task: Task): Promise<ShownTask> {
  const { blockers, blocks } = await loadTaskDeps(sql, task.id)
  const parent = task.parent === null ? null : await findTask(sql, task.parent)
  const facts = await one(sql, task)
  const log = await taskLog(sql, task.id, LOG_SHOWN)
  return {
    ...facts,
    parent: parent === null ? null : { id: parent.id, title: parent.title },
    blocked_by: blockers.map(link),
    blocks: blocks.map(link),
    waits_for: facts.status === 'blocked' ? await unmetBlockerFacts(sql, task.id) : [],
    log: log.map(logFacts),
  }
}

/** A task as it is after it was changed. */
export async function currentTaskFacts(sql: Sql, id: TaskId): Promise<TaskFacts> {
  return one(sql, await findTaskByPrefix(sql, id))
}

async function one(sql: Sql, task: Task): Promise<TaskFacts> {
  const [facts] = await taskFactsOf(sql, [task], systemClock().at())
  if (facts === undefined) throw new Error(`no facts about task ${task.id}`)
  return facts
}

export interface ShownDeps {
  id: TaskId
  title: string
  blocked_by: LinkFacts[]
  blocks: LinkFacts[]
}

export function showDeps(location: StoreLocation, typed: string): Promise<ShownDeps> {
  return changeStore(location, async (sql) => {
    const { id, title } = await findTaskByPrefix(sql, typed)
    const { blockers, blocks } = await loadTaskDeps(sql, id)
    return { id, title, blocked_by: blockers.map(link), blocks: blocks.map(link) }
  })
}

/** The oldest first. A task that was deleted keeps its log. */
export function showLog(location: StoreLocation, typed: string, limit: number | null): Promise<LogFacts[]> {
  return changeStore(location, async (sql) => {
    const { id } = await findTaskByPrefix(sql, typed)
    return (await taskLog(sql, id, limit ?? ALL)).map(logFacts)
  })
}

function link({ id, title, status }: LinkedTask): LinkFacts {
  return { id, title, status }
}

function logFacts({ at, author, kind, text }: TaskLogEntry): LogFacts {
  return { at: isoTime(at), author, kind, text }
}
