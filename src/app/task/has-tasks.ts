/** Whether tasks say what to do here: those of the store, or those that an earlier tool left to be taken over. Makes no store and takes nothing over. */
import { loadTaskOverview } from '../../store/task/task-counts.ts'
import { systemClock } from '../../system/clock.ts'
import { withReadableStore } from '../open-store.ts'
import { hasRustTasks } from './rust-tasks.ts'

export async function hasTasks(root: string): Promise<boolean> {
  if (hasRustTasks(root)) return true
  const now = await withReadableStore(root, ({ sql }) => loadTaskOverview(sql, { is: 'all' }, systemClock().at()))
  return now !== null && now.counts.all > 0
}
