/**
 * Files that other programs follow while we write them: emptied in place, so that a `tail -f` keeps its hold, and never written
 * through a link, because whoever may write into the project must not choose another place for our words.
 */
import { lstatSync, truncateSync } from 'node:fs'
import { exactName } from './byte-names.ts'
import { fileError, isAbsence } from './file-error.ts'

/** Whether something other than a plain file or folder stands at a path. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(exactName(path)).isSymbolicLink()
  } catch (thrown) {
    // Where a folder on the way is a file, there is nothing either.
    if (isAbsence(thrown)) return false
    throw fileError(thrown, { doing: 'look at', path })
  }
}

/** Makes a file empty without making it another file; nothing happens where there is none. */
export function emptyFile(path: string): void {
  try {
    truncateSync(path)
  } catch (thrown) {
    if (!isAbsence(thrown)) throw fileError(thrown, { doing: 'empty', path })
  }
}
