/**
 * The files a loop cannot do without: its prompt, and the plan, the agent's notes and the settings where they are there. Ralph keeps
 * a copy of each, as it was at the last look; one that is gone at the next look is restored.
 */
import { dirname, join } from 'node:path'
import { ensureFolder, readIfExists, removeIfExists, writeAtomic, writeWithoutSync } from '../../system/files/files.ts'

export interface ControlFiles {
  /** The project. */
  root: string
  /** Where the copies lie: outside the working tree. */
  copies: string
  /** Relative to the project. */
  paths: string[]
}

/** Which of them are not as they were at the last look; at the first one nobody can tell. */
export function editedControlFiles({ root, copies, paths }: ControlFiles, isFirst: boolean): string[] {
  return paths.filter((path) => {
    const [now, kept] = [readIfExists(join(root, path)), readIfExists(join(copies, path))]
    return now !== null && now !== kept && !(kept === null && isFirst)
  })
}

/** Ralph itself brought the files back to an earlier state: what is gone is meant to be gone. */
export function recordControlFiles({ root, copies, paths }: ControlFiles): void {
  for (const path of paths) if (readIfExists(join(root, path)) === null) removeIfExists(join(copies, path))
  restoreControlFiles({ root, copies, paths })
}

/** Puts back what was deleted, notes what is there, and returns the names of what was restored. */
export function restoreControlFiles({ root, copies, paths }: ControlFiles): string[] {
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
