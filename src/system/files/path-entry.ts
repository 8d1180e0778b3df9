/**
 * Inspects paths without following links, and reads and creates plain files safely: a process that may write into a folder must not
 * decide, by placing a link or a pipe there, what we read or where we write.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  readlinkSync,
} from 'node:fs'
import { nodeCrypto } from '../lazy-node.ts'
import { errorCodeOf, fileError, nullIfUnreadable } from './file-error.ts'

export interface PathEntry {
  kind: 'file' | 'link' | 'folder' | 'other'
  size: number
  /** Its owner may execute it. */
  isExec: boolean
  /** Size, times and inode: changes with any change of the file and cannot be set back. Same as `fileFingerprint`. */
  fingerprint: string
  /** The change time. */
  changedNs: bigint
  /** The device it is on. */
  disk: bigint
  /** Its permission bits. */
  mode: number
}

/** Null: the path does not exist or we may not see it. */
export function entryAt(path: string): PathEntry | null {
  const find = () => lstatSync(path, { bigint: true, throwIfNoEntry: false })
  const stat = nullIfUnreadable({ activity: 'read the status of', path }, find) ?? null
  return stat === null ? null : entryOf(stat)
}

function entryOf(stat: BigIntStats): PathEntry {
  const { size, mtimeNs, ctimeNs, ino, mode, dev } = stat
  return {
    kind: stat.isFile() ? 'file' : stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'other',
    size: Number(size),
    isExec: (mode & 0o100n) !== 0n,
    fingerprint: `${size}-${mtimeNs}-${ctimeNs}-${ino}`,
    changedNs: ctimeNs,
    disk: dev,
    mode: Number(mode & 0o7777n),
  }
}

/** The target of a link, byte for byte. Null: it is no longer a link. */
export function readLinkTarget(path: string): Buffer | null {
  return nullIfUnreadable({ activity: 'read', path }, () => readlinkSync(path, 'buffer'))
}

/** Does not block on a pipe, and does not follow a link that replaced the file. */
const READ_PLAIN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A file that is written continuously is returned as read the last time. */
const TRIES = 3

/** A plain file with the state it had when reading began, so that a later change has another fingerprint. Null: no plain file exists
 *  (any more). */
export function readRegularFile(path: string): { bytes: Buffer; entry: PathEntry } | null {
  for (let tries = 1; ; tries += 1) {
    const found = withRegularFile(path, (file, entry) => ({
      bytes: readFileSync(file),
      entry,
      after: entryOf(fstatSync(file, { bigint: true })).fingerprint,
    }))
    if (found === null) return null
    if (found.after === found.entry.fingerprint || tries === TRIES) return { bytes: found.bytes, entry: found.entry }
  }
}

/** The same for a file that may be larger than memory, in pieces. Each piece overwrites the one before. */
export function* readRegularFileChunks(path: string): Generator<Buffer, void, undefined> {
  const file = openRegularFile(path)
  if (file === null) return
  try {
    const piece = Buffer.allocUnsafe(1024 * 1024)
    for (let got = readSync(file, piece); got > 0; got = readSync(file, piece)) yield piece.subarray(0, got)
  } catch (thrown) {
    throw fileError(thrown, { activity: 'read', path })
  } finally {
    closeSync(file)
  }
}

/** SHA-256 of a plain file, in hex. */
export async function hashRegularFile(path: string, breathe: () => Promise<void>): Promise<string> {
  const hash = nodeCrypto().createHash('sha256')
  for (const piece of readRegularFileChunks(path)) {
    hash.update(piece)
    await breathe()
  }
  return hash.digest('hex')
}

function withRegularFile<T>(path: string, use: (file: number, entry: PathEntry) => T): T | null {
  const file = openRegularFile(path)
  if (file === null) return null
  try {
    const entry = entryOf(fstatSync(file, { bigint: true }))
    return entry.kind === 'file' ? use(file, entry) : null
  } catch (thrown) {
    throw fileError(thrown, { activity: 'read', path })
  } finally {
    closeSync(file)
  }
}

function openRegularFile(path: string): number | null {
  try {
    return openSync(path, READ_PLAIN)
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO'].includes(errorCodeOf(thrown))) return null
    throw fileError(thrown, { activity: 'read', path })
  }
}
