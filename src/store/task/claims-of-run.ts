/** The work of a run on tasks, read from its claims. */
import type { RunId } from '../../core/ids.ts'
import { NOTHING_SPENT, type SpentTotals } from '../../core/calls/spending.ts'
import type { ReportTask, ReportTasks } from '../../core/presentation/report-tasks.ts'
import type { Sql } from '../db/sql.ts'
import { loadRunSummary } from '../run-views.ts'
import { countTasks, blockedTasksIn } from './task-counts.ts'

/** Of a run's claims on one task, the newest has the result. */
const NEWEST = `claims.attempt = (
  select max(attempt) from claims as newest where newest.task = claims.task and newest.run = claims.run)`

export async function countFinishedTasks(sql: Sql, run: RunId): Promise<{ done: number; failed: number }> {
  const rows = await sql.all<{ state: string; count: number }>(
    `select state, count(*) as count from claims
     where run = ? and state in ('done', 'failed') and ${NEWEST} group by state`,
    run,
  )
  const counted = (state: string): number => rows.find((row) => row.state === state)?.count ?? 0
  return { done: counted('done'), failed: counted('failed') }
}

/** Limit of tasks in a report. */
const HAD_MAX = 100

/** For the report; undefined: the run is a plain loop. */
export async function loadReportTasks(sql: Sql, run: RunId): Promise<ReportTasks | undefined> {
  const scope = (await loadRunSummary(sql, run))?.tasks ?? null
  if (scope === null) return undefined
  const counts = await countTasks(sql, scope)
  const waiting = counts.blocked > 0 ? await blockedTasksIn(sql, scope) : []
  return { counts, had: await claimedTasksOf(sql, run), ...(await countFinishedTasks(sql, run)), waiting }
}

/** Each task once, by the newest claim of the run. */
async function claimedTasksOf(sql: Sql, run: RunId): Promise<ReportTask[]> {
  const rows = await sql.all<Pick<ReportTask, 'task' | 'title' | 'is' | 'why' | 'now'>>(
    `select claims.task as task, tasks.title as title, claims.state as "is", claims.why as why,
       case when tasks.archived_at is null then tasks.status else 'deleted' end as now
     from claims join tasks on tasks.id = claims.task
     where claims.run = ? and ${NEWEST}
     order by claims.ended_at desc, claims.claimed_at desc limit ?`,
    run,
    HAD_MAX,
  )
  const paid = await costByTask(sql, run)
  return rows.toReversed().map((row) => ({ ...row, ...(paid.get(row.task) ?? NOTHING_PAID) }))
}

type Paid = Pick<ReportTask, 'iterations' | 'spent'>

const NOTHING_PAID: Paid = { iterations: 0, spent: NOTHING_SPENT }

/** The spending of a run's calls for each task. */
export async function costByTask(sql: Sql, run: RunId): Promise<Map<string, Paid>> {
  const rows = await sql.all<SpentTotals & { task: string; iterations: number }>(
    `select task, sum(case when role = 'work' then 1 else 0 end) as iterations,
       coalesce(sum(case when ended is not null then usd end), 0) as usd,
       coalesce(sum(case when ended is not null
         then coalesce(input, 0) + coalesce(cache_write, 0) + coalesce(output, 0) end), 0) as tokens,
       coalesce(sum(case when ended is not null and usd is null then 1 else 0 end), 0) as unknown,
       coalesce(sum(case when ended is not null then estimated end), 0) as estimated
     from usage where run = ? and task is not null group by task`,
    run,
  )
  return new Map(rows.map(({ task, iterations, ...spent }) => [task, { iterations, spent }]))
}
