/** Tasks and features to choose from: for questions and for completion. Tasks come in the order in which they run. */
import type { TaskId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import { listFeatures } from '../../store/task/features.ts'
import { ALL_TASKS_QUERY, listTasks, type TaskQuery } from '../../store/task/list-tasks.ts'
import { useStoreIfAny, type StoreLocation } from './task-store.ts'

/** Longer lists are searched by typing. */
const OFFERED_MAX = 200

const OPEN: TaskQuery['statuses'] = ['pending', 'blocked', 'in_progress', 'failed']

/** `open`: tasks that a run can still work on, after a reset too. */
export async function listTaskChoices(
  location: StoreLocation,
  which: 'open' | 'all',
): Promise<{ id: TaskId; title: string }[]> {
  const tasks = await useStoreIfAny(location, (sql) =>
    listTasks(sql, {
      ...ALL_TASKS_QUERY,
      ...(which === 'open' ? { statuses: OPEN } : {}),
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
