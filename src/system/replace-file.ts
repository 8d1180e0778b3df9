/**
 * Replaces a file as a whole: a temporary one in the same folder, then a rename. Whoever reads, or crashes, meets the old content or
 * the new one, never a half.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { randomId } from './clock.ts'
import { codeOf, fileError } from './file-error.ts'

/** `mode` is for a new file; one that is there keeps its own. `durable`: it survives a power cut when this returns. */
export function replaceFile(
  path: string,
  content: string | Buffer,
  how: { mode: number; durable: boolean },
): void {
  const target = behindLinks(path)
  const temporary = join(dirname(target), `.ralph-${randomId(10)}.tmp`)
  try {
    writeNew(temporary, content, { ...how, like: target })
    renameSync(temporary, target)
    if (how.durable) syncFolder(dirname(target))
  } catch (thrown) {
    discard(temporary)
    throw fileError(thrown, { doing: 'write', path, bytes: Buffer.byteLength(content) })
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
    if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes(codeOf(thrown))) throw thrown
  } finally {
    closeSync(folder)
  }
}
