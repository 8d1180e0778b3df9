/** The data of statistics: the runs, and the totals of their iterations, summed in the database. */
import type { Instant, RunId } from '../core/ids.ts'
import type { IterationTotals, StatsRun, TaskTotals, StatsBy, StatsFacts } from '../core/presentation/stats.ts'
import { MULTI_STAGE_RUN_SQL } from './run-kind-sql.ts'
import type { Sql } from './db/sql.ts'
import { IMPORT_RUN_ID } from './usage.ts'

/** More runs than anybody keeps. */
const ALL = 10_000

/** In every time zone a day begins at a full quarter of an hour. */
const QUARTER_MS = 15 * 60_000

const SHARED: Record<StatsBy, string> = {
  run: 'usage.run',
  day: `usage.at / ${QUARTER_MS}`,
  agent: 'usage.agent',
  model: 'usage.model',
  task: 'usage.task',
  feature: 'features.name',
}

/** The task of a loop's call is the text of a checkbox, which matches no task id. */
const TASKS = 'left join tasks on tasks.id = usage.task'
const JOINED: Partial<Record<StatsBy, string>> = {
  task: TASKS,
  feature: `${TASKS} left join features on features.id = tasks.feature`,
}

/**
 * A review is not an iteration, but its cost counts, as in the report of the run. A call that was interrupted before its reply does not
 * count. Imports come before all runs, and are neither runs nor iterations.
 */
export async function loadStatsFacts(sql: Sql, by: StatsBy): Promise<StatsFacts> {
  const runs = await runsOf(sql)
  // Sums in index order and sorts only the sums: sorting the calls would cost three times as much.
  const sums = await sql.all<IterationTotals>(
    `with sums as (select usage.run as run, min(usage.id) as first, min(usage.at) as at, ${SHARED[by]} as shared,
         ${by === 'task' ? 'max(tasks.title)' : 'null'} as title,
         sum(case when usage.role = 'work' then 1 else 0 end) as iterations,
         sum(case when usage.role = 'work' and usage.ended = 'success' then 1 else 0 end) as succeeded,
         sum(usage.duration_ms) as duration,
         sum(case when usage.input is null and usage.output is null then 0
           else coalesce(usage.input, 0) + coalesce(usage.cache_write, 0) + coalesce(usage.output, 0) end) as tokens,
         coalesce(sum(usage.usd), 0) as usd, sum(case when usage.usd is null then 1 else 0 end) as unknown,
         sum(usage.estimated) as estimated, max(usage.role) as role
       from usage ${JOINED[by] ?? ''} where usage.ended is not null
       group by usage.run${by === 'run' ? '' : `, ${SHARED[by]}`})
     select case when sums.role = 'import' then '${IMPORT_RUN_ID}' else sums.run end as run, at, shared, title, sums.iterations as iterations, succeeded, duration as "durationMs", tokens, usd, unknown, estimated
     from sums left join runs on runs.id = sums.run where sums.role = 'import' or runs.id is not null
     order by case when sums.role = 'import' then 0 else runs.started_at end, sums.run, first`,
  )
  const facts = { runs, sums: sums.map((sum) => Object.assign({}, sum)) }
  if (by !== 'task' && by !== 'feature') return facts
  const settled = await finishedBy(sql, by)
  // A loop claims no tasks.
  return settled.length === 0 ? facts : { ...facts, settled }
}

/** The runs in the order in which they began. */
async function runsOf(sql: Sql): Promise<StatsRun[]> {
  const rows = await sql.all<{ id: RunId; started_at: Instant; verdict: StatsRun['verdict'] }>(
    `select id, started_at, verdict from runs where ${MULTI_STAGE_RUN_SQL} order by started_at, id limit ?`,
    ALL,
  )
  return rows.map(({ id, started_at, verdict }) => ({ run: id, startedAt: started_at, verdict }))
}

async function finishedBy(sql: Sql, by: 'task' | 'feature'): Promise<NonNullable<StatsFacts['settled']>> {
  const shared = by === 'task' ? 'claims.task' : 'features.name'
  const rows = await sql.all<TaskTotals & { shared: string | null }>(
    `select ${shared} as shared, sum(case when claims.state = 'done' then 1 else 0 end) as done,
       sum(case when claims.state = 'failed' then 1 else 0 end) as failed
     from claims join tasks on tasks.id = claims.task left join features on features.id = tasks.feature
     where claims.state in ('done', 'failed') group by ${shared}`,
  )
  return rows.map((row) => ({ ...row }))
}
