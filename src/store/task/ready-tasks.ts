/**
 * The table `ready`: one row for each ready task and each of its scopes, so that finding the next task is one index lookup for all
 * tasks, a feature or a subtree of any size. Every change of the graph names the tasks to refresh.
 */
import type { Instant } from '../../core/ids.ts'
import { scopeKey, type TaskScope, type Task, type TaskId } from '../../core/tasks/task.ts'
import { indexHint } from '../db/dialect.ts'
import type { Sql } from '../db/sql.ts'
import { chunkPlaceholders, parseTaskRow, TASK_SELECT_LIST, type StoredTask } from './task-rows.ts'

/** A leaf that is ready except for its earliest start. `isReady` is the same condition for a loaded task. */
export const READY_BUT_FOR_TIME_SQL = `status = 'pending' and children = 0 and waits = 0 and above = 0 and archived_at is null`

/** The descendants of a task, without itself. */
export const DESCENDANTS_SQL = `below (id) as (
  select id from tasks where parent = ? and archived_at is null
  union all select tasks.id from tasks join below on tasks.parent = below.id where tasks.archived_at is null)`

/** The same with archived tasks, which keep their parent. */
export const ALL_DESCENDANTS_SQL = `below (id) as (
  select id from tasks where parent = ? union all select tasks.id from tasks join below on tasks.parent = below.id)`

export const READY_IN_SCOPE_SQL = `select task from ready where scope = ? order by priority, n limit ?`

/** Scheduled tasks, including due ones that no writer has marked as ready yet. */
export const SCHEDULED_TASKS_INDEX = indexHint('tasks', 'tasks_scheduled')

/** Scheduled tasks that are due and otherwise ready. */
export const DUE_TASKS_SQL = `select ${TASK_SELECT_LIST} from ${SCHEDULED_TASKS_INDEX} where scheduled = 1 and not_before <= ? and ${READY_BUT_FOR_TIME_SQL}`

/** The first ready tasks, in the order of their priority. */
export async function listReadyIds(sql: Sql, scope: TaskScope, limit: number): Promise<TaskId[]> {
  const rows = await sql.all<{ task: TaskId }>(READY_IN_SCOPE_SQL, scopeKey(scope), limit)
  return rows.map(({ task }) => task)
}

/** For readers: includes due tasks that no writer has marked as ready yet. */
export async function listReadyTasks(
  sql: Sql,
  scope: TaskScope,
  { at, limit }: { at: Instant; limit: number },
): Promise<Task[]> {
  const rows = await sql.all<StoredTask>(
    `select ${TASK_SELECT_LIST} from tasks where id in (${READY_IN_SCOPE_SQL}) order by priority, n`,
    scopeKey(scope),
    limit,
  )
  const due = await dueIn(sql, scope, at)
  if (due.length === 0) return rows.map(parseTaskRow)
  return [...rows.map(parseTaskRow), ...due].toSorted((a, b) => a.priority - b.priority || a.n - b.n).slice(0, limit)
}

async function dueIn(sql: Sql, scope: TaskScope, at: Instant): Promise<Task[]> {
  const rows = await sql.all<StoredTask>(DUE_TASKS_SQL, at)
  const due: Task[] = []
  for (const row of rows) if (await isInScope(sql, row, scope)) due.push(parseTaskRow(row))
  return due
}

export async function isInScope(
  sql: Sql,
  task: { id: TaskId; parent: TaskId | null; feature: string | null },
  scope: TaskScope,
): Promise<boolean> {
  switch (scope.is) {
    case 'all':
      return true
    case 'feature':
      return task.feature === scope.feature
    case 'task': {
      for (let [id, parent] = [task.id, task.parent]; ;) {
        if (id === scope.task) return true
        if (parent === null) return false
        const row: { parent: TaskId | null } | null = await sql.get('select parent from tasks where id = ?', parent)
        ;[id, parent] = [parent, row?.parent ?? null]
      }
    }
  }
}

/** Updates the table for these tasks: afterwards it has exactly the ready ones. */
export async function refreshReadyTasks(tx: Sql, tasks: TaskId[]): Promise<void> {
  for (const { marks, values } of chunkPlaceholders(tasks)) {
    await tx.run(`delete from ready where task in (${marks})`, ...values)
    await tx.run(insertReadySql(`select id from tasks where id in (${marks})`), ...values)
  }
}

/** Updates the table for a task and its descendants: each ready one has a row with the scope of the task. */
export async function refreshReadySubtree(tx: Sql, root: TaskId): Promise<void> {
  await tx.run('delete from ready where task in (select task from ready where scope = ?)', `t:${root}`)
  await tx.run(insertReadySql('select id from below union all select cast(? as text)', DESCENDANTS_SQL), root, root)
}

/** Adds `by` to the column `above` of the descendants of a task. */
export async function adjustAncestorBlockerCounts(
  tx: Sql,
  root: TaskId,
  { by, itself }: { by: number; itself: boolean },
): Promise<void> {
  if (itself) await tx.run('update tasks set above = above + ? where id = ?', by, root)
  // Values are in the order of the text, which begins with the subtree.
  await tx.run(
    `with recursive ${DESCENDANTS_SQL} update tasks set above = above + ? where id in (select id from below)`,
    root,
    by,
  )
}

/** Due tasks are no longer scheduled. */
export async function markDueTasksReady(tx: Sql, at: Instant): Promise<void> {
  const due = await tx.all<{ id: TaskId }>(
    'update tasks set scheduled = 0 where scheduled = 1 and not_before <= ? returning id',
    at,
  )
  await refreshReadyTasks(
    tx,
    due.map(({ id }) => id),
  )
}

/**
 * Inserts the ready tasks of `which` into the table, with all their scopes. `cross join` makes SQLite start with these few tasks: its
 * planner would start with all pending tasks.
 */
function insertReadySql(which: string, first: string | null = null): string {
  return `insert into ready (scope, priority, n, task)
    with recursive ${first === null ? '' : `${first},`}
    looked (task) as (${which}),
    fit (id, priority, n, feature, parent) as (
      select id, priority, n, feature, parent from looked cross join tasks
      where id = looked.task and ${READY_BUT_FOR_TIME_SQL} and scheduled = 0),
    up (task, priority, n, at, next) as (
      select id, priority, n, id, parent from fit
      union all select up.task, up.priority, up.n, tasks.id, tasks.parent from up join tasks on tasks.id = up.next)
    select 't:' || at, priority, n, task from up
    union all select 'all', priority, n, id from fit
    union all select 'f:' || feature, priority, n, id from fit where feature is not null`
}
