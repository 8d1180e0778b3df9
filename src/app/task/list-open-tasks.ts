/** Open tasks to choose from, in the order in which they would be worked on. */
import type { TaskId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import { listFeatures } from '../../store/task/features.ts'
import { ALL_TASKS_QUERY, listTasks } from '../../store/task/list-tasks.ts'
import { useStoreIfAny, type StoreLocation } from './task-store.ts'

/** Longer lists are searched by typing. */
const OFFERED_MAX = 200

export async function listOpenTasks(location: StoreLocation): Promise<{ id: TaskId; title: string }[]> {
  const tasks = await useStoreIfAny(location, (sql) =>
    listTasks(sql, {
      ...ALL_TASKS_QUERY,
      statuses: ['pending', 'blocked', 'in_progress', 'failed'],
      limit: OFFERED_MAX,
      at: systemClock().at(),
    }),
  )
  return (tasks ?? []).map(({ id, title }) => ({ id, title }))
}

export async function listFeatureNames(location: StoreLocation): Promise<string[]> {
  const features = await useStoreIfAny(location, listFeatures)
  return (features ?? []).map(({ name }) => name)
}
