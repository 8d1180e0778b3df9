/** `ralph task list` in a bundle of its own. */
import { run } from '../commands/task/list.ts'
import { TASK_LIST } from '../table/asked-often.ts'
import { quickly } from './quickly.ts'

export const quick = quickly(TASK_LIST, run)
