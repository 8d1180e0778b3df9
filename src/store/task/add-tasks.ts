/** Adds tasks, one or a hundred thousand, all or none: one cycle check, one calculation and few statements for all. */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { DEPTH_MAX, taskProblem } from '../../core/tasks/validate-task.ts'
import { waitGraph } from '../../core/tasks/cycle.ts'
import { ID_LENGTH } from '../../core/tasks/task-id.ts'
import {
  planInsert,
  batchTotalsOf,
  type NewTaskWithId,
  type InsertPlan,
  type BatchTotals,
} from '../../core/tasks/plan-insert.ts'
import type { DerivedChange, Feature, NewTask, TaskId } from '../../core/tasks/task.ts'
import { featureStatusChanges, type TaskNode } from '../../core/tasks/transition.ts'
import { randomId } from '../../system/clock.ts'
import type { Sql, SqlValue } from '../db/sql.ts'
import { applyEventToTask } from './apply-event.ts'
import { findOrAddFeature } from './features.ts'
import { addFeatureCounts, loadFeatures, loadNodesWithAncestors, TASK_COLUMN_NAMES, taskValues } from './task-rows.ts'
import { refuseCycle, loadWaitGraph } from './wait-graph.ts'

export interface AddResult {
  /** In the order of the list. */
  ids: TaskId[]
  /** Features that did not exist before. */
  features: Feature[]
  changes: DerivedChange[]
}

/** Parents and blockers may be anywhere in the list, or in the store. */
export async function addTasks(sql: Sql, tasks: NewTask[], at: Instant): Promise<AddResult> {
  return sql.transaction(async (tx) => {
    for (const task of tasks) refuse(task, taskProblem(task))
    const drafts = await withIds(tx, tasks)
    const named = namedElsewhere(drafts)
    const before = await loadNodesWithAncestors(tx, [...named.keys()])
    for (const [id, draft] of named) mayName(id, draft, before.get(id))
    const parents = parentsElsewhere(drafts, before)
    for (const [parent, draft] of parents) mayHaveChildren(parent, draft)
    await refuseCycles(tx, drafts, [...parents.keys()])
    const batchTotals = batchTotalsOf(drafts)
    refuseDepth(batchTotals, before)
    const changes: DerivedChange[] = []
    for (const { id } of parents.keys()) changes.push(...(await haveChildren(tx, id, batchTotals, at)))
    const features = await featuresFor(tx, drafts, at)
    const known = parents.size === 0 ? before : await loadNodesWithAncestors(tx, [...named.keys()])
    const laid = planInsert(drafts, batchTotals, {
      known,
      featureOf: (said) => features.get(said)?.feature.id ?? said,
      firstN: await nextNumber(tx),
      at,
    })
    changes.push(...(await write(tx, laid, at)))
    return {
      ids: drafts.map(({ id }) => id),
      features: [...features.values()].filter(({ made }) => made).map(({ feature }) => feature),
      changes,
    }
  })
}

function refuse(task: NewTask, problem: string | null): void {
  if (problem === null) return
  const { line } = task
  if (line === undefined) throw new RalphError('usage', problem)
  throw new RalphError('usage', `line ${line}: ${problem}`, {
    hint: 'Nothing was added. Fix the line and try again.',
    more: { lines: [], facts: { line } },
  })
}

async function withIds(tx: Sql, tasks: NewTask[]): Promise<NewTaskWithId[]> {
  const given = new Map<TaskId, NewTask>()
  for (const task of tasks) {
    if (task.id === null) continue
    const twin = given.get(task.id)
    const where = twin?.line === undefined ? '' : `; the first is on line ${twin.line}`
    if (twin !== undefined) refuse(task, `there are two tasks with the id ${task.id}${where}`)
    given.set(task.id, task)
  }
  const taken = await loadNodesWithAncestors(tx, given.keys())
  for (const [id, task] of given) mayBeCalled(id, task, taken.get(id))
  const drawn = await generateTaskIds(tx, tasks.length - given.size, (id) => given.has(id))
  return tasks.map((task) => ({ ...task, id: task.id ?? drawn.pop() ?? '' }))
}

function mayBeCalled(id: TaskId, task: NewTask, found: TaskNode | undefined): void {
  if (found === undefined) return
  const was = found.archivedAt === null ? '' : '; it was deleted, but its ID stays reserved'
  refuse(task, `task ${id} already exists${was}`)
}

/** Generates new ids until none is taken. */
export async function generateTaskIds(
  tx: Sql,
  count: number,
  isGiven: (id: TaskId) => boolean = () => false,
): Promise<TaskId[]> {
  const drawn = new Set<TaskId>()
  while (drawn.size < count) {
    const some = new Set<TaskId>()
    while (some.size < count - drawn.size) {
      const id = `t-${randomId(ID_LENGTH)}`
      if (!isGiven(id) && !drawn.has(id)) some.add(id)
    }
    const taken = await loadNodesWithAncestors(tx, some)
    for (const id of some) if (!taken.has(id)) drawn.add(id)
  }
  return [...drawn]
}

/** Stored tasks that the new tasks refer to, each with the first new task that does. */
function namedElsewhere(drafts: NewTaskWithId[]): Map<TaskId, NewTaskWithId> {
  const own = new Set(drafts.map(({ id }) => id))
  const named = new Map<TaskId, NewTaskWithId>()
  for (const draft of drafts)
    for (const id of draft.parent === null ? draft.blockers : [draft.parent, ...draft.blockers])
      if (!own.has(id) && !named.has(id)) named.set(id, draft)
  return named
}

function mayName(id: TaskId, draft: NewTaskWithId, found: TaskNode | undefined): void {
  const what = draft.parent === id ? 'parent' : 'blocker'
  if (found === undefined) refuse(draft, `there is no task ${id} (given as its ${what})`)
  else if (found.archivedAt !== null) refuse(draft, `task ${id}, which is named as its ${what}, was deleted`)
}

function parentsElsewhere(drafts: NewTaskWithId[], known: Map<TaskId, TaskNode>): Map<TaskNode, NewTaskWithId> {
  const parents = new Map<TaskNode, NewTaskWithId>()
  for (const draft of drafts) {
    const parent = draft.parent === null ? undefined : known.get(draft.parent)
    if (parent !== undefined && !parents.has(parent)) parents.set(parent, draft)
  }
  return parents
}

function mayHaveChildren(parent: TaskNode, draft: NewTaskWithId): void {
  if (parent.claimedBy === null) return
  refuse(draft, `task ${parent.id} is being worked on by ${parent.claimedBy}: it can have children when that is over`)
}

async function refuseCycles(tx: Sql, drafts: NewTaskWithId[], parents: TaskNode[]): Promise<void> {
  // A stored task can wait for a new one only through a stored parent.
  const own = new Set(drafts.map(({ id }) => id))
  const ends = drafts.flatMap(({ blockers }) => blockers.filter((id) => !own.has(id)))
  const begins = parents.map(({ id }) => id)
  const nodes = waitGraph(drafts, parents.length > 0 ? await loadWaitGraph(tx, { ends, begins }) : [])
  refuseCycle([...own].flatMap((id) => nodes.get(id) ?? []))
}

function refuseDepth({ order }: BatchTotals, known: Map<TaskId, TaskNode>): void {
  const depths = new Map<TaskId, number>()
  const depthOf = (id: TaskId): number => {
    const parent = known.get(id)?.parent ?? null
    return depths.get(id) ?? 1 + (parent === null ? 0 : depthOf(parent))
  }
  for (const draft of order) {
    const depth = 1 + (draft.parent === null ? 0 : depthOf(draft.parent))
    if (depth > DEPTH_MAX) refuse(draft, `task ${draft.id} would be ${depth} levels deep; the limit is ${DEPTH_MAX}`)
    depths.set(draft.id, depth)
  }
}

async function haveChildren(tx: Sql, parent: TaskId, batchTotals: BatchTotals, at: Instant): Promise<DerivedChange[]> {
  const parts = batchTotals.children.get(parent)
  if (parts === undefined) return []
  return applyEventToTask(
    tx,
    parent,
    { is: 'children-added', parts, failed: batchTotals.failed.get(parent) ?? null },
    at,
  )
}

async function featuresFor(
  tx: Sql,
  drafts: NewTaskWithId[],
  at: Instant,
): Promise<Map<string, { feature: Feature; made: boolean }>> {
  const features = new Map<string, { feature: Feature; made: boolean }>()
  for (const draft of drafts) {
    const { feature, line } = draft
    if (feature === null || features.has(feature)) continue
    const found = await findOrAddFeature(tx, feature, at).catch((error: unknown) => {
      if (line !== undefined && error instanceof RalphError && error.code === 'not-found') refuse(draft, error.message)
      throw error
    })
    features.set(feature, found)
  }
  return features
}

async function nextNumber(tx: Sql): Promise<number> {
  const last = await tx.get<{ n: number }>('select coalesce(max(n), 0) as n from tasks')
  return (last?.n ?? 0) + 1
}

async function write(tx: Sql, { tasks, edges, ready, features }: InsertPlan, at: Instant): Promise<DerivedChange[]> {
  const before = await loadFeatures(
    tx,
    features.map(({ feature }) => feature),
  )
  await insertAll(tx, { table: 'tasks', columns: TASK_COLUMN_NAMES }, tasks.map(taskValues))
  const edgeRows = edges.map(({ blocker, blocked }) => [blocker, blocked])
  await insertAll(tx, { table: 'edges', columns: ['blocker', 'blocked'] }, edgeRows)
  const readyRows = ready.map(({ scope, priority, n, task }) => [scope, priority, n, task])
  await insertAll(tx, { table: 'ready', columns: ['scope', 'priority', 'n', 'task'] }, readyRows)
  for (const feature of features) await addFeatureCounts(tx, feature, at)
  return featureStatusChanges(before, features)
}

/** Values in one statement: more are not faster, and every database accepts this many. */
const VALUES_MAX = 600

async function insertAll(
  tx: Sql,
  { table, columns }: { table: string; columns: string[] },
  rows: SqlValue[][],
): Promise<void> {
  const into = `insert into ${table} (${columns.join(', ')}) values `
  const each = `(${columns.map(() => '?').join(', ')})`
  const rowsMax = Math.floor(VALUES_MAX / columns.length)
  for (let i = 0; i < rows.length; i += rowsMax) {
    const some = rows.slice(i, i + rowsMax)
    await tx.run(into + some.map(() => each).join(', '), ...some.flat())
  }
}
