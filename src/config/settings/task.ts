/** Runs over tasks. */
import { ruleSetting, type Setting } from './setting.ts'

export const TASK_SETTINGS = {
  ...ruleSetting('task.max_retries'),
  ...ruleSetting('task.give_ups'),
  ...ruleSetting('task.verify'),
  ...ruleSetting('task.breaker'),
  ...ruleSetting('task.failed'),
  ...ruleSetting('task.lease'),
} satisfies Record<string, Setting>
