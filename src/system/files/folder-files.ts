/** The files inside a folder, with what tells that one of them is not the same any more. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../attempt.ts'

export interface FolderFile {
  /** From the folder; '' when the folder is a file itself. */
  path: string
  isLink: boolean
  size: number
  /** Number on the disk, size and times, also the one that nobody can set. */
  stamp: string
  /** Last changed so long ago that any change from now on gives another stamp: clocks of file systems tick coarsely. */
  isFinishedTask: boolean
}

/** The coarsest clock of a file system in use counts two seconds. */
const TICK_MS = 2000

/** Regular files and links in the order of their names, at most `max`; links are not followed. What cannot be looked at is left out. */
export function folderFiles(
  folder: string,
  { without, max }: { without: ReadonlySet<string>; max: number },
): FolderFile[] {
  const found: FolderFile[] = []
  const finishedBefore = Date.now() - TICK_MS
  const take = (path: string): void => {
    const file = look(folder, path, finishedBefore)
    if (file !== null) found.push(file)
  }
  const walk = (inside: string, entries: Dirent[]): void => {
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= max) return
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (entry.isFile() || entry.isSymbolicLink()) take(path)
      else if (entry.isDirectory() && !without.has(entry.name)) walk(path, list(join(folder, path)))
    }
  }
  const top = look(folder, '', finishedBefore)
  if (top !== null) found.push(top)
  else walk('', list(folder))
  return found
}

/** Everything below a folder, folders included, by its path from there, with a stamp for files and links; '' for a folder.
 *  `into`: whether this one is looked into. */
export function folderEntries(folder: string, into: (path: string) => boolean): Map<string, string> {
  const found = new Map<string, string>()
  const walk = (inside: string): void => {
    for (const entry of list(join(folder, inside))) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      found.set(path, look(folder, path, 0)?.stamp ?? '')
      if (entry.isDirectory() && into(path)) walk(path)
    }
  }
  walk('')
  return found
}

function look(folder: string, path: string, finishedBefore: number): FolderFile | null {
  const stat = attempt(() => lstatSync(join(folder, path), { bigint: true }), null)
  if (stat === null || (!stat.isFile() && !stat.isSymbolicLink())) return null
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = stat
  return {
    path,
    isLink: stat.isSymbolicLink(),
    size: Number(size),
    stamp: [dev, ino, size, mtimeNs, ctimeNs].join('-'),
    isFinishedTask: Number(ctimeMs) < finishedBefore,
  }
}

function list(folder: string): Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true }), [])
}
