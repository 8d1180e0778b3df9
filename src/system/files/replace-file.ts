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

export interface WriteMode {
  /** Of a new file; one that is there keeps its own. */
  mode: number
  /** It survives a power cut when this returns. */
  durable: boolean
}

/** `still`: asked when all is written but the name; false: the file stays as it is. */
export function replaceFile(
  path: string,
  content: string | Buffer,
  { still = () => true, ...how }: WriteMode & { still?: () => boolean },
): boolean {
  // A file that is a link stays one: what it leads to is replaced.
  const target = realPath(path) ?? path
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
export function createFile(path: string, content: string | Buffer, how: WriteMode): boolean {
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
  // No such folder, or one that cannot be read: there is nothing that we could clear.
  for (const name of attempt(() => readdirSync(folder), [])) {
    const pid = /^\.ralph-(\d+)-[0-9a-z]{10}\.tmp$/.exec(name)?.[1]
    if (pid !== undefined && identifyProcess(Number(pid)) === null) discard(join(folder, name))
  }
}

/** What went wrong before is the news, not that the remains could not be removed: the folder may be none, or the disk gone. */
export function discard(temporary: string): void {
  attempt(() => rmSync(temporary, { force: true }), undefined)
}

/** Where nothing stands yet, not even a link; what was begun and failed is removed. `like`: whose mode it gets, if that is there. */
export function writeNew(
  path: string,
  content: string | Buffer,
  { mode, durable, like }: WriteMode & { like?: string },
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
    discard(path)
    throw thrown
  }
}

/** The rename itself is durable only when its folder is. Some systems have no such call for folders, and need none. */
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
