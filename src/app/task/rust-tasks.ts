/** Whether an earlier tool left tasks here. Asked by every command about tasks, so it costs one look at one file. */
import { join } from 'node:path'
import { sizeOf } from '../../system/files/files.ts'

export const RUST_DATABASE = '.ralph/progress.db'

/** The first version of that tool made an empty file, and filled it later. */
export function hasRustTasks(root: string): boolean {
  return (sizeOf(join(root, RUST_DATABASE)) ?? 0) > 0
}
