/** One change of one task: loads the rows it touches, asks the domain what follows, and writes that. Inside the caller's transaction. */
import type { Instant } from '../../domain/ids.ts'
import type { AutoChange, TaskId } from '../../domain/task/task.ts'
import {
  doneTurns,
  transition,
  type TaskEvent,
  type TaskNode,
  type TaskRows,
} from '../../domain/task/transition.ts'
import type { Sql } from '../db/sql.ts'
import { lookAgain, lookBelow, moveAbove } from './ready.ts'
import { addToFeature, chainOf, edgesOf, featuresOf, nodesOf, otherFailed, writeNode } from './rows.ts'

export async function change(tx: Sql, task: TaskId, event: TaskEvent, at: Instant): Promise<AutoChange[]> {
  const rows = await rowsFor(tx, task, event)
  const changes = transition(rows, task, event)
  const before = new Map(rows.nodes.map((node) => [node.id, node]))
  for (const node of changes.nodes) await writeNode(tx, { was: before.get(node.id), node }, at)
  for (const feature of changes.features) await addToFeature(tx, feature, at)
  for (const { root, ...move } of changes.above) if (move.by !== 0) await moveAbove(tx, root, move)
  await lookAgain(tx, changes.look)
  for (const { root } of changes.above) await lookBelow(tx, root)
  return changes.told
}

async function rowsFor(tx: Sql, task: TaskId, event: TaskEvent): Promise<TaskRows> {
  const chain = await chainOf(tx, task)
  if (event.is === 'moved' && event.parent !== null) {
    const known = new Set(chain.map(({ id }) => id))
    chain.push(...(await chainOf(tx, event.parent)).filter(({ id }) => !known.has(id)))
  }
  const failed = await otherFailed(tx, chain)
  const features = await featuresOf(tx, featuresIn(chain, event))
  const turns = doneTurns({ nodes: chain, features, failed }, task, event)
  const edges = await edgesOf(tx, 'blocker', turns)
  const nodes = new Map(chain.map((node) => [node.id, node]))
  const missing = edges.map(({ blocked }) => blocked).filter((id) => !nodes.has(id))
  for (const [id, node] of await nodesOf(tx, missing)) nodes.set(id, node)
  return { nodes: [...nodes.values()], edges, features, failed }
}

function featuresIn(chain: TaskNode[], event: TaskEvent): (string | null)[] {
  const known = chain.map(({ feature }) => feature)
  if (event.is === 'featured') known.push(event.feature)
  if (event.is === 'left') known.push(...event.leaves.map(({ feature }) => feature))
  return known
}
