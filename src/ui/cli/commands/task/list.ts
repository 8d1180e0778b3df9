/** `ralph task list`: prints tasks, one per line. */
import { listTaskFacts } from '../../../../app/task/list.ts'
import { NO_TASKS_TEXT, taskLines } from '../../../plain/screens/task-lines.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { TASK_LIST } from '../../command-table/quick-commands.ts'
import { printResult, styleOf } from '../../framework/print-result.ts'
import { storeLocationOf } from '../../framework/project-root.ts'

export const run: CommandHandler<typeof TASK_LIST> = async (input, io) => {
  const { status, json, all: _all, ...asked } = input.flags
  const tasks = await listTaskFacts(storeLocationOf(io), { ...asked, statuses: status })
  const isFiltered = input.given.some((flag) => !['json', 'all', 'limit', 'sort'].includes(flag))
  const none = isFiltered ? 'No matching tasks.\n' : NO_TASKS_TEXT
  const screen = (): string => (tasks.length === 0 ? none : `${taskLines(tasks, styleOf(io)).join('\n')}\n`)
  return printResult(tasks, screen, { json, io })
}
