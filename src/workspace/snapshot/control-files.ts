/**
 * The files that a loop needs: its prompt and, where they exist, the plan, the agent's notes and the settings. Ralph keeps a copy of each
 * from the last snapshot and restores a file that is missing at the next one.
 */
import { dirname, join } from 'node:path'
import { ensureFolder, readIfExists, removeIfExists, writeAtomic, writeWithoutSync } from '../../system/files/files.ts'

export interface ControlFiles {
  /** The project. */
  root: string
  /** Folder of the copies, outside the working tree. */
  copies: string
  /** Relative to the project. */
  paths: string[]
}

/** The files that changed since the last snapshot; at the first snapshot, files without a copy do not count. */
export function editedControlFiles({ root, copies, paths }: ControlFiles, isFirst: boolean): string[] {
  return paths.filter((path) => {
    const [now, kept] = [readIfExists(join(root, path)), readIfExists(join(copies, path))]
    return now !== null && now !== kept && !(kept === null && isFirst)
  })
}

/** Called after Ralph itself restored an earlier state: files that are missing then are meant to be missing. */
export function updateControlCopies({ root, copies, paths }: ControlFiles): void {
  for (const path of paths) if (readIfExists(join(root, path)) === null) removeIfExists(join(copies, path))
  syncControlFiles({ root, copies, paths })
}

/** Restores deleted files, copies changed ones, and returns the paths of the restored files. */
export function syncControlFiles({ root, copies, paths }: ControlFiles): string[] {
  const deleted: string[] = []
  for (const path of paths) {
    const [file, copy] = [join(root, path), join(copies, path)]
    const [now, kept] = [readIfExists(file), readIfExists(copy)]
    if (now === null && kept !== null) {
      ensureFolder(dirname(file), 0o755)
      writeAtomic(file, kept, { mode: 0o644 })
      deleted.push(path)
    } else if (now !== null && now !== kept) {
      ensureFolder(dirname(copy))
      writeWithoutSync(copy, now)
    }
  }
  return deleted
}
