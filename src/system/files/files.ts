/**
 * Files and folders, with errors that a person can act on. Everything is synchronous: our files are small, and a half-done write between
 * two turns of the event loop would be one more state that a crash could leave behind.
 */
import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { RalphError, messageOf } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { encodeFileName } from './non-utf8-names.ts'
import { errorCodeOf, fileError, nullIfMissing, nullIfUnreadable, withFileError } from './file-error.ts'
import { withOpenFile } from './open-file.ts'
import { nodeCrypto } from '../lazy-node.ts'
import { replaceFile } from './replace-file.ts'

/** Ralph's own files may contain secrets of the project: only the owner may read them. */
const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

export interface WriteOptions {
  /** For a new file, 0600 by default. An existing file keeps its mode. */
  mode?: number
}

/** After this returns the new content survives a power cut; before, the old content is complete. */
export function writeAtomic(path: string, content: string | Buffer, { mode }: WriteOptions = {}): void {
  replaceFile(path, content, { mode: mode ?? PRIVATE_FILE, durable: true })
}

/** For files that can be generated again: readers never see half a file, but a power cut may bring back an older version. */
export function writeWithoutSync(path: string, content: string | Buffer, { mode }: WriteOptions = {}): void {
  replaceFile(path, content, { mode: mode ?? PRIVATE_FILE, durable: false })
}

/** Null if the file does not exist; any other obstacle is an error. */
export function readIfExists(path: string): string | null {
  return nullIfMissing({ activity: 'read', path }, () => readFileSync(path, 'utf8'))
}

export function readText(path: string): string {
  return withFileError({ activity: 'read', path }, () => readFileSync(path, 'utf8'))
}

/** Reads a file of any size in pieces; the event loop runs in between. */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) yield piece
  } catch (thrown) {
    throw fileError(thrown, { activity: 'read', path })
  }
}

export function ensureFolder(path: string, mode = PRIVATE_FOLDER): void {
  withFileError({ activity: 'make the folder', path }, () => makeFolders(path, mode))
}

/** One by one: Node's recursive mode reports a read-only or broken disk as "does not exist". */
function makeFolders(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (thrown) {
    if (isFolder(path)) return
    if (errorCodeOf(thrown) !== 'ENOENT' || dirname(path) === path) throw thrown
    makeFolders(dirname(path), mode)
    makeFolders(path, mode)
  }
}

/** Writes the line in one call, so that lines of several processes do not mix. */
export function appendLine(path: string, line: string): void {
  withFileError({ activity: 'write', path, bytes: Buffer.byteLength(line) + 1 }, () =>
    appendFileSync(path, `${line}\n`, { mode: PRIVATE_FILE }),
  )
}

/** Removes a file. */
export function removeIfExists(path: string): void {
  nullIfMissing({ activity: 'remove', path }, () => rmSync(encodeFileName(path)))
}

/** Removes a folder with its content. */
export function removeFolder(path: string): void {
  nullIfMissing({ activity: 'remove the folder', path }, () =>
    rmSync(encodeFileName(path), { recursive: true, maxRetries: 3 }),
  )
}

/** The names in a folder, sorted; none when there is no such folder. */
export function listFolder(path: string): string[] {
  return nullIfMissing({ activity: 'list', path }, () => readdirSync(encodeFileName(path)).sort()) ?? []
}

export function exists(path: string): boolean {
  return statIfExists(path) !== null
}

export function isFolder(path: string): boolean {
  return statIfExists(path)?.isDirectory() ?? false
}

function statIfExists(path: string): Stats | null {
  const find = (): Stats | undefined => statSync(encodeFileName(path), { throwIfNoEntry: false })
  return nullIfUnreadable({ activity: 'read the status of', path }, find) ?? null
}

/** Identifies the file itself: two paths with the same id are the same file. */
export function fileId(path: string): string | null {
  const found = nullIfMissing({ activity: 'read the status of', path }, () => statSync(path, { bigint: true }))
  return found === null ? null : `${found.dev}:${found.ino}`
}

/** The same for a file that may be deleted and created again: inode numbers are reused, birth times are not. */
export function fileBirthId(path: string): string | null {
  const found = nullIfMissing({ activity: 'read the status of', path }, () => statSync(path, { bigint: true }))
  return found === null ? null : `${found.dev}:${found.ino}:${found.birthtimeNs}`
}

/** When a file was last written; null if unknown. */
export function modifiedAt(path: string): Instant | null {
  const stats = statIfExists(path)
  return stats === null ? null : Math.trunc(stats.mtimeMs)
}

export function sizeOf(path: string): number | null {
  return nullIfMissing({ activity: 'read the status of', path }, () => statSync(path).size)
}

/** The total size of all files in a folder; 0 if it does not exist. Links are not followed. */
export function folderSize(path: string): number {
  const entries = nullIfMissing({ activity: 'list', path }, () => readdirSync(path, { withFileTypes: true })) ?? []
  return entries.reduce((sum, entry) => {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) return sum + folderSize(inside)
    return sum + (entry.isFile() ? (sizeOf(inside) ?? 0) : 0)
  }, 0)
}

/** SHA-256 in hex. */
export function hashText(text: string): string {
  return nodeCrypto().createHash('sha256').update(text).digest('hex')
}

/** SHA-256 in hex, read piece by piece: the file may be larger than memory. */
export function hashFile(path: string): string | null {
  const hash = nodeCrypto().createHash('sha256')
  const digest = (file: number): string => {
    // Most files are small, and thousands of large pieces would keep the garbage collector busier than the disk.
    const piece = Buffer.allocUnsafe(Math.min(256 * 1024, Math.max(4096, fstatSync(file).size)))
    for (let got = readSync(file, piece); got > 0; got = readSync(file, piece)) hash.update(piece.subarray(0, got))
    return hash.digest('hex')
  }
  return nullIfMissing({ activity: 'read', path }, () => withOpenFile(path, { flags: 'r' }, digest))
}

/** A new private folder under the system's temporary one; the path has no links in it. */
export function makeTempFolder(prefix: string): string {
  const path = join(tmpdir(), prefix)
  return withFileError({ activity: 'make a folder like', path }, () => realpathSync(mkdtempSync(path)))
}

export interface AppendStream {
  /** Never throws: an agent continues even if its log fails. */
  write(chunk: Buffer): void
  close(): Promise<void>
  /** Bytes written so far: the offset of the next chunk. */
  readonly bytes: number
  /** Why part of the log is missing, or null. */
  readonly broken: string | null
}

/** A log. Written data is handed to the kernel at once, so it survives even if Ralph is killed right after. */
export function openAppendStream(path: string): AppendStream {
  let file: number | null = null
  let bytes = 0
  let lost = 0
  let broken: string | null = null

  const attempt = (work: () => void): boolean => {
    try {
      work()
      return true
    } catch (thrown) {
      broken ??= messageOf(fileError(thrown, { activity: 'write', path }))
      return false
    }
  }
  const put = (fd: number, chunk: Buffer) => {
    for (let done = 0; done < chunk.length;) {
      const written = writeSync(fd, chunk, done)
      done += written
      bytes += written
    }
  }

  attempt(() => {
    file = openSync(path, 'a', PRIVATE_FILE)
    bytes = fstatSync(file).size
  })
  const store = (chunk: Buffer): boolean => {
    const fd = file
    return fd !== null && attempt(() => put(fd, chunk))
  }
  const markGap = (): boolean => {
    if (lost > 0 && store(Buffer.from(`\n[ralph: ${lost} bytes are missing here: ${broken}]\n`))) lost = 0
    return lost === 0
  }

  return {
    write(chunk) {
      if (!markGap()) {
        lost += chunk.length
        return
      }
      const before = bytes
      if (!store(chunk)) lost += chunk.length - (bytes - before)
    },
    async close() {
      markGap()
      const fd = file
      file = null
      if (fd !== null) attempt(() => closeSync(fd))
    },
    get bytes() {
      return bytes
    },
    get broken() {
      return broken
    },
  }
}

let home: string | null = null

/** The absolute path of a file under `assets/`, both from the sources and from the bundle. */
export function assetPath(name: string): string {
  home ??= packageFolder(import.meta.dirname)
  return join(home, 'assets', name)
}

function packageFolder(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from
  const above = dirname(from)
  if (above === from) throw new RalphError('bug', 'the package that Ralph was installed from has no package.json')
  return packageFolder(above)
}
