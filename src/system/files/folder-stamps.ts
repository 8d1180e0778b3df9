/** Lists a folder with stamps that change when a file changes. */
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../attempt.ts'

/**
 * Everything below a folder, folders included, by relative path, with a stamp for files and links and '' for folders. Links are not
 * followed. `into` decides whether to descend into a folder.
 */
export function listFolderStamps(folder: string, into: (path: string) => boolean): Map<string, string> {
  const found = new Map<string, string>()
  const walk = (inside: string): void => {
    for (const entry of list(join(folder, inside))) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      found.set(path, stampOf(join(folder, path)) ?? '')
      if (entry.isDirectory() && into(path)) walk(path)
    }
  }
  walk('')
  return found
}

/** Inode, size and times, including the change time, which nobody can set. */
function stampOf(path: string): string | null {
  const stat = attempt(() => lstatSync(path, { bigint: true }), null)
  if (stat === null || (!stat.isFile() && !stat.isSymbolicLink())) return null
  const { dev, ino, size, mtimeNs, ctimeNs } = stat
  return [dev, ino, size, mtimeNs, ctimeNs].join('-')
}

function list(folder: string): Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true }), [])
}
