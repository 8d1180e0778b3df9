/**
 * Turns file system errors into messages: what happened, to which path, and what to do about it. `disk` means that the disk refuses
 * (full, broken, read-only, no permission): the same command works once that is fixed. `io` means a path of the wrong kind.
 */
import { accessSync, constants } from 'node:fs'
import { RalphError, messageOf } from '../../core/error.ts'
import { formatSize } from '../../core/text/format-amounts.ts'

export interface FileErrorContext {
  /** As it reads after "could not": `read`, `write`, `make the folder`. */
  activity: string
  path: string
  /** How many bytes were to be written, if known. */
  bytes?: number
}

export function fileError(thrown: unknown, { activity, path, bytes }: FileErrorContext): RalphError {
  // Code closer to the file has already described it.
  if (thrown instanceof RalphError) return thrown
  const failure = (kind: 'disk' | 'io' | 'not-found', why: string, hint: string) =>
    new RalphError(kind, `could not ${activity} ${path}: ${why}`, { hint, cause: thrown })
  const need = bytes === undefined ? 'some space' : `at least ${formatSize(bytes)}`
  const free = `Free ${need} there, ${AGAIN}`
  const code = errorCodeOf(thrown)
  switch (code) {
    case 'ENOSPC':
      return failure('disk', 'the disk is full', free)
    case 'EDQUOT':
      return failure('disk', 'your disk quota is used up', free)
    case 'EFBIG': {
      const why = 'the file would exceed the size limit of this disk or user'
      return failure('disk', why, `Raise the limit (see ulimit -f), ${AGAIN}`)
    }
    case 'EIO': {
      const hint = `Check the disk (dmesg, smartctl), ${AGAIN}`
      return failure('disk', 'the disk reported an error (EIO)', hint)
    }
    case 'ESTALE':
    case 'ENOTCONN':
    case 'ENXIO':
    case 'ENODEV':
      return failure('disk', `the disk is no longer available (${code})`, `Mount it again, ${AGAIN}`)
    case 'EROFS': {
      const hint = 'Mount it writable, or work in a copy of the project on another disk.'
      return failure('disk', 'the file system is read-only', hint)
    }
    case 'EACCES':
    case 'EPERM':
      return failure('disk', 'permission denied', `Check its owner and permissions: ls -ld ${path}`)
    case 'ENOENT':
      return failure('not-found', 'it does not exist', `Check the path: ${path}`)
    case 'EISDIR':
      return failure('io', 'it is a folder, not a file', 'Name a file inside it, or move the folder away.')
    case 'ENOTDIR':
    case 'EEXIST':
      return failure('io', 'a file is where a folder is needed', 'Move that file away, or choose another path.')
    case 'EMFILE':
    case 'ENFILE':
      return failure('disk', 'too many open files', 'Raise the limit (ulimit -n 4096) and run the same command again.')
    default:
      return failure('io', messageOf(thrown), `Check the disk, ${AGAIN}`)
  }
}

const AGAIN = 'then run the same command again.'

/** Runs `work` on a path; an error becomes one that names the path and says what to do. */
export function withFileError<T>(at: FileErrorContext, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw fileError(thrown, at)
  }
}

/** The same for a path that may be missing; then null. */
export function nullIfMissing<T>(at: FileErrorContext, work: () => T): T | null {
  try {
    return work()
  } catch (thrown) {
    if (isNotFound(thrown)) return null
    throw fileError(thrown, at)
  }
}

/** The same for a path that may be missing or not readable for us; then null. Only a failing disk is an error: it does not say that
 *  nothing is there. */
export function nullIfUnreadable<T>(at: FileErrorContext, work: () => T): T | null {
  try {
    return work()
  } catch (thrown) {
    if (isDiskFailure(thrown)) throw fileError(thrown, at)
    return null
  }
}

/** The system's error code (`ENOENT`), or an empty text. */
export function errorCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

/** Explains what prevents writing to this path; null: nothing visible from here. */
export function findWriteError(path: string): RalphError | null {
  try {
    accessSync(path, constants.W_OK)
    return null
  } catch (thrown) {
    return isNotFound(thrown) ? null : fileError(thrown, { activity: 'write', path })
  }
}

/** The system's error texts as they end a line of another program's stderr in the C locale. */
const SAID: Record<string, string> = {
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'File too large': 'EFBIG',
  'Read-only file system': 'EROFS',
  'Input/output error': 'EIO',
  'Stale file handle': 'ESTALE',
  'Too many open files': 'EMFILE',
}

/** Whether a program failed because of the disk; null: for another reason. */
export function parseDiskError(stderr: string, problem: FileErrorContext): RalphError | null {
  const said = stderr.split('\n').map((line) => SAID[/: ([^:]+)$/.exec(line.trimEnd())?.[1] ?? ''])
  const code = said.find((one) => one !== undefined)
  return code === undefined ? null : fileError(Object.assign(new Error(stderr.trim()), { code }), problem)
}

/** The disk could not tell whether the path exists. Treating that as missing would start from scratch or report a loss. */
export function isDiskFailure(thrown: unknown): boolean {
  return ['EIO', 'ESTALE', 'ENOTCONN', 'ENXIO', 'ENODEV'].includes(errorCodeOf(thrown))
}

/** The path does not exist, or one of its parent folders is a file. */
export function isNotFound(thrown: unknown): boolean {
  return errorCodeOf(thrown) === 'ENOENT' || errorCodeOf(thrown) === 'ENOTDIR'
}
