/**
 * Files that other programs follow while Ralph writes them: truncated in place, so that `tail -f` keeps working, and never written
 * through a link, because a process that may write into the project must not redirect our output.
 */
import { lstatSync, statSync, truncateSync } from 'node:fs'
import { attempt } from '../attempt.ts'
import { encodeFileName } from './non-utf8-names.ts'
import { nullIfMissing } from './file-error.ts'

/** Whether the path is a link. */
export function isLink(path: string): boolean {
  return nullIfMissing({ activity: 'look at', path }, () => lstatSync(encodeFileName(path)))?.isSymbolicLink() === true
}

/** A named pipe, a socket or a device: opening it may block for ever. Descriptors passed to this process are exempt. */
export function mayBlockOnOpen(path: string): boolean {
  if (GIVEN_OPEN.test(path)) return false
  // If it cannot be inspected, the reader reports what is wrong.
  const found = attempt(() => statSync(encodeFileName(path)), null)
  return found !== null && !found.isFile() && !found.isDirectory()
}

/** Also what a shell passes for `<(command)`. */
const GIVEN_OPEN = /^\/(?:dev\/stdin|dev\/fd\/\d+|proc\/self\/fd\/\d+)$/

/** Empties a file in place; does nothing if there is none. */
export function truncateFile(path: string): void {
  nullIfMissing({ activity: 'empty', path }, () => truncateSync(path))
}
