/** Whether tasks describe the work: tasks of the store, or those of an earlier tool to import. Creates no store and imports nothing. */
import { loadTaskOverview } from '../../store/task/task-counts.ts'
import { systemClock } from '../../system/clock.ts'
import { withReadableStore } from '../open-store.ts'
import { hasRustTasks } from './rust-tasks.ts'

export async function hasTasks(root: string): Promise<boolean> {
  if (hasRustTasks(root)) return true
  const now = await withReadableStore(root, ({ sql }) => loadTaskOverview(sql, { is: 'all' }, systemClock().at()))
  return now !== null && now.counts.all > 0
}
