/** The bundle of `ralph status`. */
import { run } from '../commands/run/status.ts'
import { STATUS } from '../command-table/quick-commands.ts'
import { createQuickCommand } from './quick-command.ts'

export const quick = createQuickCommand(STATUS, run)
