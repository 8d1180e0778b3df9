/** Runs through tasks. */
import { decides, type Setting } from './setting.ts'

export const TASK_SETTINGS = {
  ...decides('task.max_retries', { flag: { long: 'max-retries', value: 'N' } }),
  ...decides('task.verify', {
    flag: { long: 'verify', negated: true, help: 'No second agent reads what was done; the gates decide as always' },
  }),
  ...decides('task.breaker'),
  ...decides('task.lease'),
} satisfies Record<string, Setting>
