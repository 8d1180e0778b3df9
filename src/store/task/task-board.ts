/** The tasks of a run for a screen that polls: a selection of a large graph, with the blockers and cost of each task. */
import type { RunId } from '../../core/ids.ts'
import { buildBoardTasks, type BoardTaskInput, type TaskBoard } from '../../core/presentation/task-board.ts'
import { scopeKey, type TaskScope, type TaskId } from '../../core/tasks/task.ts'
import { costByTask } from './claims-of-run.ts'
import type { Sql, SqlValue } from '../db/sql.ts'
import { countTasks, scopeCondition } from './task-counts.ts'
import { DESCENDANTS_SQL, isInScope, READY_IN_SCOPE_SQL } from './ready-tasks.ts'
import { chunkPlaceholders } from './task-rows.ts'

/** A graph up to this size is shown whole: more than anybody scrolls through. */
const WHOLE_MAX = 1_000
/** Limits of each kind in a larger graph, plus all ancestors; `ralph task list` shows the others. */
const GOING_AND_FAILED_MAX = 300
const READY_MAX = 100
const BLOCKED_MAX = 200
const FIRST_MAX = 200
const NAMED_MAX = 3

export async function loadTaskBoard(sql: Sql, scope: TaskScope, run: RunId): Promise<TaskBoard> {
  const rows = (await isLarge(sql, scope)) ? await selectRelevantRows(sql, scope) : await firstIn(sql, scope, WHOLE_MAX)
  const paid = await costByTask(sql, run)
  return {
    counts: await countTasks(sql, scope),
    tasks: buildBoardTasks(rows, {
      waits: await waitsOf(
        sql,
        rows.flatMap(({ id, waits }) => (waits > 0 ? [id] : [])),
      ),
      usd: new Map([...paid].flatMap(([task, { spent }]) => (spent.usd > 0 ? [[task, spent.usd] as const] : []))),
    }),
  }
}

async function isLarge(sql: Sql, scope: TaskScope): Promise<boolean> {
  const { where, values } = scopeCondition(scope)
  const statement =
    scope.is === 'task'
      ? `with recursive ${DESCENDANTS_SQL} select id from below limit 1 offset ?`
      : `select n from tasks where archived_at is null ${where} order by priority, n limit 1 offset ?`
  const beyond = await sql.get(statement, ...(scope.is === 'task' ? [scope.task] : values), WHOLE_MAX)
  return beyond !== null
}

type Placed = BoardTaskInput & { priority: number; n: number; feature: string | null }

async function selectBoardRows(
  sql: Sql,
  { first = '', where, values }: { first?: string; where: string; values: SqlValue[] },
): Promise<Placed[]> {
  const rows = await sql.all<Omit<Placed, 'scheduled'> & { scheduled: number }>(
    `${first} select id, parent, feature, title, status, waits, above, scheduled, children, why, priority, n from tasks
     where archived_at is null ${where}`,
    ...values,
  )
  return rows.map((row) => ({ ...row, scheduled: row.scheduled === 1 }))
}

/** The first tasks in order; of a larger subtree those nearest to its root, because sorting all of it takes long. */
async function firstIn(sql: Sql, scope: TaskScope, limit: number): Promise<Placed[]> {
  if (scope.is !== 'task') {
    const { where, values } = scopeCondition(scope)
    return selectBoardRows(sql, { where: `${where} order by priority, n limit ?`, values: [...values, limit] })
  }
  const rows = await selectBoardRows(sql, {
    first: `with recursive ${DESCENDANTS_SQL}`,
    where: 'and (id = ? or id in (select id from below limit ?))',
    // The task itself comes on top of the limit.
    values: [scope.task, scope.task, limit],
  })
  return inOrder(rows)
}

function inOrder(rows: Iterable<Placed>): Placed[] {
  return [...rows].sort((a, b) => a.priority - b.priority || a.n - b.n)
}

/**
 * The most interesting tasks: in progress, failed, ready, and those that wait for them. Each kind is found by an index, so that a larger
 * graph costs no more; only a subtree is walked, once.
 */
async function selectRelevantRows(sql: Sql, scope: TaskScope): Promise<Placed[]> {
  const picked = new Map<TaskId, Placed>()
  const pick = (rows: Placed[]): void => rows.forEach((row) => picked.set(row.id, row))
  pick(await firstIn(sql, scope, FIRST_MAX))
  const { first, where, values } = scopeCondition(scope)
  const ended = `${where} and children = 0 and status in ('in_progress', 'failed')
    order by status desc, priority, n limit ${GOING_AND_FAILED_MAX}`
  pick(await selectBoardRows(sql, { first, where: ended, values }))
  const next = await sql.all<{ task: TaskId }>(READY_IN_SCOPE_SQL, scopeKey(scope), READY_MAX)
  pick(
    await selectBoardRowsById(
      sql,
      next.map(({ task }) => task),
    ),
  )
  await addAncestors(sql, scope, picked)
  const unfinished = [...picked.values()].filter(({ status }) => status !== 'done')
  const waiting = await dependents(
    sql,
    unfinished.toSorted((a, b) => rank(a) - rank(b)),
  )
  for (const row of await selectBoardRowsById(sql, waiting.filter((id) => !picked.has(id)).slice(0, BLOCKED_MAX)))
    if (await isInScope(sql, row, scope)) picked.set(row.id, row)
  await addAncestors(sql, scope, picked)
  return inOrder(picked.values())
}

function rank({ status }: Placed): number {
  return status === 'failed' ? 0 : status === 'in_progress' ? 1 : 2
}

/** Adds the ancestors of `picked` that are in the scope. */
async function addAncestors(sql: Sql, scope: TaskScope, picked: Map<TaskId, Placed>): Promise<void> {
  const top = scope.is === 'task' ? scope.task : null
  for (let level = [...picked.values()]; level.length > 0;) {
    const parents = level.flatMap(({ id, parent }) =>
      parent === null || id === top || picked.has(parent) ? [] : [parent],
    )
    const found = await selectBoardRowsById(sql, [...new Set(parents)])
    level = found.filter(({ feature }) => scope.is !== 'feature' || feature === scope.feature)
    for (const row of level) picked.set(row.id, row)
  }
}

async function selectBoardRowsById(sql: Sql, ids: TaskId[]): Promise<Placed[]> {
  const rows: Placed[] = []
  for (const { marks, values } of chunkPlaceholders(ids))
    rows.push(...(await selectBoardRows(sql, { where: `and id in (${marks})`, values })))
  return rows
}

async function dependents(sql: Sql, blockers: Placed[]): Promise<TaskId[]> {
  const found = new Set<TaskId>()
  for (const { marks, values } of chunkPlaceholders(blockers.map(({ id }) => id))) {
    const rows = await sql.all<{ blocked: TaskId }>(
      `select blocked from edges where blocker in (${marks}) limit ${BLOCKED_MAX}`,
      ...values,
    )
    for (const { blocked } of rows) found.add(blocked)
  }
  return [...found]
}

/** Failed blockers come first. */
async function waitsOf(sql: Sql, tasks: TaskId[]): Promise<Map<TaskId, string[]>> {
  const found = new Map<TaskId, string[]>()
  for (const { marks, values } of chunkPlaceholders(tasks)) {
    const rows = await sql.all<{ blocked: TaskId; blocker: TaskId; status: string }>(
      `select edges.blocked as blocked, tasks.id as blocker, tasks.status as status
       from edges join tasks on tasks.id = edges.blocker
       where edges.blocked in (${marks}) and tasks.status <> 'done'
       order by case tasks.status when 'failed' then 0 else 1 end, tasks.n`,
      ...values,
    )
    for (const { blocked, blocker, status } of rows) {
      const named = found.get(blocked) ?? []
      if (named.length < NAMED_MAX) found.set(blocked, [...named, `${blocker} (${status})`])
    }
  }
  return found
}
