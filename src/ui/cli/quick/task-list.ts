/** The bundle of `ralph task list`. */
import { run } from '../commands/task/list.ts'
import { TASK_LIST } from '../command-table/quick-commands.ts'
import { createQuickCommand } from './quick-command.ts'

export const quick = createQuickCommand(TASK_LIST, run)
