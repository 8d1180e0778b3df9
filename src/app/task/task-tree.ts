/** Tasks as a tree, with what each waits for and why, and the counts by status. The cost depends on how much is shown. */
import type { TaskScope, Task, TaskCounts, TaskId, TaskStatus } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { countTasks, unmetBlockersOf } from '../../store/task/task-counts.ts'
import { findTask } from '../../store/task/find-task.ts'
import { childrenOf, ALL_TASKS_QUERY, listTasks, taskTree, type TreeTask } from '../../store/task/list-tasks.ts'
import { loadTaskNodes } from '../../store/task/task-rows.ts'
import { resolveScope } from './scope.ts'
import { taskFactsOf, type TaskFacts } from './task-facts.ts'
import { useStoreIfAny, type StoreLocation } from './task-store.ts'

export interface TreeTaskFacts extends TaskFacts {
  /** 0 at the root of this tree. */
  depth: number
  /** Blockers that are not done: its own, then those of the tasks above it. */
  waits_for: UnmetBlockerFacts[]
}

export interface UnmetBlockerFacts {
  id: TaskId
  title: string
  status: TaskStatus
  /** The task that has this blocker: the task itself, or one above it. */
  through: TaskId
}

export interface TaskTree {
  /** The root of the tree as it was typed; null: everything. */
  target: string | null
  /** In depth-first order. */
  tasks: TreeTaskFacts[]
  /** The last child of each parent, shown or not. */
  lasts: ReadonlySet<TaskId>
  /** There are more tasks than the limit. */
  more: boolean
  counts: TaskCounts
  /** The first ready tasks. */
  next: TaskFacts[]
}

const NO_COUNTS: TaskCounts = { all: 0, done: 0, failed: 0, going: 0, ready: 0, blocked: 0, scheduled: 0 }

/** How many ready tasks are listed. */
const NEXT_MAX = 5

export async function loadTaskTree(
  location: StoreLocation,
  { target, limit }: { target: string | null; limit: number | null },
): Promise<TaskTree> {
  const at = systemClock().at()
  const tree = await useStoreIfAny(location, async (sql) => {
    const scope: TaskScope = target === null ? { is: 'all' } : await resolveScope(sql, target)
    const found = limit === null ? await taskTree(sql, scope) : await firstOf(sql, scope, limit + 1)
    const shown = limit === null ? found : found.slice(0, limit)
    const next = await listTasks(sql, { ...ALL_TASKS_QUERY, scope, ready: true, limit: NEXT_MAX, at })
    return {
      target,
      tasks: await withWaits(sql, shown, at),
      lasts: new Set(shown.filter(({ last }) => last).map(({ task }) => task.id)),
      more: shown.length < found.length,
      counts: await countTasks(sql, scope),
      next: await taskFactsOf(sql, next, at),
    }
  })
  return tree ?? { target, tasks: [], lasts: new Set(), more: false, counts: NO_COUNTS, next: [] }
}

/** Like `taskTree`, but reads no further than the limit. */
async function firstOf(sql: Sql, scope: TaskScope, limit: number): Promise<TreeTask[]> {
  if (scope.is === 'feature') return taskTree(sql, scope)
  const tree: TreeTask[] = []
  const walk = async (tasks: Task[], depth: number): Promise<void> => {
    for (const task of tasks) {
      if (tree.length >= limit) return
      tree.push({ task, depth, last: task === tasks.at(-1) })
      if (task.children > 0) await walk(await childrenOf(sql, task.id), depth + 1)
    }
  }
  await walk(await topOf(sql, scope, limit), 0)
  return tree
}

async function topOf(sql: Sql, scope: TaskScope, limit: number): Promise<Task[]> {
  if (scope.is !== 'task') return listTasks(sql, { ...ALL_TASKS_QUERY, parent: null, limit, at: 0 })
  const task = await findTask(sql, scope.task)
  return task === null ? [] : [task]
}

async function withWaits(sql: Sql, tree: TreeTask[], at: number): Promise<TreeTaskFacts[]> {
  const all = await taskFactsOf(
    sql,
    tree.map(({ task }) => task),
    at,
  )
  const blockers = await blockersOf(sql, tree, all)
  const keeping = new Map<TaskId, UnmetBlockerFacts[]>()
  const shown: TreeTaskFacts[] = []
  for (const [index, task] of all.entries()) {
    const above = keeping.get(task.parent_id ?? '')
    // The tasks above the root of the tree are not part of it, so their blockers are looked up.
    const waits =
      above === undefined && task.waits_above > 0
        ? await unmetBlockerFacts(sql, task.id)
        : [...ownWaits(task, blockers), ...(above ?? [])]
    keeping.set(task.id, waits)
    const depth = tree[index]?.depth ?? 0
    shown.push(Object.assign(task, { depth, waits_for: task.status === 'blocked' ? waits : [] }))
  }
  return shown
}

type Blocker = Pick<Task, 'id' | 'title' | 'status'>

/** The blockers of these tasks; most are in the tree itself. */
async function blockersOf(sql: Sql, tree: TreeTask[], all: TaskFacts[]): Promise<Map<TaskId, Blocker>> {
  const blockers = new Map<TaskId, Blocker>(tree.map(({ task }) => [task.id, task]))
  const waitedFor = all.flatMap((task) => (task.waits > 0 ? task.blockers : []))
  const elsewhere = waitedFor.filter((id) => !blockers.has(id))
  for (const [id, node] of await loadTaskNodes(sql, elsewhere)) blockers.set(id, node)
  return blockers
}

function ownWaits(task: TaskFacts, blockers: Map<TaskId, Blocker>): UnmetBlockerFacts[] {
  if (task.waits === 0) return []
  return task.blockers.flatMap((blocker) => {
    const { id, title, status } = blockers.get(blocker) ?? { id: blocker, title: '', status: 'done' as const }
    return status === 'done' ? [] : [{ id, title, status, through: task.id }]
  })
}

export async function unmetBlockerFacts(sql: Sql, task: TaskId): Promise<UnmetBlockerFacts[]> {
  const found = await unmetBlockersOf(sql, task)
  return found.map(({ task: id, title, status, through }) => ({ id, title, status, through }))
}
