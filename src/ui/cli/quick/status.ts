/** `ralph status` in a bundle of its own. */
import { run } from '../commands/run/status.ts'
import { STATUS } from '../table/asked-often.ts'
import { quickCommand } from './quickly.ts'

export const quick = quickCommand(STATUS, run)
