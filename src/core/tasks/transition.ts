/**
 * What follows from a change of one task, over the few rows it touches: the task, its ancestors, the tasks that wait for one of them, and
 * their features. The store calls it inside its transaction and writes the result; a change of a whole subtree is returned as one entry.
 * Readiness is not computed here: `look` and `above` name every task whose readiness may have changed.
 */
import { assertNever } from '../assert-never.ts'
import {
  childCountsOf,
  featureStatus,
  NO_PART_COUNTS,
  partCountsOf,
  addPartCounts,
  rollUpStatus,
  type PartCounts,
} from './rollup.ts'
import type {
  DerivedChange,
  BlockerEdge,
  Feature,
  FeatureId,
  Task,
  TaskId,
  TaskStatus,
  TaskReviewResult,
} from './task.ts'

/** The fields of a task that a change can touch or depends on. */
export type TaskNode = Omit<
  Task,
  'description' | 'maxRetries' | 'checks' | 'tests' | 'criteria' | 'createdAt' | 'updatedAt'
>

/** A task's name, for sentences. */
export type TaskRef = Pick<Task, 'id' | 'title'>

export interface TaskRows {
  /** The task, all its ancestors (and those of a new parent), and the tasks that wait for one of these. */
  nodes: TaskNode[]
  /** From tasks that may start or stop being done to the tasks that wait for them. */
  edges: BlockerEdge[]
  features: Feature[]
  /** By parent: a failed child other than the changed one. */
  failed: Record<TaskId, TaskRef>
}

export interface FeatureCounts {
  feature: FeatureId | null
  parts: PartCounts
}

export type TaskEvent =
  | { is: 'claimed'; by: string }
  | { is: 'released' | 'lost'; retries: number | null }
  | { is: 'done' | 'failed'; why: string | null; retries: number | null; verification: TaskReviewResult | null }
  | { is: 'reset' }
  | { is: 'timed'; notBefore: number | null; scheduled: boolean }
  | { is: 'reordered'; priority: number }
  /** Tasks were added below it. */
  | { is: 'children-added'; parts: PartCounts; failed: TaskRef | null }
  | { is: 'edge-added' | 'edge-removed'; blockerIsDone: boolean }
  /** It leaves the graph with its subtree; `leaves` counts the subtree's leaves. */
  | { is: 'left'; leaves: FeatureCounts[] }
  | { is: 'moved'; parent: TaskId | null }
  /** Its descendants with the same feature move along; `leaves` counts their leaves and its own. */
  | { is: 'featured'; feature: FeatureId | null; leaves: PartCounts }

export interface TaskChanges {
  /** The changed rows. */
  nodes: TaskNode[]
  /** What to add to the counters of features. */
  features: FeatureCounts[]
  /** Changes of `above` for all tasks below a root (`itself`: and the root). The store recomputes what is ready there. */
  above: { root: TaskId; by: number; itself: boolean }[]
  /** Tasks whose own readiness may have changed. */
  look: TaskId[]
  told: DerivedChange[]
}

export function applyTaskEvent(rows: TaskRows, task: TaskId, event: TaskEvent): TaskChanges {
  const graph = createWorkingCopy(rows)
  applyEvent(graph, graph.at(task), event)
  for (const { id } of rows.nodes) {
    const turn = Number(isDone(graph.at(id))) - Number(isDone(graph.before(id)))
    if (turn === 0) continue
    for (const { blocked } of rows.edges.filter(({ blocker }) => blocker === id)) graph.at(blocked).waits -= turn
  }
  return changesOf(graph, task, event)
}

/** Tasks that this event makes done or not done any more: the rows must include the tasks that wait for one of them. */
export function doneStatusChanges(rows: Omit<TaskRows, 'edges'>, task: TaskId, event: TaskEvent): TaskId[] {
  const graph = createWorkingCopy({ ...rows, edges: [] })
  applyEvent(graph, graph.at(task), event)
  return rows.nodes.map(({ id }) => id).filter((id) => isDone(graph.at(id)) !== isDone(graph.before(id)))
}

function applyEvent(graph: Working, node: TaskNode, event: TaskEvent): void {
  switch (event.is) {
    case 'claimed':
      Object.assign(node, { claimedBy: event.by, attempt: node.attempt + 1, why: null })
      return setStatus(graph, node, 'in_progress')
    case 'released':
    case 'lost':
      Object.assign(node, { claimedBy: null, retries: event.retries ?? node.retries })
      return setStatus(graph, node, 'pending')
    case 'done':
    case 'failed':
      Object.assign(node, {
        claimedBy: null,
        why: event.why,
        retries: event.retries ?? node.retries,
        verification: event.verification,
      })
      return setStatus(graph, node, event.is)
    case 'reset':
      Object.assign(node, { claimedBy: null, why: null, retries: 0, verification: null })
      return setStatus(graph, node, 'pending')
    case 'timed':
      Object.assign(node, { notBefore: event.notBefore, scheduled: event.scheduled })
      return
    case 'reordered':
      node.priority = event.priority
      return
    case 'children-added':
      return recount(graph, node, { parts: event.parts, through: event.failed })
    case 'edge-added':
      node.waits += Number(!event.blockerIsDone)
      return
    case 'edge-removed':
      node.waits -= Number(!event.blockerIsDone)
      return
    case 'left':
      return countInParent(graph, node, -1)
    case 'moved':
      countInParent(graph, node, -1)
      node.parent = event.parent
      return countInParent(graph, node, 1)
    case 'featured':
      node.feature = event.feature
      return
    default:
      return assertNever(event)
  }
}

function setStatus(graph: Working, node: TaskNode, status: TaskStatus): void {
  const was = node.status
  node.status = status
  const parent = graph.parentOf(node)
  if (parent === null) return
  const parts = addPartCounts(partCountsOf(status), partCountsOf(was), -1)
  recount(graph, parent, { parts, through: node })
}

function countInParent(graph: Working, node: TaskNode, times: 1 | -1): void {
  const parent = graph.parentOf(node)
  if (parent === null) return
  const { id, title } = node
  const parts = addPartCounts(NO_PART_COUNTS, partCountsOf(node.status), times)
  // A child that leaves is passed as a name without a status.
  recount(graph, parent, { parts, through: times === 1 ? node : { id, title } })
}

/** Adds these parts to a parent's counters; `through`: the changed child; only a name if it left or is a failed new child. */
function recount(
  graph: Working,
  parent: TaskNode,
  { parts, through }: { parts: PartCounts; through: TaskNode | TaskRef | null },
): void {
  const now = addPartCounts(childCountsOf(parent), parts)
  parent.children = now.all
  parent.childrenDone = now.done
  parent.childrenFailed = now.failed
  parent.childrenGoing = now.going
  const status = now.all === 0 ? statusWithoutChildren(parent.status) : rollUpStatus(now)
  if (now.all > 0 || status !== 'done')
    parent.why = status === 'failed' ? whyFailed(graph, parent, { parts, through }) : null
  if (status !== parent.status) setStatus(graph, parent, status)
}

/** The status of a parent that becomes a leaf again: done stays done; otherwise the task itself has to be done. */
function statusWithoutChildren(status: TaskStatus): TaskStatus {
  return status === 'done' ? 'done' : 'pending'
}

function whyFailed(
  graph: Working,
  parent: TaskNode,
  { parts, through }: { parts: PartCounts; through: TaskNode | TaskRef | null },
): string | null {
  if (parts.failed > 0 && through !== null) return childFailedReason(through)
  const named = through !== null && parent.why?.includes(`(${through.id})`) === true
  const hasFailed = through !== null && 'status' in through && through.status === 'failed'
  if (parent.why !== null && !(named && !hasFailed)) return parent.why
  const other = graph.failed[parent.id]
  return other === undefined ? parent.why : childFailedReason(other)
}

/** Why a parent failed. */
export function childFailedReason({ id, title }: TaskRef): string {
  return `${title} (${id}) failed`
}

function changesOf(graph: Working, task: TaskId, event: TaskEvent): TaskChanges {
  const gone = event.is === 'left' ? task : null
  const changed = graph.ids.filter((id) => id !== gone && differs(graph.before(id), graph.at(id)))
  return {
    nodes: changed.map((id) => graph.at(id)),
    features: featureCountChanges(graph, changed, event),
    above: changed.flatMap((id) => aboveMoves(graph, id)),
    look: changed.filter((id) => graph.at(id).children === 0 || graph.before(id).children === 0),
    told: derivedChanges(graph, changed, { task, event }),
  }
}

function differs(a: TaskNode, b: TaskNode): boolean {
  return (Object.keys(a) as (keyof TaskNode)[]).some((key) => a[key] !== b[key])
}

/**
 * `above` of a moved subtree is computed with the waits before the event; changes of its new ancestors by the same event are applied
 * after that, to all tasks now below them.
 */
function aboveMoves(graph: Working, id: TaskId): TaskChanges['above'] {
  const [was, is] = [graph.before(id), graph.at(id)]
  const moves: TaskChanges['above'] = []
  if (was.parent !== is.parent) {
    const parent = is.parent === null ? null : graph.before(is.parent)
    const above = parent === null ? 0 : parent.above + Number(parent.waits > 0)
    moves.push({ root: id, by: above - was.above, itself: true })
  }
  const turn = Number(is.waits > 0) - Number(was.waits > 0)
  if (turn !== 0 && is.children > 0) moves.push({ root: id, by: turn, itself: false })
  return moves
}

function featureCountChanges(graph: Working, changed: TaskId[], event: TaskEvent): FeatureCounts[] {
  const moves = changed.flatMap((id) => {
    const [was, is] = [graph.before(id), graph.at(id)]
    const leaves = event.is === 'featured' ? event.leaves : null
    return [
      { feature: was.feature, parts: leaves ?? leafCounts(was), times: -1 as const },
      { feature: is.feature, parts: leaves ?? leafCounts(is), times: 1 as const },
    ]
  })
  const left = event.is === 'left' ? event.leaves.map((one) => ({ ...one, times: -1 as const })) : []
  return sumByFeature([...moves, ...left])
}

/** The sum for each feature, without features whose counts do not change. */
export function sumByFeature(moves: (FeatureCounts & { times: 1 | -1 })[]): FeatureCounts[] {
  const sums = new Map<FeatureId, PartCounts>()
  for (const { feature, parts, times } of moves)
    if (feature !== null) sums.set(feature, addPartCounts(sums.get(feature) ?? NO_PART_COUNTS, parts, times))
  return [...sums]
    .map(([feature, parts]) => ({ feature, parts }))
    .filter(({ parts }) => Object.values(parts).some((count: number) => count !== 0))
}

export function leafCounts(node: Pick<TaskNode, 'children' | 'status'>): PartCounts {
  return node.children === 0 ? partCountsOf(node.status) : NO_PART_COUNTS
}

/** Events that set the status of the task itself as requested: not reported as a derived change. */
const DIRECT: ReadonlySet<TaskEvent['is']> = new Set(['claimed', 'released', 'lost', 'done', 'failed', 'reset'])

function derivedChanges(
  graph: Working,
  changed: TaskId[],
  { task, event }: { task: TaskId; event: TaskEvent },
): DerivedChange[] {
  const all: DerivedChange[] = []
  for (const id of changed) {
    const [was, is] = [graph.before(id), graph.at(id)]
    const named = { task: id, title: is.title }
    const turned = id === task && DIRECT.has(event.is) ? null : statusChangeKind('parent', was.status, is.status)
    if (turned !== null) all.push({ is: turned, ...named })
    if (was.waits > 0 && is.waits === 0) all.push({ is: 'unblocked', ...named })
    if (was.waits === 0 && is.waits > 0 && is.status !== 'done') all.push({ is: 'blocked', ...named })
  }
  return [...all, ...featureStatusChanges(graph.features, featureCountChanges(graph, changed, event))]
}

/** The status changes of features that follow from these additions to their counters. */
export function featureStatusChanges(features: Feature[], added: FeatureCounts[]): DerivedChange[] {
  const all: DerivedChange[] = []
  for (const { feature, parts } of added) {
    const found = features.find(({ id }) => id === feature)
    if (found === undefined) continue
    const now = addPartCounts({ ...found, all: found.tasks }, parts)
    const turned = statusChangeKind(
      'feature',
      featureStatus(found),
      featureStatus({ ...found, ...now, tasks: now.all }),
    )
    if (turned !== null) all.push({ is: turned, feature: found.id, name: found.name })
  }
  return all
}

function statusChangeKind<K extends 'parent' | 'feature'>(
  kind: K,
  was: string,
  is: string,
): `${K}-done` | `${K}-failed` | `${K}-healed` | null {
  if (was === is) return null
  if (is === 'done' || is === 'failed') return `${kind}-${is}`
  return was === 'done' || was === 'failed' ? `${kind}-healed` : null
}

function isDone({ status }: TaskNode): boolean {
  return status === 'done'
}

type Working = ReturnType<typeof createWorkingCopy>

/** The rows before the event, and a working copy of them. */
function createWorkingCopy(rows: TaskRows) {
  const before = new Map(rows.nodes.map((node) => [node.id, node]))
  const now = new Map(rows.nodes.map((node) => [node.id, { ...node }]))
  const of = (map: Map<TaskId, TaskNode>, id: TaskId): TaskNode => {
    const found = map.get(id)
    if (found === undefined) throw new Error(`task ${id} is not among the rows of its change`)
    return found
  }
  return {
    ids: [...before.keys()],
    at: (id: TaskId): TaskNode => of(now, id),
    before: (id: TaskId): TaskNode => of(before, id),
    parentOf: ({ parent }: TaskNode): TaskNode | null => (parent === null ? null : of(now, parent)),
    features: rows.features,
    failed: rows.failed,
  }
}
