/** Links, and what a path really leads to. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { attempt } from '../attempt.ts'
import { encodeFileName } from './non-utf8-names.ts'
import { ifPresent, withFileError } from './file-error.ts'
import { entryAt } from './path-entry.ts'

/** The path without any link in it, or null when it leads nowhere. */
export function realPath(path: string): string | null {
  return attempt(() => realpathSync(path), null)
}

/** Whether a path lies in a folder, by its name or by what it really leads to. */
export function resolvesInto(path: string, folder: string): boolean {
  const real = realPath(folder) ?? resolve(folder)
  return isWithin(resolve(path), resolve(folder)) || isWithin(realPath(path) ?? resolve(path), real)
}

/** By the names of two whole paths alone. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

/** The nearest folder upwards that has a `.git`. */
export function gitRootOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return null
  }
}

/** Size, time of the last change and number of a file: enough to notice that a large one was replaced. */
export function fileStamp(path: string): string | null {
  const found = attempt(() => statSync(path), null)
  return found === null ? null : `${found.size}-${Math.trunc(found.mtimeMs)}-${found.ino}`
}

/** When it was last changed, on the wall clock; null when it is not there. */
export function changedAt(path: string): number | null {
  return attempt(() => statSync(path).mtimeMs, null)
}

/** As a stamp, of the file or link itself, with the time at which anything about it last changed: that one nobody can set back. */
export function fingerprintOf(path: string): string | null {
  return attempt(() => entryAt(path)?.fingerprint ?? null, null)
}

/** Whether a name is taken, also by a link that leads nowhere. */
export function isPathTaken(path: string): boolean {
  return ifPresent({ activity: 'look at', path }, () => lstatSync(encodeFileName(path))) !== null
}

/** A link at `path` that leads to `target`; its folder is made. */
export function createLinkTo(target: string, path: string): void {
  withFileError({ activity: 'link', path }, () => {
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
  })
}

/** Where a link says that it leads, made absolute; null: it is none. */
export function linkTargetOf(path: string): string | null {
  return attempt(() => resolve(dirname(path), readlinkSync(path)), null)
}
