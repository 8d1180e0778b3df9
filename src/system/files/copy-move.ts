/** Moves, copies and lists files and folders, for set-up and for quarantined files. */
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
  copyRecursively(path, copy)
  return copy
}

/** Copies a file, or a folder with its content. Files copied out of an installed package become writable. */
export function copyRecursively(from: string, to: string): void {
  withFileError({ activity: 'copy', path: from }, () => {
    cpSync(from, to, { recursive: true })
    chmodSync(to, lstatSync(to).mode | 0o200)
  })
}

/** Whether other users of this machine may access a file or folder. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isSymbolicLink() && (found.mode & 0o077) !== 0
}

/** Removes all permissions of other users from a file or folder; with `inside`, also from everything in it. Links are skipped. */
export function makePrivate(path: string, { inside }: { inside: boolean }): void {
  withFileError({ activity: 'make private', path }, () => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isSymbolicLink()) return
    if ((found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700)
    if (!inside || !found.isDirectory()) return
    for (const name of readdirSync(path)) makePrivate(join(path, name), { inside })
  })
}

/** A folder in the system's temporary folder that belongs to this user alone, always at the same path. Refuses a folder that somebody
 *  else has created there as a trap. */
export function ensureUserTempFolder(name: string): string {
  const user = userInfo()
  const path = join(realpathSync(tmpdir()), `${name}-${user.uid >= 0 ? user.uid : user.username}`)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (thrown) {
    if (errorCodeOf(thrown) !== 'EEXIST') throw fileError(thrown, { activity: 'make the folder', path })
    const found = lstatSync(path)
    if (!found.isDirectory() || (user.uid >= 0 && found.uid !== user.uid)) {
      throw new RalphError('io', `${path} is not a folder, or another user owns it`, {
        hint: 'Remove it, or set TMPDIR to a folder of your own.',
      })
    }
  }
  return path
}
