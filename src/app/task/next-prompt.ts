/** The tasks a run would work on next, and the agent's prompt for the first. */
import type { Settings } from '../../config/resolve.ts'
import type { TaskScope, Task } from '../../core/tasks/task.ts'
import { ALL_TASKS_QUERY, listTasks } from '../../store/task/list-tasks.ts'
import { systemClock } from '../../system/clock.ts'
import { buildPromptPreview } from '../doctor/prompt-preview.ts'
import { useStoreIfAny } from './task-store.ts'

export interface NextPrompt {
  /** In the order in which they would be claimed; only the first few. */
  next: Pick<Task, 'id' | 'title'>[]
  /** Empty: no task is ready. */
  prompt: string
}

const SHOWN_MAX = 20

export async function nextPrompt(root: string, scope: TaskScope, settings: Settings): Promise<NextPrompt> {
  const at = systemClock().at()
  const ready = await useStoreIfAny({ root, notice: () => {} }, (sql) =>
    listTasks(sql, { ...ALL_TASKS_QUERY, scope, ready: true, limit: SHOWN_MAX, at }),
  )
  const next = ready ?? []
  const [first] = next
  if (first === undefined) return { next, prompt: '' }
  const { text } = await buildPromptPreview(root, first.id, { role: 'work', settings })
  return { next, prompt: text }
}
