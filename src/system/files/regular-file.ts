/**
 * Files that other programs follow while we write them: emptied in place, so that a `tail -f` keeps its hold, and never written
 * through a link, because whoever may write into the project must not choose another place for our words.
 */
import { lstatSync, statSync, truncateSync } from 'node:fs'
import { encodeFileName } from './non-utf8-names.ts'
import { fileError, isNotFound } from './file-error.ts'

/** Whether something other than a plain file or folder stands at a path. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(encodeFileName(path)).isSymbolicLink()
  } catch (thrown) {
    // Where a folder on the way is a file, there is nothing either.
    if (isNotFound(thrown)) return false
    throw fileError(thrown, { activity: 'look at', path })
  }
}

/** A named pipe, a socket or a device: whoever opens it may wait for ever. What this process was given open is none of them. */
export function mayBlockOnOpen(path: string): boolean {
  if (GIVEN_OPEN.test(path)) return false
  try {
    const found = statSync(encodeFileName(path))
    return !found.isFile() && !found.isDirectory()
  } catch {
    // Whoever reads it says what is wrong.
    return false
  }
}

/** Also what a shell makes of `<(command)`. */
const GIVEN_OPEN = /^\/(?:dev\/stdin|dev\/fd\/\d+|proc\/self\/fd\/\d+)$/

/** Makes a file empty without making it another file; nothing happens where there is none. */
export function truncateFile(path: string): void {
  try {
    truncateSync(path)
  } catch (thrown) {
    if (!isNotFound(thrown)) throw fileError(thrown, { activity: 'empty', path })
  }
}
