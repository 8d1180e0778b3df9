/** Who must be done before whom. */
import type { Instant } from '../../core/ids.ts'
import type { DerivedChange, Edge } from '../../core/tasks/task.ts'
import type { Sql } from '../db/sql.ts'
import { changeTask } from './change-task.ts'
import { requireTask } from './find-task.ts'
import { refuseCycle, loadWaitGraph } from './wait-graph.ts'

/** `added` false: the edge was there already. One that closes a cycle is refused. */
export async function addEdge(
  sql: Sql,
  edge: Edge,
  at: Instant,
): Promise<{ added: boolean; changes: DerivedChange[] }> {
  return sql.transaction(async (tx) => {
    const blocker = await requireTask(tx, edge.blocker)
    await requireTask(tx, edge.blocked)
    const waits = await loadWaitGraph(tx, { ends: [edge.blocker], begins: [] })
    const [from, to] = [waits.get(edge.blocker), waits.get(edge.blocked)]
    if (from !== undefined && to !== undefined) {
      to.blockers.push(from)
      refuseCycle([to])
    }
    const added = await tx.run(
      'insert into edges (blocker, blocked) values (?, ?) on conflict do nothing',
      edge.blocker,
      edge.blocked,
    )
    if (added.changes === 0) return { added: false, changes: [] }
    const event = { is: 'edge-added', blockerIsDone: blocker.status === 'done' } as const
    return { added: true, changes: await changeTask(tx, edge.blocked, event, at) }
  })
}

/** `removed` false: there was no such edge. */
export async function removeEdge(
  sql: Sql,
  edge: Edge,
  at: Instant,
): Promise<{ removed: boolean; changes: DerivedChange[] }> {
  return sql.transaction(async (tx) => {
    const blocker = await requireTask(tx, edge.blocker)
    await requireTask(tx, edge.blocked)
    const removed = await tx.run(
      'delete from edges where blocker = ? and blocked = ?',
      edge.blocker,
      edge.blocked,
    )
    if (removed.changes === 0) return { removed: false, changes: [] }
    const event = { is: 'edge-removed', blockerIsDone: blocker.status === 'done' } as const
    return { removed: true, changes: await changeTask(tx, edge.blocked, event, at) }
  })
}
