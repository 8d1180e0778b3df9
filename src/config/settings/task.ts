/** Runs through tasks. */
import { decides, type Setting } from './setting.ts'

export const TASK_SETTINGS = {
  ...decides('task.max_retries'),
  ...decides('task.verify'),
  ...decides('task.breaker'),
  ...decides('task.failed'),
  ...decides('task.lease'),
} satisfies Record<string, Setting>
