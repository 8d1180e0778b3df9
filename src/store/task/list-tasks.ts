/** Lists of tasks: filtered, as a tree, and with their blockers. */
import type { Instant } from '../../core/ids.ts'
import {
  shownStatus,
  type FeatureId,
  type TaskScope,
  type ShownStatus,
  type Task,
  type TaskId,
} from '../../core/tasks/task.ts'
import type { TaskSortKey } from '../../core/tasks/sort-keys.ts'
import type { Sql, SqlValue } from '../db/sql.ts'
import { scopeCondition } from './task-counts.ts'
import { DESCENDANTS_SQL, ALL_DESCENDANTS_SQL, listReadyTasks } from './ready-tasks.ts'
import { parseTaskRow, TASK_SELECT_LIST, type StoredTask } from './task-rows.ts'

export interface TaskQuery {
  scope: TaskScope
  /** Empty: any status. */
  statuses: ShownStatus[]
  /** Only ready tasks. */
  ready: boolean
  /** Only tasks without a feature. */
  standalone: boolean
  /** Only children of this task; null: only tasks without a parent. Undefined: all. */
  parent?: TaskId | null
  /** Only tasks with this text in their id, title or description, ignoring case. */
  text: string | null
  /** Only archived tasks. False: none of them. */
  archived: boolean
  sort: TaskSortKey
  /** Null: all. */
  limit: number | null
  at: Instant
}

export const ALL_TASKS_QUERY: Omit<TaskQuery, 'at'> = {
  scope: { is: 'all' },
  statuses: [],
  ready: false,
  standalone: false,
  text: null,
  archived: false,
  sort: 'priority',
  limit: null,
}

const ORDERS: Record<TaskSortKey, string> = {
  priority: 'priority, n',
  order: 'n',
  status: `case status when 'in_progress' then 0 when 'failed' then 1 when 'pending' then 2 else 3 end, priority, n`,
  created: 'created_at, n',
  updated: 'updated_at desc, n',
  title: 'title, n',
}

/** Larger than any list; every database accepts it as a limit. */
const NO_LIMIT = 2_147_483_647

export async function listTasks(sql: Sql, query: TaskQuery): Promise<Task[]> {
  const limit = query.limit ?? NO_LIMIT
  const fits = fitting(query)
  if (query.ready && query.sort === 'priority') {
    const all = query.text === null && !query.standalone && query.parent === undefined && query.statuses.length === 0
    const found = await listReadyTasks(sql, query.scope, { at: query.at, limit: all ? limit : NO_LIMIT })
    return found.filter(fits).slice(0, limit)
  }
  const { text, values } = statement(query)
  const rows = await sql.all<StoredTask>(text, ...values, query.text === null && !query.ready ? limit : NO_LIMIT)
  const found = rows.map(parseTaskRow).filter(fits)
  if (!query.ready) return found.slice(0, limit)
  const ready = await listReadyTasks(sql, query.scope, { at: query.at, limit: NO_LIMIT })
  const ids = new Set(ready.map(({ id }) => id))
  return found.filter(({ id }) => ids.has(id)).slice(0, limit)
}

function statement(query: TaskQuery): { text: string; values: SqlValue[] } {
  const { first, where, values } = scopeCondition(query.scope, query.archived ? ALL_DESCENDANTS_SQL : DESCENDANTS_SQL)
  const wheres = [`${query.archived ? 'archived_at is not null' : 'archived_at is null'} ${where}`]
  const more: SqlValue[] = []
  if (query.standalone) wheres.push('feature is null')
  if (query.parent === null) wheres.push('parent is null')
  if (query.parent !== null && query.parent !== undefined) {
    wheres.push('parent = ?')
    more.push(query.parent)
  }
  if (query.statuses.length > 0)
    wheres.push(`(${query.statuses.map((status) => `(${STATUS_IS[status]})`).join(' or ')})`)
  const text = `${first} select ${TASK_SELECT_LIST} from tasks where ${wheres.join(' and ')} order by ${ORDERS[query.sort]} limit ?`
  return { text, values: [...values, ...more] }
}

/** The same conditions as `shownStatus` for a loaded task. */
const STATUS_IS: Record<ShownStatus, string> = {
  pending: `status = 'pending' and waits = 0 and above = 0`,
  blocked: `status = 'pending' and (waits > 0 or above > 0)`,
  in_progress: `status = 'in_progress'`,
  done: `status = 'done'`,
  failed: `status = 'failed'`,
}

function fitting({ statuses, standalone, archived, parent, text }: TaskQuery): (task: Task) => boolean {
  const wanted = text?.toLowerCase() ?? null
  return (task) =>
    (statuses.length === 0 || statuses.includes(shownStatus(task))) &&
    (!standalone || task.feature === null) &&
    archived === (task.archivedAt !== null) &&
    (parent === undefined || task.parent === parent) &&
    (wanted === null || `${task.id}\n${task.title}\n${task.description}`.toLowerCase().includes(wanted))
}

/** By priority, then in the order in which they were added. */
export async function childrenOf(sql: Sql, parent: TaskId): Promise<Task[]> {
  const rows = await sql.all<StoredTask>(
    `select ${TASK_SELECT_LIST} from tasks where parent = ? and archived_at is null order by priority, n`,
    parent,
  )
  return rows.map(parseTaskRow)
}

export interface TreeTask {
  task: Task
  /** 0 at the top of this tree. */
  depth: number
  /** It is the last of its siblings. */
  last: boolean
}

/** Depth first. The roots are the tasks of the scope whose parent is not in it. */
export async function taskTree(sql: Sql, scope: TaskScope): Promise<TreeTask[]> {
  const tasks = await listTasks(sql, { ...ALL_TASKS_QUERY, scope, at: 0 })
  const here = new Set(tasks.map(({ id }) => id))
  const below = new Map<TaskId | null, Task[]>()
  for (const task of tasks) {
    const parent = task.parent !== null && here.has(task.parent) ? task.parent : null
    const extras = below.get(parent)
    if (extras === undefined) below.set(parent, [task])
    else extras.push(task)
  }
  const tree: TreeTask[] = []
  const walk = (parent: TaskId | null, depth: number): void => {
    const extras = below.get(parent) ?? []
    for (const task of extras) {
      tree.push({ task, depth, last: task === extras.at(-1) })
      walk(task.id, depth + 1)
    }
  }
  walk(null, 0)
  return tree
}

export interface TaskDependencies {
  blockers: LinkedTask[]
  blocks: LinkedTask[]
}

/** A task at the other end of an edge. */
export interface LinkedTask {
  id: TaskId
  title: string
  status: ShownStatus
  feature: FeatureId | null
}

export async function loadTaskDependencies(sql: Sql, task: TaskId): Promise<TaskDependencies> {
  const ends = async (side: 'blocker' | 'blocked', other: 'blocker' | 'blocked'): Promise<LinkedTask[]> => {
    const rows = await sql.all<StoredTask>(
      `select tasks.id as id, title, status, feature, waits, above from edges join tasks on tasks.id = edges.${side}
       where edges.${other} = ? order by tasks.n`,
      task,
    )
    return rows.map((row) => ({ id: row.id, title: row.title, status: shownStatus(row), feature: row.feature }))
  }
  return { blockers: await ends('blocker', 'blocked'), blocks: await ends('blocked', 'blocker') }
}
