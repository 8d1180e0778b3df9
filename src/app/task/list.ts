/** Lists tasks, filtered and sorted. Programs call it often, so it loads no more than it needs. */
import { RalphError } from '../../core/error.ts'
import type { TaskSortKey } from '../../core/tasks/sort-keys.ts'
import type { ShownStatus } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findTaskByPrefix } from '../../store/task/find-task.ts'
import { ALL_TASKS_QUERY, listTasks, type TaskQuery } from '../../store/task/list-tasks.ts'
import { requireFeature } from './scope.ts'
import { taskFactsOf, type TaskFacts } from './task-facts.ts'
import { useStoreIfAny, type StoreLocation } from './task-store.ts'

/** A query as the user typed it. */
export interface TaskListQuery {
  feature: string | null
  /** Only children of this task. */
  parent: string | null
  /** This task and everything below it. */
  under: string | null
  statuses: ShownStatus[]
  ready: boolean
  standalone: boolean
  archived: boolean
  search: string | null
  sort: TaskSortKey | null
  limit: number | null
}

export async function listTaskFacts(location: StoreLocation, asked: TaskListQuery): Promise<TaskFacts[]> {
  if (asked.feature !== null && asked.under !== null)
    throw new RalphError('usage', '--feature and --under cannot be used together', {
      hint: 'Leave out one of the two.',
    })
  const at = systemClock().at()
  const found = await useStoreIfAny(location, async (sql) =>
    taskFactsOf(sql, await listTasks(sql, await queryFor(sql, asked, at)), at),
  )
  return found ?? []
}

async function queryFor(sql: Sql, asked: TaskListQuery, at: number): Promise<TaskQuery> {
  const { feature, parent, under, statuses, ready, standalone, archived, search, sort, limit } = asked
  const query: TaskQuery = {
    ...ALL_TASKS_QUERY,
    statuses,
    ready,
    standalone,
    archived,
    text: search,
    sort: sort ?? 'priority',
    limit,
    at,
  }
  if (parent !== null) query.parent = (await findTaskByPrefix(sql, parent)).id
  if (feature !== null) query.scope = { is: 'feature', feature: (await requireFeature(sql, feature)).id }
  else if (under !== null) query.scope = { is: 'task', task: (await findTaskByPrefix(sql, under)).id }
  return query
}
