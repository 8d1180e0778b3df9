/**
 * Files that a snapshot holds and the folder does not: left out of a sparse checkout, marked to be skipped, or behind a link that
 * stands where their folder was. Git calls such a file unchanged, and a gate that would run it does not find it.
 */
import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import { isTaken, realPath } from '../system/links.ts'

/** `paths` are relative to `root`. */
export function missingFrom(root: string, paths: string[]): string[] {
  const top = realPath(root) ?? root
  const folders = new Map<string, boolean>()
  const isReal = (folder: string): boolean => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    const real = realPath(join(root, folder)) === join(top, folder)
    folders.set(folder, real)
    return real
  }
  return paths.filter((path) => !isReal(posix.dirname(path)) || !isTaken(join(root, path)))
}

/** Null: nothing is missing. A large sparse checkout misses many, so only their hash is kept. */
export function hashOfMissing(missing: string[]): string | null {
  return missing.length === 0
    ? null
    : createHash('sha256').update(missing.toSorted().join('\0')).digest('hex')
}
