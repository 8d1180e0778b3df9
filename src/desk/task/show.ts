/** One task from near: what it says of itself, what it waits for, who waits for it, and what was said about it. */
import type { Task, TaskId, TaskLogEntry } from '../../domain/task/task.ts'
import { isoTime, realClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findTask, taskFor } from '../../store/task/find.ts'
import { depsOf, type Linked } from '../../store/task/list.ts'
import { taskLog } from '../../store/task/log.ts'
import { factsOf, type TaskFacts } from './task-facts.ts'
import { changeAt, type TaskPlace } from './task-store.ts'
import { waitsOf, type WaitFacts } from './tree.ts'

/** A task at the other end of an edge, or above. */
export interface LinkFacts {
  id: TaskId
  title: string
  status: Linked['status']
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

export function showTask(place: TaskPlace, typed: string): Promise<ShownTask> {
  return changeAt(place, async (sql) => shown(sql, await taskFor(sql, typed)))
}

async function shown(sql: Sql, task: Task): Promise<ShownTask> {
  const { blockers, blocks } = await depsOf(sql, task.id)
  const parent = task.parent === null ? null : await findTask(sql, task.parent)
  const facts = await one(sql, task)
  const log = await taskLog(sql, task.id, LOG_SHOWN)
  return {
    ...facts,
    parent: parent === null ? null : { id: parent.id, title: parent.title },
    blocked_by: blockers.map(link),
    blocks: blocks.map(link),
    waits_for: facts.status === 'blocked' ? await waitsOf(sql, task.id) : [],
    log: log.map(logFacts),
  }
}

/** A task as it is after it was changed. */
export async function taskNow(sql: Sql, id: TaskId): Promise<TaskFacts> {
  return one(sql, await taskFor(sql, id))
}

async function one(sql: Sql, task: Task): Promise<TaskFacts> {
  const [facts] = await factsOf(sql, [task], realClock().at())
  if (facts === undefined) throw new Error(`no facts about task ${task.id}`)
  return facts
}

export interface ShownDeps {
  id: TaskId
  title: string
  blocked_by: LinkFacts[]
  blocks: LinkFacts[]
}

export function showDeps(place: TaskPlace, typed: string): Promise<ShownDeps> {
  return changeAt(place, async (sql) => {
    const { id, title } = await taskFor(sql, typed)
    const { blockers, blocks } = await depsOf(sql, id)
    return { id, title, blocked_by: blockers.map(link), blocks: blocks.map(link) }
  })
}

/** The oldest first. A task that was deleted keeps its log. */
export function showLog(place: TaskPlace, typed: string, limit: number | null): Promise<LogFacts[]> {
  return changeAt(place, async (sql) => {
    const { id } = await taskFor(sql, typed)
    return (await taskLog(sql, id, limit ?? ALL)).map(logFacts)
  })
}

function link({ id, title, status }: Linked): LinkFacts {
  return { id, title, status }
}

function logFacts({ at, author, kind, text }: TaskLogEntry): LogFacts {
  return { at: isoTime(at), author, kind, text }
}
