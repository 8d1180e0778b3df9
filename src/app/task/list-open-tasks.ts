/** Open tasks to choose from, in the order in which they would be worked on. */
import type { TaskId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import { listFeatures } from '../../store/task/features.ts'
import { EVERY_TASK, listTasks } from '../../store/task/list-tasks.ts'
import { readStore, type StoreLocation } from './task-store.ts'

/** Longer lists are searched by typing. */
const OFFERED_MAX = 200

export async function listOpenTasks(location: StoreLocation): Promise<{ id: TaskId; title: string }[]> {
  const tasks = await readStore(location, (sql) =>
    listTasks(sql, {
      ...EVERY_TASK,
      statuses: ['pending', 'blocked', 'in_progress', 'failed'],
      limit: OFFERED_MAX,
      at: systemClock().at(),
    }),
  )
  return (tasks ?? []).map(({ id, title }) => ({ id, title }))
}

export async function listFeatureNames(location: StoreLocation): Promise<string[]> {
  const features = await readStore(location, listFeatures)
  return (features ?? []).map(({ name }) => name)
}
