/** Totals over the runs of a project, by run, day, agent, model, task or feature. */
import { buildStats, type Stats, type StatsBy } from '../../core/presentation/stats.ts'
import { loadStatsFacts } from '../../store/stats-facts.ts'
import { formatLocalDateTime } from '../../system/time-formats.ts'
import { withStore } from '../open-store.ts'

export function statsOf(root: string, by: StatsBy): Promise<Stats> {
  return withStore(root, async ({ sql }) =>
    buildStats(await loadStatsFacts(sql, by), by, (at) => formatLocalDateTime(at).slice(0, 10)),
  )
}
