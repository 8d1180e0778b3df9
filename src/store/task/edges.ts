/** Edges of the task graph: a blocker must be done before a blocked task. */
import type { Instant } from '../../core/ids.ts'
import type { DerivedChange, BlockerEdge } from '../../core/tasks/task.ts'
import type { Sql } from '../db/sql.ts'
import { applyEventToTask } from './apply-event.ts'
import { requireTask } from './find-task.ts'
import { refuseCycle, loadWaitGraph } from './wait-graph.ts'

/** `changed` false: nothing was to do. */
export interface EdgeChangeResult {
  changed: boolean
  changes: DerivedChange[]
}

/** Throws if the edge closes a cycle. */
export function addEdge(sql: Sql, edge: BlockerEdge, at: Instant): Promise<EdgeChangeResult> {
  return changeEdge(sql, edge, { is: 'edge-added', at }, async (tx) => {
    const waits = await loadWaitGraph(tx, { ends: [edge.blocker], begins: [] })
    const [from, to] = [waits.get(edge.blocker), waits.get(edge.blocked)]
    if (from !== undefined && to !== undefined) {
      to.blockers.push(from)
      refuseCycle([to])
    }
    return 'insert into edges (blocker, blocked) values (?, ?) on conflict do nothing'
  })
}

export function removeEdge(sql: Sql, edge: BlockerEdge, at: Instant): Promise<EdgeChangeResult> {
  const text = 'delete from edges where blocker = ? and blocked = ?'
  return changeEdge(sql, edge, { is: 'edge-removed', at }, async () => text)
}

/** `statement`: the SQL that writes the edge. */
async function changeEdge(
  sql: Sql,
  { blocker, blocked }: BlockerEdge,
  { is, at }: { is: 'edge-added' | 'edge-removed'; at: Instant },
  statement: (tx: Sql) => Promise<string>,
): Promise<EdgeChangeResult> {
  return sql.transaction(async (tx) => {
    const { status } = await requireTask(tx, blocker)
    await requireTask(tx, blocked)
    const written = await tx.run(await statement(tx), blocker, blocked)
    if (written.changes === 0) return { changed: false, changes: [] }
    const changes = await applyEventToTask(tx, blocked, { is, blockerIsDone: status === 'done' }, at)
    return { changed: true, changes }
  })
}
