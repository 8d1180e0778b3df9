/**
 * Files made anew where nothing stands: never written through a link or into a file that somebody else may hold open, and never two
 * names of one file, so that nobody changes a copy from afar.
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
import { type WriteMode, discard, writeNew } from './replace-file.ts'

/** With the rights that any new file of this user gets. */
export function makeFile(path: string, bytes: Buffer, { isExec }: { isExec: boolean }): void {
  withFileError({ activity: 'write', path, bytes: bytes.length }, () =>
    writeNew(path, bytes, { mode: isExec ? 0o777 : 0o666, durable: false }),
  )
}

/** More is copied piece by piece, so that a stop is heard meanwhile. */
const AT_ONCE_MAX = 16 * 1024 * 1024

/** Where the disk can, the two share their blocks until one of them is written to. */
export async function makeCopy(from: string, to: string, breathe: () => Promise<void>): Promise<void> {
  try {
    if ((entryAt(from)?.size ?? 0) <= AT_ONCE_MAX) {
      copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    } else if (!clone(from, to)) await copyPieces(from, to, breathe)
  } catch (thrown) {
    // Called off: told as it came.
    throw errorCodeOf(thrown).startsWith('E') ? fileError(thrown, { activity: 'copy', path: from }) : thrown
  }
}

function clone(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch {
    // Hardly any disk can; some leave an empty file behind when they cannot.
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

/** `target`: as the link shall say it. */
export function makeLink(path: string, target: Buffer | string): void {
  withFileError({ activity: 'link', path }, () => symlinkSync(target, path))
}

/** One folder, in one that is there. */
export function makeFolder(path: string, mode = 0o777): void {
  withFileError({ activity: 'make the folder', path }, () => mkdirSync(path, { mode }))
}

export function setMode(path: string, mode: number): void {
  withFileError({ activity: 'set the rights of', path }, () => chmodSync(path, mode))
}

/** Gives us back what rights were taken from a folder of ours. */
export function restorePermissions(folder: string, entry: PathEntry | null = entryAt(folder)): void {
  if (entry !== null && (entry.mode & 0o700) !== 0o700) setMode(folder, 0o755)
}

/** Gives a copy the time of the last change of what it was copied from: some tools tell by it what is fresh. */
export function copyModifiedTime(from: string, to: string): void {
  withFileError({ activity: 'set the time of', path: to }, () => {
    const { atimeMs, mtimeMs } = lstatSync(from)
    utimesSync(to, atimeMs / 1000, mtimeMs / 1000)
  })
}

/** Longer than the tick of the coarsest clock of a file system. A time in the future would never come. */
const SETTLE_MAX_MS = 2500

/**
 * Waits until a file that is changed from now on gets another time than `newest`, by the clock of the disk that `folder` is on: only
 * then does a fingerprint tell every later change.
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

/** Where large folders of a short life may stand, the best place first. */
export function tempFolderCandidates(env: Record<string, string | undefined> = process.env): string[] {
  const wanted = env['TMPDIR'] ?? ''
  return [...new Set([...(wanted === '' ? [] : [wanted]), '/var/tmp', tmpdir()])]
}

/**
 * A file that is there as a whole or not at all, written under another name first. `temporary` is in the same folder, made anew and
 * nobody else's: where a tool takes that name for a lock, it is one.
 */
export function createAtomic(
  path: string,
  bytes: Buffer,
  { temporary, ...how }: { temporary: string } & WriteMode,
): void {
  withFileError({ activity: 'write', path, bytes: bytes.length }, () => {
    writeNew(temporary, bytes, how)
    try {
      renameSync(temporary, path)
    } catch (thrown) {
      discard(temporary)
      throw thrown
    }
  })
}
