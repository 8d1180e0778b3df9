/** The bundle of `ralph runs`. */
import { run } from '../commands/run/runs.ts'
import { RUNS } from '../command-table/quick-commands.ts'
import { createQuickCommand } from './quick-command.ts'

export const quick = createQuickCommand(RUNS, run)
