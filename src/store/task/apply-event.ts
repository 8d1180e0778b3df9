/** Applies one event to one task in the caller's transaction: loads the affected rows, lets the core derive the changes, writes them. */
import type { Instant } from '../../core/ids.ts'
import type { DerivedChange, TaskId } from '../../core/tasks/task.ts'
import {
  doneStatusChanges,
  applyTaskEvent,
  type TaskEvent,
  type TaskNode,
  type TaskRows,
} from '../../core/tasks/transition.ts'
import type { Sql } from '../db/sql.ts'
import { refreshReadyTasks, refreshReadySubtree, adjustAncestorBlockerCounts } from './ready-tasks.ts'
import {
  addFeatureCounts,
  taskWithAncestors,
  loadEdges,
  loadFeatures,
  loadTaskNodes,
  failedSiblings,
  saveTaskNode,
} from './task-rows.ts'

export async function applyEventToTask(tx: Sql, task: TaskId, event: TaskEvent, at: Instant): Promise<DerivedChange[]> {
  const rows = await rowsFor(tx, task, event)
  const changes = applyTaskEvent(rows, task, event)
  const before = new Map(rows.nodes.map((node) => [node.id, node]))
  for (const node of changes.nodes) await saveTaskNode(tx, { was: before.get(node.id), node }, at)
  for (const feature of changes.features) await addFeatureCounts(tx, feature, at)
  for (const { root, ...move } of changes.above) if (move.by !== 0) await adjustAncestorBlockerCounts(tx, root, move)
  await refreshReadyTasks(tx, changes.look)
  for (const { root } of changes.above) await refreshReadySubtree(tx, root)
  return changes.told
}

async function rowsFor(tx: Sql, task: TaskId, event: TaskEvent): Promise<TaskRows> {
  const chain = await taskWithAncestors(tx, task)
  if (event.is === 'moved' && event.parent !== null) {
    const known = new Set(chain.map(({ id }) => id))
    chain.push(...(await taskWithAncestors(tx, event.parent)).filter(({ id }) => !known.has(id)))
  }
  const failed = await failedSiblings(tx, chain)
  const features = await loadFeatures(tx, featuresIn(chain, event))
  const turns = doneStatusChanges({ nodes: chain, features, failed }, task, event)
  const edges = await loadEdges(tx, 'blocker', turns)
  const nodes = new Map(chain.map((node) => [node.id, node]))
  const missing = edges.map(({ blocked }) => blocked).filter((id) => !nodes.has(id))
  for (const [id, node] of await loadTaskNodes(tx, missing)) nodes.set(id, node)
  return { nodes: [...nodes.values()], edges, features, failed }
}

function featuresIn(chain: TaskNode[], event: TaskEvent): (string | null)[] {
  const known = chain.map(({ feature }) => feature)
  if (event.is === 'featured') known.push(event.feature)
  if (event.is === 'left') known.push(...event.leaves.map(({ feature }) => feature))
  return known
}
