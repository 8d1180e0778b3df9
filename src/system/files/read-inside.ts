/** Reads files whose path comes from an untrusted source: only files that really are inside a folder, only text, and at most the given
 *  size. */
import { statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { messageOf } from '../../core/error.ts'
import { attempt } from '../attempt.ts'
import { realPath } from './links.ts'
import { readFilePart } from './read-part.ts'
import { firstInvalidLine } from './decode-utf8.ts'

/** `line`: the first line that is not text. */
export type ReadInsideResult =
  | { is: 'read'; text: string; whole: boolean }
  | { is: 'unread'; why: string; line?: number }

/** At most `max` bytes of a text file inside the folder, after resolving links. Never throws. */
export function readInsideFolder(folder: string, path: string, { max }: { max: number }): ReadInsideResult {
  try {
    const real = realPath(resolve(folder, path))
    const inside = realPath(folder)
    if (real === null || inside === null) return unread('does not exist')
    if (!liesIn(real, inside)) return unread('leads outside the project')
    // Reading a pipe would block.
    if (!statSync(real).isFile()) return unread('is not a file')
    const part = readFilePart(real, { from: 0, max })
    if (part === null) return unread('does not exist')
    const whole = part.bytes.length >= part.size
    const text = utf8(part.bytes, whole)
    return text === null
      ? { is: 'unread', why: 'is not UTF-8 text', line: firstInvalidLine(part.bytes) }
      : { is: 'read', text, whole }
  } catch (thrown) {
    return unread(messageOf(thrown))
  }
}

function unread(why: string): ReadInsideResult {
  return { is: 'unread', why }
}

function liesIn(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Null: not UTF-8. A cut text may end inside a character. */
function utf8(bytes: Buffer, whole: boolean): string | null {
  if (bytes.includes(0)) return null
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !whole }), null)
}
