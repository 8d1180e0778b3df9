/** Whether tasks say what to do here: those of the store, or those that an earlier tool left to be taken over. Makes no store and takes nothing over. */
import { RalphError } from '../../core/error.ts'
import { taskStatusNow } from '../../store/task/counts.ts'
import { systemClock } from '../../system/clock.ts'
import { withStore } from '../open-store.ts'
import { hasRustTasks } from './rust-tasks.ts'

export async function hasTasks(root: string): Promise<boolean> {
  if (hasRustTasks(root)) return true
  try {
    return await withStore(root, async ({ sql }) => {
      const { counts } = await taskStatusNow(sql, { is: 'all' }, systemClock().at())
      return counts.all > 0
    })
  } catch (error) {
    // None yet, or one whose trouble is told by who looks at the store.
    if (error instanceof RalphError) return false
    throw error
  }
}
