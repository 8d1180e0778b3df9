/**
 * Replaces a file atomically: writes a temporary file in the same folder, then renames it. A reader or a crash finds the old content or
 * the new one, never a half.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt } from '../attempt.ts'
import { randomId } from '../clock.ts'
import { errorCodeOf, fileError } from './file-error.ts'
import { realPath } from './links.ts'
import { withOpenFile } from './open-file.ts'
import { identifyProcess } from '../process/process-identity.ts'

export interface ModeAndDurability {
  /** For a new file; an existing one keeps its mode. */
  mode: number
  /** Whether the content survives a power cut when this returns. */
  durable: boolean
}

/** `still` is called when everything but the rename is done; false: the file stays as it is. */
export function replaceFile(
  path: string,
  content: string | Buffer,
  { still = () => true, ...how }: ModeAndDurability & { still?: () => boolean },
): boolean {
  // A link stays a link: its target is replaced.
  const target = realPath(path) ?? path
  const temporary = temporaryFor(target)
  try {
    writeNew(temporary, content, { ...how, like: target })
    if (!still()) {
      removeQuietly(temporary)
      return false
    }
    renameSync(temporary, target)
    if (how.durable) syncFolder(dirname(target))
    return true
  } catch (thrown) {
    removeQuietly(temporary)
    throw fileError(thrown, { activity: 'write', path, bytes: Buffer.byteLength(content) })
  }
}

/** The same for a path that does not exist yet. False: it exists, perhaps because another process was faster. */
export function createFile(path: string, content: string | Buffer, how: ModeAndDurability): boolean {
  const temporary = temporaryFor(path)
  try {
    writeNew(temporary, content, { ...how, like: path })
    linkOrCopy(temporary, path)
    if (how.durable) syncFolder(dirname(path))
    return true
  } catch (thrown) {
    if (errorCodeOf(thrown) === 'EEXIST') return false
    throw fileError(thrown, { activity: 'write', path, bytes: Buffer.byteLength(content) })
  } finally {
    removeQuietly(temporary)
  }
}

/** A rename would replace an existing file. On a disk without hard links a copy is nearly as good. */
function linkOrCopy(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (thrown) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCodeOf(thrown))) throw thrown
    copyFileSync(temporary, path, constants.COPYFILE_EXCL)
  }
}

function temporaryFor(path: string): string {
  return join(dirname(path), `.ralph-${process.pid}-${randomId(10)}.tmp`)
}

/** A killed process leaves its temporary file; the next process that works in a folder removes those of dead ones. */
export function removeStaleTempFiles(folder: string): void {
  // A missing or unreadable folder has nothing that we could remove.
  for (const name of attempt(() => readdirSync(folder), [])) {
    const pid = /^\.ralph-(\d+)-[0-9a-z]{10}\.tmp$/.exec(name)?.[1]
    if (pid !== undefined && identifyProcess(Number(pid)) === null) removeQuietly(join(folder, name))
  }
}

/** The earlier error matters, not a failed clean-up: the folder may be missing, or the disk gone. */
export function removeQuietly(temporary: string): void {
  attempt(() => rmSync(temporary, { force: true }), undefined)
}

/** Creates a file only where nothing exists, not even a link; removes it again on failure. `like`: a file whose mode to copy, if it
 *  exists. */
export function writeNew(
  path: string,
  content: string | Buffer,
  { mode, durable, like }: ModeAndDurability & { like?: string },
): void {
  const file = openSync(path, 'wx', mode)
  try {
    try {
      const old = like === undefined ? undefined : statSync(like, { throwIfNoEntry: false })
      if (old !== undefined) fchmodSync(file, old.mode & 0o777)
      writeFileSync(file, content)
      if (durable) fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (thrown) {
    removeQuietly(path)
    throw thrown
  }
}

/** The rename is durable only after its folder is synced. Some systems cannot sync folders and need not. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  withOpenFile(path, { flags: 'r' }, (folder) => {
    try {
      fsyncSync(folder)
    } catch (thrown) {
      if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes(errorCodeOf(thrown))) throw thrown
    }
  })
}
