/** Whole files and folders moved, copied and found, for set-up and for what is set aside. */
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { errorCodeOf, fileError, withFileError } from './file-error.ts'
import { exists } from './files.ts'

export function moveFile(from: string, to: string): void {
  withFileError({ activity: 'move', path: from }, () => renameSync(from, to))
}

/** Copies a file beside itself under the first free name (`PROMPT.md.old`, `PROMPT.md.old-2` …) and returns that name. */
export function copyToBackupName(path: string): string {
  let copy = `${path}.old`
  for (let n = 2; exists(copy); n += 1) copy = `${path}.old-${n}`
  copyFolder(path, copy)
  return copy
}

/** A file, or a folder with all that is in it. What is copied out of an installed package is made writable. */
export function copyFolder(from: string, to: string): void {
  withFileError({ activity: 'copy', path: from }, () => {
    cpSync(from, to, { recursive: true })
    chmodSync(to, lstatSync(to).mode | 0o200)
  })
}

/** Whether others on this machine may look into a file or folder. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isSymbolicLink() && (found.mode & 0o077) !== 0
}

/** Takes all that others may do with a file or folder from them; with `inside`, also with all that is in it. Links are left. */
export function makePrivate(path: string, { inside }: { inside: boolean }): void {
  withFileError({ activity: 'make private', path }, () => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isSymbolicLink()) return
    if ((found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700)
    if (!inside || !found.isDirectory()) return
    for (const name of readdirSync(path)) makePrivate(join(path, name), { inside })
  })
}

/** A folder under the system's temporary one that is this user's alone, always at the same place. Somebody else may have put
 *  something there to catch us: then it is refused. */
export function ownTempFolder(name: string): string {
  const user = userInfo()
  const path = join(realpathSync(tmpdir()), `${name}-${user.uid >= 0 ? user.uid : user.username}`)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (thrown) {
    if (errorCodeOf(thrown) !== 'EEXIST') throw fileError(thrown, { activity: 'make the folder', path })
    const found = lstatSync(path)
    if (!found.isDirectory() || (user.uid >= 0 && found.uid !== user.uid)) {
      throw new RalphError('io', `${path} belongs to somebody else`, {
        hint: 'Remove it, or set TMPDIR to a folder of your own.',
      })
    }
  }
  return path
}
