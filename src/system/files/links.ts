/** Links, and where a path really leads. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { attempt } from '../attempt.ts'
import { encodeFileName } from './non-utf8-names.ts'
import { nullIfMissing, withFileError } from './file-error.ts'
import { entryAt } from './path-entry.ts'

/** The path with all links resolved, or null if it leads nowhere. */
export function realPath(path: string): string | null {
  return attempt(() => realpathSync(path), null)
}

/** Whether a path is in a folder, by its name or after resolving links. */
export function resolvesInto(path: string, folder: string): boolean {
  const real = realPath(folder) ?? resolve(folder)
  return isWithin(resolve(path), resolve(folder)) || isWithin(realPath(path) ?? resolve(path), real)
}

/** Compares two absolute paths as text only. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

/** The nearest folder upwards that contains `.git`. */
export function gitRootOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return null
  }
}

/** Size, modification time and inode of a file: enough to notice that a large file was replaced. */
export function fileStamp(path: string): string | null {
  const found = attempt(() => statSync(path), null)
  return found === null ? null : `${found.size}-${Math.trunc(found.mtimeMs)}-${found.ino}`
}

/** When the file was last changed, by the wall clock; null if it does not exist. */
export function modifiedTimeMs(path: string): number | null {
  return attempt(() => statSync(path).mtimeMs, null)
}

/** Like `fileStamp`, for the file or link itself and with its change time, which nobody can set back. */
export function fileFingerprint(path: string): string | null {
  return attempt(() => entryAt(path)?.fingerprint ?? null, null)
}

/** Whether a name is taken, also by a dangling link. */
export function isPathTaken(path: string): boolean {
  return nullIfMissing({ activity: 'look at', path }, () => lstatSync(encodeFileName(path))) !== null
}

/** Creates a link at `path` to `target`, with its parent folders. */
export function createLinkTo(target: string, path: string): void {
  withFileError({ activity: 'link', path }, () => {
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
  })
}

/** The absolute target of a link; null: not a link. */
export function linkTargetOf(path: string): string | null {
  return attempt(() => resolve(dirname(path), readlinkSync(path)), null)
}
