/** The rows of the task graph as they are kept, read into the words of the domain, and written back. */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { DEPTH_MAX } from '../../core/tasks/validate.ts'
import { json, texts } from '../../core/text/json.ts'
import type { Edge, Feature, FeatureId, Task, TaskId, Verification } from '../../core/tasks/task.ts'
import type { FeatureCounts, TaskName, TaskNode } from '../../core/tasks/transition.ts'
import type { Sql, SqlValue } from '../db/sql.ts'

const NODE_COLUMNS = `id, n, parent, feature, title, status, priority, not_before, children, children_done, children_failed,
  children_going, waits, above, scheduled, attempt, retries, verification, why, claimed_by, archived_at`

export const TASK_COLUMNS = `${NODE_COLUMNS}, description, max_retries, checks, tests, criteria, created_at, updated_at`

interface StoredNode {
  id: string
  n: number
  parent: string | null
  feature: string | null
  title: string
  status: Task['status']
  priority: number
  not_before: number | null
  children: number
  children_done: number
  children_failed: number
  children_going: number
  waits: number
  above: number
  scheduled: number
  attempt: number
  retries: number
  verification: Verification | null
  why: string | null
  claimed_by: string | null
  archived_at: number | null
}

export interface StoredTask extends StoredNode {
  description: string
  max_retries: number | null
  checks: string
  tests: string
  criteria: string
  created_at: number
  updated_at: number
}

/** Assigned, not spread: a spread of so many keys costs fifteen times as much, and a list reads a hundred thousand rows. */
export function readTask(row: StoredTask): Task {
  return Object.assign(readNode(row), {
    description: row.description,
    maxRetries: row.max_retries,
    checks: parseTextList(row.checks),
    tests: parseTextList(row.tests),
    criteria: parseTextList(row.criteria),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  })
}

function readNode(row: StoredNode): TaskNode {
  return {
    id: row.id,
    n: row.n,
    parent: row.parent,
    feature: row.feature,
    title: row.title,
    status: row.status,
    priority: row.priority,
    notBefore: row.not_before,
    children: row.children,
    childrenDone: row.children_done,
    childrenFailed: row.children_failed,
    childrenGoing: row.children_going,
    waits: row.waits,
    above: row.above,
    scheduled: row.scheduled === 1,
    attempt: row.attempt,
    retries: row.retries,
    verification: row.verification,
    why: row.why,
    claimedBy: row.claimed_by,
    archivedAt: row.archived_at,
  }
}

/** Most tasks have none. */
export function parseTextList(stored: string): string[] {
  return stored === '[]' ? [] : (texts(json(stored)) ?? [])
}

/** A task and its ancestors, itself first. Empty: there is none. */
export async function taskWithAncestors(tx: Sql, task: TaskId): Promise<TaskNode[]> {
  const chain: TaskNode[] = []
  for (let id: TaskId | null = task; id !== null; id = chain.at(-1)?.parent ?? null) {
    const row: StoredNode | null = await tx.get<StoredNode>(
      `select ${NODE_COLUMNS} from tasks where id = ?`,
      id,
    )
    if (row === null) break
    if (chain.length > DEPTH_MAX) throw new RalphError('store-damaged', `task ${task} lies below itself`)
    chain.push(readNode(row))
  }
  return chain
}

/** Of these, the ones that are there. */
export async function loadTaskNodes(tx: Sql, ids: Iterable<TaskId>): Promise<Map<TaskId, TaskNode>> {
  const found = new Map<TaskId, TaskNode>()
  for (const some of chunkPlaceholders([...new Set(ids)])) {
    const rows = await tx.all<StoredNode>(
      `select ${NODE_COLUMNS} from tasks where id in (${some.marks})`,
      ...some.values,
    )
    for (const row of rows) found.set(row.id, readNode(row))
  }
  return found
}

/** With all their ancestors. */
export async function loadNodesWithAncestors(tx: Sql, ids: Iterable<TaskId>): Promise<Map<TaskId, TaskNode>> {
  const found = new Map<TaskId, TaskNode>()
  let wanted = [...ids]
  while (wanted.length > 0) {
    for (const [id, node] of await loadTaskNodes(tx, wanted)) found.set(id, node)
    const parents = wanted.map((id) => found.get(id)?.parent ?? null)
    wanted = [...new Set(parents)].filter((id) => id !== null && !found.has(id)) as TaskId[]
  }
  return found
}

/** Edges that begin (or end) at one of these. */
export async function loadEdges(
  tx: Sql,
  side: 'blocker' | 'blocked',
  ids: Iterable<TaskId>,
): Promise<Edge[]> {
  const found: Edge[] = []
  for (const some of chunkPlaceholders([...new Set(ids)])) {
    const rows = await tx.all<Edge>(
      `select blocker, blocked from edges where ${side} in (${some.marks})`,
      ...some.values,
    )
    for (const { blocker, blocked } of rows) found.push({ blocker, blocked })
  }
  return found
}

/** A failed child of each parent, besides those on the way of the change. */
export async function failedSiblings(tx: Sql, chain: TaskNode[]): Promise<Record<TaskId, TaskName>> {
  const found: Record<TaskId, TaskName> = {}
  for (const node of chain) {
    const parent = chain.find(({ id }) => id === node.parent)
    if (parent === undefined || parent.childrenFailed === 0) continue
    const other = await tx.get<TaskName>(
      `select id, title from tasks where parent = ? and status = 'failed' and archived_at is null and id <> ? order by n limit 1`,
      parent.id,
      node.id,
    )
    if (other !== null) found[parent.id] = { id: other.id, title: other.title }
  }
  return found
}

/**
 * Writes what a change may have touched of a task. Where it lies is written only if that has changed: SQLite enters a row anew in every
 * index that has a column which is set, be it to what it was.
 */
export async function saveTaskNode(
  tx: Sql,
  { was, node }: { was: TaskNode | undefined; node: TaskNode },
  at: Instant,
): Promise<void> {
  await tx.run(
    `update tasks set status = ?, children = ?, children_done = ?, children_failed = ?, children_going = ?, waits = ?, scheduled = ?,
       attempt = ?, retries = ?, verification = ?, why = ?, claimed_by = ?, updated_at = ? where id = ?`,
    node.status,
    node.children,
    node.childrenDone,
    node.childrenFailed,
    node.childrenGoing,
    node.waits,
    Number(node.scheduled),
    node.attempt,
    node.retries,
    node.verification,
    node.why,
    node.claimedBy,
    at,
    node.id,
  )
  if (was !== undefined && liesAlike(was, node)) return
  await tx.run(
    'update tasks set parent = ?, feature = ?, priority = ?, not_before = ? where id = ?',
    node.parent,
    node.feature,
    node.priority,
    node.notBefore,
    node.id,
  )
}

function liesAlike(a: TaskNode, b: TaskNode): boolean {
  return (
    a.parent === b.parent &&
    a.feature === b.feature &&
    a.priority === b.priority &&
    a.notBefore === b.notBefore
  )
}

export const FEATURE_COLUMNS =
  'id, n, name, stage, spec, plan, accepted, tasks, done, failed, going, created_at, updated_at'

export interface StoredFeature extends Omit<Feature, 'createdAt' | 'updatedAt'> {
  created_at: number
  updated_at: number
}

export function readFeature(row: StoredFeature): Feature {
  const { created_at, updated_at, ...same } = row
  return { ...same, createdAt: created_at, updatedAt: updated_at }
}

export async function featuresOf(tx: Sql, ids: Iterable<FeatureId | null>): Promise<Feature[]> {
  const found: Feature[] = []
  for (const id of new Set(ids)) {
    if (id === null) continue
    const row = await tx.get<StoredFeature>(`select ${FEATURE_COLUMNS} from features where id = ?`, id)
    if (row !== null) found.push(readFeature(row))
  }
  return found
}

export async function addToFeature(tx: Sql, { feature, parts }: FeatureCounts, at: Instant): Promise<void> {
  await tx.run(
    `update features set tasks = tasks + ?, done = done + ?, failed = failed + ?, going = going + ?, updated_at = ? where id = ?`,
    parts.all,
    parts.done,
    parts.failed,
    parts.going,
    at,
    feature,
  )
}

/** As many values as one statement takes; always of two sizes, so that statements are prepared once. */
const CHUNK = 200

export function chunkPlaceholders(values: string[]): { marks: string; values: SqlValue[] }[] {
  if (values.length === 0) return []
  if (values.length === 1) return [{ marks: '?', values }]
  const chunks: { marks: string; values: SqlValue[] }[] = []
  for (let i = 0; i < values.length; i += CHUNK) {
    const some: SqlValue[] = values.slice(i, i + CHUNK)
    // No id is null: what fills up finds nothing.
    while (some.length < CHUNK) some.push(null)
    chunks.push({ marks: MARKS, values: some })
  }
  return chunks
}

const MARKS = Array.from({ length: CHUNK }, () => '?').join(', ')
