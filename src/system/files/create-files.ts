/**
 * Creates files where none exist: never writes through a link or into a file that another process may have open, and never makes hard
 * links, so that nobody can change a copy through another name.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleepFor, randomId, systemClock } from '../clock.ts'
import { type PathEntry, entryAt, readRegularFileChunks } from './path-entry.ts'
import { errorCodeOf, fileError, withFileError } from './file-error.ts'
import { type ModeAndDurability, removeQuietly, writeNew } from './replace-file.ts'

/** The file gets the usual permissions of a new file of this user. */
export function makeFile(path: string, bytes: Buffer, { isExec }: { isExec: boolean }): void {
  withFileError({ activity: 'write', path, bytes: bytes.length }, () =>
    writeNew(path, bytes, { mode: isExec ? 0o777 : 0o666, durable: false }),
  )
}

/** Larger files are copied in pieces, so that a stop request is noticed in between. */
const AT_ONCE_MAX = 16 * 1024 * 1024

/** Uses copy-on-write where the file system supports it. */
export async function makeCopy(from: string, to: string, breathe: () => Promise<void>): Promise<void> {
  try {
    if ((entryAt(from)?.size ?? 0) <= AT_ONCE_MAX) {
      copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    } else if (!clone(from, to)) await copyPieces(from, to, breathe)
  } catch (thrown) {
    // An abort error passes through unchanged.
    throw errorCodeOf(thrown).startsWith('E') ? fileError(thrown, { activity: 'copy', path: from }) : thrown
  }
}

function clone(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch {
    // Few file systems support this; some leave an empty file behind when it fails.
    rmSync(to, { force: true })
    return false
  }
}

async function copyPieces(from: string, to: string, breathe: () => Promise<void>): Promise<void> {
  const file = openSync(to, 'wx', entryAt(from)?.mode ?? 0o600)
  try {
    for (const piece of readRegularFileChunks(from)) {
      for (let done = 0; done < piece.length;) done += writeSync(file, piece, done)
      await breathe()
    }
  } finally {
    closeSync(file)
  }
}

/** `target` is stored in the link unchanged. */
export function makeLink(path: string, target: Buffer | string): void {
  withFileError({ activity: 'link', path }, () => symlinkSync(target, path))
}

/** One folder; its parent must exist. */
export function makeFolder(path: string, mode = 0o777): void {
  withFileError({ activity: 'make the folder', path }, () => mkdirSync(path, { mode }))
}

export function setMode(path: string, mode: number): void {
  withFileError({ activity: 'set the rights of', path }, () => chmodSync(path, mode))
}

/** Restores our own permissions on a folder of ours. */
export function ensureOwnerAccess(folder: string, entry: PathEntry | null = entryAt(folder)): void {
  if (entry !== null && (entry.mode & 0o700) !== 0o700) setMode(folder, 0o755)
}

/** Copies the modification time to a copy: some tools decide by it what is up to date. */
export function copyModifiedTime(from: string, to: string): void {
  withFileError({ activity: 'set the time of', path: to }, () => {
    const { atimeMs, mtimeMs } = lstatSync(from)
    utimesSync(to, atimeMs / 1000, mtimeMs / 1000)
  })
}

/** Longer than the tick of the coarsest file system clock. A time in the future would never be reached. */
const SETTLE_MAX_MS = 2500

/**
 * Waits until a file that changes from now on gets a later time stamp than `newest`, by the clock of the disk that holds `folder`: only
 * then does a fingerprint detect every later change.
 */
export async function awaitNewTimestamp(folder: string, newest: bigint): Promise<void> {
  const clock = systemClock()
  const until = clock.up() + SETTLE_MAX_MS
  for (;;) {
    const probe = join(folder, `.${randomId(10)}`)
    makeFile(probe, Buffer.alloc(0), { isExec: false })
    const now = entryAt(probe)?.changedNs ?? 0n
    rmSync(probe, { force: true })
    if (now > newest || clock.up() > until) return
    await sleepFor(2)
  }
}

/** Candidate folders for large temporary data, the best one first. */
export function tempFolderCandidates(env: Record<string, string | undefined> = process.env): string[] {
  const wanted = env['TMPDIR'] ?? ''
  return [...new Set([...(wanted === '' ? [] : [wanted]), '/var/tmp', tmpdir()])]
}

/**
 * Creates a file completely or not at all, written under another name first. `temporary` is a new file of ours in the same folder: where
 * a tool treats that name as a lock, it is the lock.
 */
export function createAtomic(
  path: string,
  bytes: Buffer,
  { temporary, ...how }: { temporary: string } & ModeAndDurability,
): void {
  withFileError({ activity: 'write', path, bytes: bytes.length }, () => {
    writeNew(temporary, bytes, how)
    try {
      renameSync(temporary, path)
    } catch (thrown) {
      removeQuietly(temporary)
      throw thrown
    }
  })
}
