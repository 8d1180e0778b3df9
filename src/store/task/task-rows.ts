/** Reads and writes the rows of the task graph. */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { DEPTH_MAX } from '../../core/tasks/validate-task.ts'
import { jsonOrNull, asTexts } from '../../core/text/json.ts'
import type { BlockerEdge, Feature, FeatureId, Task, TaskId } from '../../core/tasks/task.ts'
import type { FeatureCounts, TaskRef, TaskNode } from '../../core/tasks/transition.ts'
import type { Sql, SqlValue } from '../db/sql.ts'

/** Columns that a change of the graph reads, and those that only readers of the whole task need. */
const NODE_KEYS =
  `id n parent feature title status priority notBefore children childrenDone childrenFailed childrenGoing waits above
  scheduled attempt retries verification why claimedBy archivedAt`.split(/\s+/) as (keyof TaskNode)[]
const TASK_KEYS: (keyof Task)[] = [
  ...NODE_KEYS,
  ...(['description', 'maxRetries', 'checks', 'tests', 'criteria', 'createdAt', 'updatedAt'] as const),
]

const NODE_COLUMNS = NODE_KEYS.map(selected).join(', ')
export const TASK_SELECT_LIST = TASK_KEYS.map(selected).join(', ')

/** Selects a column under its camel-case name: `not_before as "notBefore"`. */
function selected(key: string): string {
  return columnOf(key) === key ? key : `${columnOf(key)} as "${key}"`
}

function columnOf(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A row as selected: lists are texts, and booleans are numbers. */
type Stored<T> = {
  [Key in keyof T]: T[Key] extends boolean ? number : T[Key] extends string[] ? string : T[Key]
}
type StoredNode = Stored<TaskNode>
export type StoredTask = Stored<Task>

/** `Object.assign`, because spreading so many keys costs fifteen times as much, and a list may have a hundred thousand rows. */
export function parseTaskRow(row: StoredTask): Task {
  const { checks, tests, criteria } = row
  return Object.assign(readNode(row), {
    checks: parseTextList(checks),
    tests: parseTextList(tests),
    criteria: parseTextList(criteria),
  })
}

function readNode<Row extends StoredNode>(row: Row): Omit<Row, 'scheduled'> & { scheduled: boolean } {
  return Object.assign(row, { scheduled: row.scheduled === 1 })
}

/** The columns of a task for an insert; `taskValues` has the same order. */
export const TASK_COLUMN_NAMES = TASK_KEYS.map(columnOf)

export function taskValues(task: Task): SqlValue[] {
  return TASK_KEYS.map((key) => storedValue(task[key]))
}

function storedValue(value: Task[keyof Task]): SqlValue {
  if (Array.isArray(value)) return JSON.stringify(value)
  return typeof value === 'boolean' ? Number(value) : value
}

/** Most lists are empty: `[]` is not parsed. */
export function parseTextList(stored: string): string[] {
  return stored === '[]' ? [] : (asTexts(jsonOrNull(stored)) ?? [])
}

/** A task and its ancestors, itself first. Empty: the task does not exist. */
export async function taskWithAncestors(tx: Sql, task: TaskId): Promise<TaskNode[]> {
  const chain: TaskNode[] = []
  for (let id: TaskId | null = task; id !== null; id = chain.at(-1)?.parent ?? null) {
    const row: StoredNode | null = await tx.get<StoredNode>(`select ${NODE_COLUMNS} from tasks where id = ?`, id)
    if (row === null) break
    if (chain.length > DEPTH_MAX) throw new RalphError('store-damaged', `task ${task} lies below itself`)
    chain.push(readNode(row))
  }
  return chain
}

/** Those of the tasks that exist. */
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
export async function loadEdges(tx: Sql, side: 'blocker' | 'blocked', ids: Iterable<TaskId>): Promise<BlockerEdge[]> {
  const found: BlockerEdge[] = []
  for (const some of chunkPlaceholders([...new Set(ids)])) {
    const rows = await tx.all<BlockerEdge>(
      `select blocker, blocked from edges where ${side} in (${some.marks})`,
      ...some.values,
    )
    for (const { blocker, blocked } of rows) found.push({ blocker, blocked })
  }
  return found
}

/** For each parent in the chain, a failed child that is not in the chain itself. */
export async function failedSiblings(tx: Sql, chain: TaskNode[]): Promise<Record<TaskId, TaskRef>> {
  const found: Record<TaskId, TaskRef> = {}
  for (const node of chain) {
    const parent = chain.find(({ id }) => id === node.parent)
    if (parent === undefined || parent.childrenFailed === 0) continue
    const other = await tx.get<TaskRef>(
      `select id, title from tasks where parent = ? and status = 'failed' and archived_at is null and id <> ? order by n limit 1`,
      parent.id,
      node.id,
    )
    if (other !== null) found[parent.id] = { id: other.id, title: other.title }
  }
  return found
}

/**
 * Writes the columns that a change may have touched. Parent, feature, priority and start are written only if they changed: SQLite
 * updates every index on a column that is set, even to the same value.
 */
export async function saveTaskNode(
  tx: Sql,
  { was, node }: { was: TaskNode | undefined; node: TaskNode },
  at: Instant,
): Promise<void> {
  await tx.run(UPDATE_STATE, ...STATE_KEYS.map((key) => storedValue(node[key])), at, node.id)
  if (was !== undefined && PLACE_KEYS.every((key) => was[key] === node[key])) return
  await tx.run(UPDATE_PLACE, ...PLACE_KEYS.map((key) => storedValue(node[key])), node.id)
}

const STATE_KEYS =
  `status children childrenDone childrenFailed childrenGoing waits scheduled attempt retries verification why
  claimedBy`.split(/\s+/) as (keyof TaskNode)[]
const PLACE_KEYS: (keyof TaskNode)[] = ['parent', 'feature', 'priority', 'notBefore']
const UPDATE_STATE = `update tasks set ${STATE_KEYS.map(columnOf).join(' = ?, ')} = ?, updated_at = ? where id = ?`
const UPDATE_PLACE = `update tasks set ${PLACE_KEYS.map(columnOf).join(' = ?, ')} = ? where id = ?`

export const FEATURE_SELECT_LIST = `id, n, name, stage, spec, plan, accepted, tasks, done, failed, going, created_at as "createdAt",
  updated_at as "updatedAt"`

export async function loadFeatures(tx: Sql, ids: Iterable<FeatureId | null>): Promise<Feature[]> {
  const found: Feature[] = []
  for (const id of new Set(ids)) {
    if (id === null) continue
    const row = await tx.get<Feature>(`select ${FEATURE_SELECT_LIST} from features where id = ?`, id)
    if (row !== null) found.push({ ...row })
  }
  return found
}

export async function addFeatureCounts(tx: Sql, { feature, parts }: FeatureCounts, at: Instant): Promise<void> {
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

/** Values in one statement. There are only two sizes (1 and this), so that statements are prepared once. */
const CHUNK = 200

export function chunkPlaceholders(values: string[]): { marks: string; values: SqlValue[] }[] {
  if (values.length === 0) return []
  if (values.length === 1) return [{ marks: '?', values }]
  const chunks: { marks: string; values: SqlValue[] }[] = []
  for (let i = 0; i < values.length; i += CHUNK) {
    const some: SqlValue[] = values.slice(i, i + CHUNK)
    // Fills up with nulls, which match no id.
    while (some.length < CHUNK) some.push(null)
    chunks.push({ marks: MARKS, values: some })
  }
  return chunks
}

const MARKS = Array.from({ length: CHUNK }, () => '?').join(', ')
