/** `ralph stats` in a bundle of its own. */
import { run } from '../commands/run/stats.ts'
import { STATS } from '../table/asked-often.ts'
import { quickly } from './quickly.ts'

export const quick = quickly(STATS, run)
