/**
 * Replaces a file as a whole: a temporary one in the same folder, then a rename. Whoever reads, or crashes, meets the old content or
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
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { randomId } from '../clock.ts'
import { errorCodeOf, fileError } from './file-error.ts'
import { identifyProcess } from '../process/process-identity.ts'

interface How {
  /** Of a new file; one that is there keeps its own. */
  mode: number
  /** It survives a power cut when this returns. */
  durable: boolean
}

/** `still`: asked when all is written but the name; false: the file stays as it is. */
export function replaceFile(
  path: string,
  content: string | Buffer,
  { still = () => true, ...how }: How & { still?: () => boolean },
): boolean {
  const target = behindLinks(path)
  const temporary = temporaryFor(target)
  try {
    writeNew(temporary, content, { ...how, like: target })
    if (!still()) {
      discard(temporary)
      return false
    }
    renameSync(temporary, target)
    if (how.durable) syncFolder(dirname(target))
    return true
  } catch (thrown) {
    discard(temporary)
    throw fileError(thrown, { activity: 'write', path, bytes: Buffer.byteLength(content) })
  }
}

/** The same where nothing stands yet. False: something does, be it that somebody else was quicker. */
export function createFile(path: string, content: string | Buffer, how: How): boolean {
  const temporary = temporaryFor(path)
  try {
    writeNew(temporary, content, { ...how, like: path })
    nameAlso(temporary, path)
    if (how.durable) syncFolder(dirname(path))
    return true
  } catch (thrown) {
    if (errorCodeOf(thrown) === 'EEXIST') return false
    throw fileError(thrown, { activity: 'write', path, bytes: Buffer.byteLength(content) })
  } finally {
    discard(temporary)
  }
}

/** A rename would take the place of whatever stands there. Where a disk knows no second names, a copy is nearly as good. */
function nameAlso(temporary: string, path: string): void {
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

/** A process that was killed in the middle leaves its temporary file; whoever begins work in a folder clears those of the dead. */
export function removeTemporaries(folder: string): void {
  for (const name of listNames(folder)) {
    const pid = /^\.ralph-(\d+)-[0-9a-z]{10}\.tmp$/.exec(name)?.[1]
    if (pid !== undefined && identifyProcess(Number(pid)) === null) discard(join(folder, name))
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No such folder, or one that cannot be read: there is nothing that we could clear.
    return []
  }
}

/** What went wrong before is the news, not that the remains could not be removed. */
function discard(temporary: string): void {
  try {
    rmSync(temporary, { force: true })
  } catch {
    // Its folder is no folder, or the disk is gone: there is nothing to remove.
  }
}

/** A file that is a link stays one: what it leads to is replaced. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function writeNew(
  path: string,
  content: string | Buffer,
  { mode, durable, like }: { mode: number; durable: boolean; like: string },
): void {
  const file = openSync(path, 'wx', mode)
  try {
    const old = statSync(like, { throwIfNoEntry: false })
    if (old !== undefined) fchmodSync(file, old.mode & 0o777)
    writeFileSync(file, content)
    if (durable) fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The rename itself is durable only when its folder is. Some systems have no such call for folders, and need none. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } catch (thrown) {
    if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes(errorCodeOf(thrown))) throw thrown
  } finally {
    closeSync(folder)
  }
}
