/** The files before and after each of the newest iterations of a run, as trees that git can compare. */
import type { RunId, TreeHash, WorkerId } from '../../core/ids.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import { streamRowsAfter } from '../../store/record.ts'
import type { Sql } from '../../store/db/sql.ts'

export interface IterationTrees {
  from: TreeHash
  to: TreeHash
}

/** By worker and number: `1:3`. An iteration without a snapshot after it is absent. */
export async function loadIterationTrees(
  sql: Sql,
  run: RunId,
  iterations: readonly IterationView[],
): Promise<Map<string, IterationTrees>> {
  const asked = new Map<string, { key: string; from: TreeHash }>()
  const trees = new Map<string, IterationTrees>()
  const first = Math.min(...iterations.map(({ row }) => row))
  if (iterations.length === 0) return trees
  for await (const { event, effects } of streamRowsAfter(sql, run, first - 1)) {
    for (const effect of effects) {
      if (effect.type !== 'snapshot' || effect.for !== 'after' || effect.since === null) continue
      asked.set(effect.id, { key: iterationKey(effect.worker, effect.iteration), from: effect.since })
    }
    const answered = event.type === 'snapshot-taken' ? asked.get(event.effect) : undefined
    if (event.type !== 'snapshot-taken' || answered === undefined) continue
    trees.set(answered.key, { from: answered.from, to: event.snapshot.tree })
  }
  return trees
}

export function iterationKey(worker: WorkerId, n: number): string {
  return `${worker}:${n}`
}
