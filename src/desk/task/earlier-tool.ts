/** Whether an earlier tool left tasks here. Asked by every command about tasks, so it costs one look at one file. */
import { join } from 'node:path'
import { sizeOf } from '../../system/files/files.ts'

export const OLD_PROGRESS = '.ralph/progress.db'

/** The first version of that tool made an empty file, and filled it later. */
export function hasOldTasks(root: string): boolean {
  return (sizeOf(join(root, OLD_PROGRESS)) ?? 0) > 0
}
