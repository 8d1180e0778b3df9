/** Counts the tasks of a scope and explains why others are not ready. Used when no task is ready, and by screens. */
import type { Instant, RunId } from '../../core/ids.ts'
import {
  scopeKey,
  type NothingReady,
  type TaskScope,
  type TaskCounts,
  type TaskId,
  type TaskOverview,
  type TaskStatus,
  type UnfinishedBlocker,
} from '../../core/tasks/task.ts'
import type { Sql, SqlValue } from '../db/sql.ts'
import { DESCENDANTS_SQL, READY_BUT_FOR_TIME_SQL, isInScope, SCHEDULED_TASKS_INDEX } from './ready-tasks.ts'
import { loadEdges, loadNodesWithAncestors } from './task-rows.ts'

/** Limit of named blocked tasks, and of named blockers of each. */
const NAMED_MAX = 5

/** The tasks of a scope for a screen. The blocked tasks are listed only if no task is ready. */
export async function loadTaskOverview(sql: Sql, scope: TaskScope, at: Instant): Promise<TaskOverview> {
  const kept = await countTasks(sql, scope)
  const due = kept.scheduled === 0 ? 0 : await countScheduled(sql, scope, at)
  const counts = { ...kept, ready: kept.ready + due, scheduled: kept.scheduled - due }
  return {
    counts,
    waiting: counts.blocked > 0 && counts.ready === 0 ? await blockedTasksIn(sql, scope) : [],
    failed: counts.failed > 0 ? await failedIn(sql, scope) : [],
  }
}

/** Counts tasks that are ready except for their earliest start; `due`: only those that are due at this instant. */
async function countScheduled(sql: Sql, scope: TaskScope, due: Instant | null = null): Promise<number> {
  const { first, where, values } = scopeCondition(scope)
  const row = await sql.get<{ scheduled: number }>(
    `${first} select count(*) as scheduled from ${SCHEDULED_TASKS_INDEX} where scheduled = 1 and ${READY_BUT_FOR_TIME_SQL} ${where}
       ${due === null ? '' : 'and not_before <= ?'}`,
    ...values,
    ...(due === null ? [] : [due]),
  )
  return row?.scheduled ?? 0
}

/** Reads only indexes, or one row for a feature, so the cost does not depend on the number of tasks. */
export async function countTasks(sql: Sql, scope: TaskScope): Promise<TaskCounts> {
  const { pending, ...ended } = await byStatus(sql, scope)
  const ready = await countReady(sql, scope)
  const scheduled = await countScheduled(sql, scope)
  const all = pending + ended.done + ended.failed + ended.going
  return { all, ...ended, ready, blocked: pending - ready - scheduled, scheduled }
}

type ByStatus = Pick<TaskCounts, 'done' | 'failed' | 'going'> & { pending: number }

async function byStatus(sql: Sql, scope: TaskScope): Promise<ByStatus> {
  switch (scope.is) {
    case 'all':
      return leavesByStatus(sql, { where: '', values: [] })
    case 'feature': {
      const row = await sql.get<ByStatus>(
        'select done, failed, going, tasks - done - failed - going as pending from features where id = ?',
        scope.feature,
      )
      return row === null ? { done: 0, failed: 0, going: 0, pending: 0 } : { ...row }
    }
    case 'task':
      return (await leavesBelow(sql, scope.task)) ?? leavesByStatus(sql, { where: 'and id = ?', values: [scope.task] })
  }
}

async function leavesByStatus(sql: Sql, { where, values }: { where: string; values: SqlValue[] }): Promise<ByStatus> {
  const rows = await sql.all<{ status: TaskStatus; count: number }>(
    `select status, count(*) as count from tasks where children = 0 and archived_at is null ${where} group by status`,
    ...values,
  )
  const counted = (status: TaskStatus): number => rows.find((row) => row.status === status)?.count ?? 0
  return {
    done: counted('done'),
    failed: counted('failed'),
    going: counted('in_progress'),
    pending: counted('pending'),
  }
}

/**
 * Sums the child counts of each parent, without children that are parents themselves: a sixth of the cost of reading each leaf.
 * Null: the task has no children.
 */
async function leavesBelow(sql: Sql, top: TaskId): Promise<ByStatus | null> {
  const row = await sql.get<Omit<ByStatus, 'pending'> & { all: number | null }>(
    // The root has a null status, so it is not counted.
    `with recursive parents (id, status, children, done, failed, going) as (
       select id, cast(null as text), children, children_done, children_failed, children_going from tasks
       where id = ? and children > 0
       union all select tasks.id, tasks.status, tasks.children, children_done, children_failed, children_going
       from parents join tasks on tasks.parent = parents.id where tasks.children > 0 and tasks.archived_at is null)
     select sum(children) - count(status) as "all", ${without('done', 'done')}, ${without('failed', 'failed')},
       ${without('going', 'in_progress')} from parents`,
    top,
  )
  if (row === null || row.all === null) return null
  const { all, done, failed, going } = row
  return { done, failed, going, pending: all - done - failed - going }
}

function without(column: string, status: TaskStatus): string {
  return `sum(${column}) - sum(case when status = '${status}' then 1 else 0 end) as ${column}`
}

async function countReady(sql: Sql, scope: TaskScope): Promise<number> {
  const row = await sql.get<{ ready: number }>('select count(*) as ready from ready where scope = ?', scopeKey(scope))
  return row?.ready ?? 0
}

/** Why this run can claim no task of the scope. */
export async function explainNothingReady(sql: Sql, scope: TaskScope, run: RunId): Promise<NothingReady> {
  const [wakes, lease] = [await nextWaking(sql, scope), await nextLease(sql, scope, run)]
  const moments = [wakes, lease].filter((moment) => moment !== null)
  return {
    counts: await countTasks(sql, scope),
    until: moments.length === 0 ? null : Math.min(...moments),
    waiting: await blockedTasksIn(sql, scope),
    failed: await failedIn(sql, scope),
  }
}

async function failedIn(sql: Sql, scope: TaskScope): Promise<NothingReady['failed']> {
  const { first, where, values } = scopeCondition(scope)
  const rows = await sql.all<NothingReady['failed'][number]>(
    `${first} select id as task, title, why from tasks
     where status = 'failed' and children = 0 and archived_at is null ${where} order by priority, n limit ?`,
    ...values,
    NAMED_MAX,
  )
  return rows.map((row) => ({ ...row }))
}

async function nextWaking(sql: Sql, scope: TaskScope): Promise<Instant | null> {
  const { first, where, values } = scopeCondition(scope)
  const row = await sql.get<{ at: Instant | null }>(
    `${first} select min(not_before) as at from ${SCHEDULED_TASKS_INDEX}
     where scheduled = 1 and ${READY_BUT_FOR_TIME_SQL} ${where}`,
    ...values,
  )
  return row?.at ?? null
}

/** When the first lease of another run expires on a task that is in the scope or blocks it. */
async function nextLease(sql: Sql, scope: TaskScope, run: RunId): Promise<Instant | null> {
  const held = await sql.all<{ task: TaskId; lease_until: Instant }>(
    `select task, lease_until from claims where state = 'held' and run <> ? order by lease_until`,
    run,
  )
  for (const { task, lease_until } of held) if (await isWaitedForIn(sql, task, scope)) return lease_until
  return null
}

/** Whether a task is in a scope or blocks a task there: through edges, parents, and the blockers of parents. */
async function isWaitedForIn(sql: Sql, task: TaskId, scope: TaskScope): Promise<boolean> {
  const seen = new Set<TaskId>()
  for (let wanted = [task]; wanted.length > 0;) {
    const nodes = await loadNodesWithAncestors(sql, wanted)
    for (const node of nodes.values()) {
      if (node.status === 'done' || seen.has(node.id)) continue
      if (await isInScope(sql, node, scope)) return true
      seen.add(node.id)
    }
    const edges = await loadEdges(sql, 'blocker', nodes.keys())
    const next = edges.map(({ blocked }) => blocked).filter((id) => !seen.has(id))
    for (const id of next) if (await hasBelow(sql, id, scope)) return true
    wanted = [...new Set(next)]
  }
  return false
}

async function hasBelow(sql: Sql, task: TaskId, scope: TaskScope): Promise<boolean> {
  switch (scope.is) {
    case 'all':
      return true
    case 'feature': {
      const found = await sql.get(
        `with recursive ${DESCENDANTS_SQL} select id from tasks where feature = ? and id in (select id from below) limit 1`,
        task,
        scope.feature,
      )
      return found !== null
    }
    case 'task': {
      const nodes = await loadNodesWithAncestors(sql, [scope.task])
      return nodes.has(task)
    }
  }
}

/** The first blocked tasks, each with its first unfinished blockers. */
export async function blockedTasksIn(sql: Sql, scope: TaskScope): Promise<NothingReady['waiting']> {
  const { first, where, values } = scopeCondition(scope)
  const rows = await sql.all<{ id: TaskId; title: string }>(
    `${first} select id, title from tasks
     where children = 0 and status = 'pending' and (waits > 0 or above > 0) and archived_at is null ${where}
     order by priority, n limit ${NAMED_MAX}`,
    ...values,
  )
  const waiting: NothingReady['waiting'] = []
  for (const { id, title } of rows) {
    const all = await unmetBlockersOf(sql, id)
    const some = all.slice(0, NAMED_MAX)
    waiting.push({ task: id, title, for: some.map(({ task, title: what, status }) => ({ task, title: what, status })) })
  }
  return waiting
}

/** The unfinished blockers of a task, then those of its ancestors. `through`: the task that has the blocker. */
export async function unmetBlockersOf(sql: Sql, task: TaskId): Promise<(UnfinishedBlocker & { through: TaskId })[]> {
  const found: (UnfinishedBlocker & { through: TaskId })[] = []
  const chain = await loadNodesWithAncestors(sql, [task])
  for (let node = chain.get(task); node !== undefined; node = chain.get(node.parent ?? '')) {
    if (node.waits === 0) continue
    const rows = await sql.all<UnfinishedBlocker>(
      `select tasks.id as task, title, status from edges join tasks on tasks.id = edges.blocker
       where edges.blocked = ? and status <> 'done' order by tasks.n`,
      node.id,
    )
    for (const { task: blocker, title, status } of rows) found.push({ task: blocker, title, status, through: node.id })
  }
  return found
}

/** A condition on `tasks` for a scope: the SQL before the statement, the condition, and the values of both in this order. */
export function scopeCondition(
  scope: TaskScope,
  below = DESCENDANTS_SQL,
): { first: string; where: string; values: SqlValue[] } {
  switch (scope.is) {
    case 'all':
      return { first: '', where: '', values: [] }
    case 'feature':
      return { first: '', where: 'and feature = ?', values: [scope.feature] }
    case 'task':
      return {
        first: `with recursive ${below}`,
        where: 'and (id in (select id from below) or id = ?)',
        values: [scope.task, scope.task],
      }
  }
}
