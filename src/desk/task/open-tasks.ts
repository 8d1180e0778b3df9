/** Tasks that somebody may mean who is about to name one: what is not done, in the order in which it would be. */
import type { TaskId } from '../../domain/task/task.ts'
import { realClock } from '../../system/clock.ts'
import { listFeatures } from '../../store/task/features.ts'
import { EVERY_TASK, listTasks } from '../../store/task/list.ts'
import { lookAt, type TaskPlace } from './task-store.ts'

/** More than fit on a screen are looked for by typing. */
const OFFERED_MAX = 200

export function openTasks(place: TaskPlace): Promise<{ id: TaskId; title: string }[]> {
  return lookAt(
    place,
    async (sql) => {
      const tasks = await listTasks(sql, {
        ...EVERY_TASK,
        statuses: ['pending', 'blocked', 'in_progress', 'failed'],
        limit: OFFERED_MAX,
        at: realClock().at(),
      })
      return tasks.map(({ id, title }) => ({ id, title }))
    },
    () => [],
  )
}

export function featureNames(place: TaskPlace): Promise<string[]> {
  return lookAt(
    place,
    async (sql) => (await listFeatures(sql)).map(({ name }) => name),
    () => [],
  )
}
