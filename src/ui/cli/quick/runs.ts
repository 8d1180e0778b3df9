/** `ralph runs` in a bundle of its own. */
import { run } from '../commands/run/runs.ts'
import { RUNS } from '../table/asked-often.ts'
import { quickCommand } from './quickly.ts'

export const quick = quickCommand(RUNS, run)
