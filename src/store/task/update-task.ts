/** Updates the fields of a task, its parent and its feature. */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import {
  DEPTH_MAX,
  descriptionProblem,
  listProblem,
  numberProblem,
  retriesProblem,
  titleProblem,
} from '../../core/tasks/validate-task.ts'
import { NO_PART_COUNTS, partCountsOf, addPartCounts } from '../../core/tasks/rollup.ts'
import type { DerivedChange, Feature, Task, TaskId, TaskStatus } from '../../core/tasks/task.ts'
import type { Sql } from '../db/sql.ts'
import { applyEventToTask } from './apply-event.ts'
import { findOrAddFeature } from './features.ts'
import { requireTask } from './find-task.ts'
import { DESCENDANTS_SQL, refreshReadySubtree } from './ready-tasks.ts'
import { taskWithAncestors } from './task-rows.ts'
import { refuseCycle, loadWaitGraph } from './wait-graph.ts'

/** Absent fields stay as they are. */
export interface TaskUpdate {
  title?: string
  description?: string
  priority?: number
  maxRetries?: number | null
  notBefore?: Instant | null
  checks?: string[]
  tests?: string[]
  criteria?: string[]
  parent?: TaskId | null
  /** A name or an id; an unknown name creates a feature. Descendants with the same feature move along. */
  feature?: string | null
}

export async function updateTask(
  sql: Sql,
  id: TaskId,
  said: TaskUpdate,
  at: Instant,
): Promise<{ changes: DerivedChange[]; features: Feature[] }> {
  return sql.transaction(async (tx) => {
    const task = await requireTask(tx, id)
    const problem = updateProblem(said)
    if (problem !== null) throw new RalphError('usage', problem)
    await writeTexts(tx, { ...task, ...said }, at)
    const changes: DerivedChange[] = []
    const { priority, notBefore, parent } = said
    if (priority !== undefined && priority !== task.priority)
      changes.push(...(await applyEventToTask(tx, id, { is: 'reordered', priority }, at)))
    if (notBefore !== undefined) {
      const scheduled = notBefore !== null && notBefore > at
      changes.push(...(await applyEventToTask(tx, id, { is: 'timed', notBefore, scheduled }, at)))
    }
    if (parent !== undefined && parent !== task.parent) changes.push(...(await move(tx, task, parent, at)))
    if (said.feature === undefined) return { changes, features: [] }
    const featured = await setFeature(tx, task, said.feature, at)
    return { changes: [...changes, ...featured.changes], features: featured.features }
  })
}

function updateProblem(said: TaskUpdate): string | null {
  const { title, description, priority, maxRetries = null, checks = [], tests = [], criteria = [] } = said
  return (
    (title === undefined ? null : titleProblem(title)) ??
    (description === undefined ? null : descriptionProblem(description)) ??
    (priority === undefined ? null : numberProblem('priority', priority)) ??
    (maxRetries === null ? null : retriesProblem(maxRetries)) ??
    listProblem('checks', checks) ??
    listProblem('tests', tests) ??
    listProblem('criteria', criteria)
  )
}

type Texts = Pick<Task, 'id' | 'title' | 'description' | 'maxRetries' | 'checks' | 'tests' | 'criteria'>

async function writeTexts(tx: Sql, task: Texts, at: Instant): Promise<void> {
  await tx.run(
    'update tasks set title = ?, description = ?, max_retries = ?, checks = ?, tests = ?, criteria = ?, updated_at = ? where id = ?',
    task.title,
    task.description,
    task.maxRetries,
    JSON.stringify(task.checks),
    JSON.stringify(task.tests),
    JSON.stringify(task.criteria),
    at,
    task.id,
  )
}

async function move(tx: Sql, task: Task, to: TaskId | null, at: Instant): Promise<DerivedChange[]> {
  if (to !== null) {
    const parent = await requireTask(tx, to)
    if (parent.claimedBy !== null)
      throw new RalphError(
        'usage',
        `task ${to} is being worked on by ${parent.claimedBy}: it can have children when that is over`,
      )
    await refuseMove(tx, task, to)
  }
  return applyEventToTask(tx, task.id, { is: 'moved', parent: to }, at)
}

async function refuseMove(tx: Sql, task: Task, to: TaskId): Promise<void> {
  const waits = await loadWaitGraph(tx, { ends: [task.id], begins: [to] })
  const [node, parent] = [waits.get(task.id), waits.get(to)]
  if (node === undefined || parent === undefined) return
  const before = node.parent
  if (before !== null) before.children = before.children.filter((child) => child !== node)
  node.parent = parent
  parent.children.push(node)
  refuseCycle([node])
  const depth = (await taskWithAncestors(tx, to)).length + (await heightOf(tx, task.id))
  if (depth > DEPTH_MAX)
    throw new RalphError(
      'usage',
      `below ${to} the tree would be ${depth} levels deep; at most ${DEPTH_MAX} are allowed`,
    )
}

/** Number of levels of a subtree, including its root. */
async function heightOf(tx: Sql, task: TaskId): Promise<number> {
  const row = await tx.get<{ levels: number }>(
    `with recursive levels (id, level) as (
       select cast(? as text), 1
       union all select tasks.id, level + 1 from tasks join levels on tasks.parent = levels.id where tasks.archived_at is null)
     select max(level) as levels from levels`,
    task,
  )
  return row?.levels ?? 1
}

async function setFeature(
  tx: Sql,
  task: Task,
  said: string | null,
  at: Instant,
): Promise<{ changes: DerivedChange[]; features: Feature[] }> {
  const found = said === null ? null : await findOrAddFeature(tx, said, at)
  const to = found?.feature.id ?? null
  const features = found?.made === true ? [found.feature] : []
  if (to === task.feature) return { changes: [], features }
  const rows = await tx.all<{ id: TaskId; status: TaskStatus; children: number }>(
    `with recursive ${DESCENDANTS_SQL} select id, status, children from tasks
     where (id = ? or id in (select id from below)) and coalesce(feature, '') = coalesce(?, '')`,
    task.id,
    task.id,
    task.feature,
  )
  const leaves = rows
    .filter(({ children }) => children === 0)
    .reduce((sum, { status }) => addPartCounts(sum, partCountsOf(status)), NO_PART_COUNTS)
  for (const { id } of rows) await tx.run('update tasks set feature = ? where id = ? and id <> ?', to, id, task.id)
  const changes = await applyEventToTask(tx, task.id, { is: 'featured', feature: to, leaves }, at)
  await refreshReadySubtree(tx, task.id)
  return { changes, features }
}
