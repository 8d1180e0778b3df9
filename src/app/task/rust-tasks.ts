/** Whether the Rust tool left tasks here. Every command about tasks calls this, so it checks only one file. */
import { join } from 'node:path'
import { sizeOf } from '../../system/files/files.ts'

export const RUST_DATABASE = '.ralph/progress.db'

/** The first version of that tool created an empty file and filled it later. */
export function hasRustTasks(root: string): boolean {
  return (sizeOf(join(root, RUST_DATABASE)) ?? 0) > 0
}
