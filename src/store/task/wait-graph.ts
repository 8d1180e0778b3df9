/** The part of the stored task graph that a cycle could go through: everything that some tasks wait for. */
import { RalphError } from '../../core/error.ts'
import { describeCycle, findCycle, type WaitNode } from '../../core/tasks/cycle.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import type { Sql } from '../db/sql.ts'
import { loadEdges, chunkPlaceholders } from './task-rows.ts'

/** Loads what the ends and beginnings of these tasks wait for; see `core/tasks/cycle.ts`. Done tasks count: they may be reset. */
export async function loadWaitGraph(
  tx: Sql,
  from: { ends: Iterable<TaskId>; begins: Iterable<TaskId> },
): Promise<Map<TaskId, WaitNode>> {
  const nodes = new Map<TaskId, WaitNode>()
  const seen = { ends: new Set<TaskId>(), begins: new Set<TaskId>() }
  let ends = fresh(seen.ends, from.ends)
  let begins = fresh(seen.begins, [...from.begins, ...ends])
  while (begins.length > 0 || ends.length > 0) {
    const parents = await loadRows(tx, nodes, begins)
    const edges = await loadEdges(tx, 'blocked', begins)
    const children = await childrenOf(tx, ends)
    await loadRows(tx, nodes, [...edges.map(({ blocker }) => blocker), ...children.map(({ id }) => id)])
    for (const { blocker, blocked } of edges) nodeIn(nodes, blocked).blockers.push(nodeIn(nodes, blocker))
    for (const { id, parent } of children) nodeIn(nodes, parent).children.push(nodeIn(nodes, id))
    ends = fresh(seen.ends, [...edges.map(({ blocker }) => blocker), ...children.map(({ id }) => id)])
    begins = fresh(seen.begins, [...parents, ...ends])
  }
  return nodes
}

/** Throws if a task would wait for itself. */
export function refuseCycle(from: Iterable<WaitNode>): void {
  const cycle = findCycle(from)
  if (cycle === null) return
  throw new RalphError('usage', `circular dependency: ${describeCycle(cycle)}`, {
    hint: 'Remove one of these dependencies. A parent waits for its children, and a child for the blockers of its parents.',
    more: { lines: [], facts: { cycle: cycle.map(({ id }) => id) } },
  })
}

function nodeIn(nodes: Map<TaskId, WaitNode>, id: TaskId): WaitNode {
  const found = nodes.get(id)
  if (found === undefined)
    throw new RalphError('store-damaged', `the task graph refers to task ${id}, which does not exist`)
  return found
}

/** Loads the missing nodes with their ancestors. Returns the ids of the parents of all. */
async function loadRows(tx: Sql, nodes: Map<TaskId, WaitNode>, ids: TaskId[]): Promise<TaskId[]> {
  const up = new Map<TaskId, TaskId>()
  for (let wanted = ids.filter((id) => !nodes.has(id)); wanted.length > 0;) {
    for (const { marks, values } of chunkPlaceholders([...new Set(wanted)])) {
      const rows = await tx.all<{ id: TaskId; title: string; parent: TaskId | null }>(
        `select id, title, parent from tasks where id in (${marks})`,
        ...values,
      )
      for (const { id, title, parent } of rows) {
        nodes.set(id, { id, title, parent: null, children: [], blockers: [] })
        if (parent !== null) up.set(id, parent)
      }
    }
    wanted = [...new Set(up.values())].filter((id) => !nodes.has(id))
  }
  for (const [id, parent] of up) nodeIn(nodes, id).parent = nodeIn(nodes, parent)
  return ids.map((id) => nodes.get(id)?.parent?.id ?? null).filter((id) => id !== null)
}

async function childrenOf(tx: Sql, parents: TaskId[]): Promise<{ id: TaskId; parent: TaskId }[]> {
  const found: { id: TaskId; parent: TaskId }[] = []
  for (const { marks, values } of chunkPlaceholders(parents))
    found.push(
      ...(await tx.all<{ id: TaskId; parent: TaskId }>(
        `select id, parent from tasks where parent in (${marks}) and archived_at is null`,
        ...values,
      )),
    )
  return found
}

function fresh(seen: Set<TaskId>, ids: Iterable<TaskId>): TaskId[] {
  const found: TaskId[] = []
  for (const id of ids) {
    if (seen.has(id)) continue
    seen.add(id)
    found.push(id)
  }
  return found
}
