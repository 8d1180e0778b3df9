/**
 * Files that other programs follow while we write them: emptied in place, so that a `tail -f` keeps its hold, and never written
 * through a link, because whoever may write into the project must not choose another place for our words.
 */
import { lstatSync, statSync, truncateSync } from 'node:fs'
import { attempt } from '../attempt.ts'
import { encodeFileName } from './non-utf8-names.ts'
import { ifPresent } from './file-error.ts'

/** Whether a link stands at a path. */
export function isLink(path: string): boolean {
  return ifPresent({ activity: 'look at', path }, () => lstatSync(encodeFileName(path)))?.isSymbolicLink() === true
}

/** A named pipe, a socket or a device: whoever opens it may wait for ever. What this process was given open is none of them. */
export function mayBlockOnOpen(path: string): boolean {
  if (GIVEN_OPEN.test(path)) return false
  // Where it cannot be looked at, whoever reads it says what is wrong.
  const found = attempt(() => statSync(encodeFileName(path)), null)
  return found !== null && !found.isFile() && !found.isDirectory()
}

/** Also what a shell makes of `<(command)`. */
const GIVEN_OPEN = /^\/(?:dev\/stdin|dev\/fd\/\d+|proc\/self\/fd\/\d+)$/

/** Makes a file empty without making it another file; nothing happens where there is none. */
export function truncateFile(path: string): void {
  ifPresent({ activity: 'empty', path }, () => truncateSync(path))
}
