/** `ralph task list` in a bundle of its own. */
import { run } from '../commands/task/list.ts'
import { TASK_LIST } from '../table/asked-often.ts'
import { quickCommand } from './quickly.ts'

export const quick = quickCommand(TASK_LIST, run)
