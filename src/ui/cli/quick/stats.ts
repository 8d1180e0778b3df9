/** The bundle of `ralph stats`. */
import { run } from '../commands/run/stats.ts'
import { STATS } from '../command-table/quick-commands.ts'
import { createQuickCommand } from './quick-command.ts'

export const quick = createQuickCommand(STATS, run)
