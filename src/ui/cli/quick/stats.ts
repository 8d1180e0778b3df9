/** `ralph stats` in a bundle of its own. */
import { run } from '../commands/run/stats.ts'
import { STATS } from '../table/asked-often.ts'
import { quickCommand } from './quickly.ts'

export const quick = quickCommand(STATS, run)
