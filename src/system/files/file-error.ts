/**
 * Turns what the file system answers into words: what happened, to which path, and what to do about it. `disk` is a disk that refuses
 * (full, broken, read-only, not ours to write): the same command works once that is cured. `io` is a path of the wrong shape.
 */
import { accessSync, constants } from 'node:fs'
import { RalphError, messageOf } from '../../core/error.ts'

export interface FileErrorContext {
  /** As it reads after "could not": `read`, `write`, `make the folder`. */
  activity: string
  path: string
  /** How much was to be written, if known. */
  bytes?: number
}

export function fileError(thrown: unknown, { activity, path, bytes }: FileErrorContext): RalphError {
  // Somebody nearer to the file has reported it already.
  if (thrown instanceof RalphError) return thrown
  const failure = (kind: 'disk' | 'io' | 'not-found', why: string, hint: string) =>
    new RalphError(kind, `could not ${activity} ${path}: ${why}`, { hint, cause: thrown })
  const need = bytes === undefined ? 'some space' : `at least ${inWords(bytes)}`
  const free = `Free ${need} there, ${AGAIN}`
  const code = errorCodeOf(thrown)
  switch (code) {
    case 'ENOSPC':
      return failure('disk', 'the disk is full', free)
    case 'EDQUOT':
      return failure('disk', 'your disk quota is used up', free)
    case 'EFBIG': {
      const why = 'the file would be larger than this disk or user may have'
      return failure('disk', why, `See the limit: ulimit -f. Raise it, ${AGAIN}`)
    }
    case 'EIO': {
      const hint = `Look at the health of the disk (dmesg, smartctl), ${AGAIN}`
      return failure('disk', 'the disk answered with an error (EIO)', hint)
    }
    case 'ESTALE':
    case 'ENOTCONN':
    case 'ENXIO':
    case 'ENODEV':
      return failure('disk', `the disk has gone away (${code})`, `Mount it again, ${AGAIN}`)
    case 'EROFS': {
      const hint = 'Mount it writable, or work in a copy of the project on another disk.'
      return failure('disk', 'the file system is read-only', hint)
    }
    case 'EACCES':
    case 'EPERM':
      return failure('disk', 'permission denied', `See who owns it and what is allowed: ls -ld ${path}`)
    case 'ENOENT':
      return failure('not-found', 'it does not exist', `Check the path: ${path}`)
    case 'EISDIR':
      return failure('io', 'it is a folder, not a file', 'Name a file inside it, or move the folder away.')
    case 'ENOTDIR':
    case 'EEXIST': {
      const why = 'a file stands where a folder is needed'
      return failure('io', why, 'Move that file away, or choose another path.')
    }
    case 'EMFILE':
    case 'ENFILE': {
      const hint = 'Raise the limit (ulimit -n 4096) and run the same command again.'
      return failure('disk', 'too many open files', hint)
    }
    default:
      return failure('io', messageOf(thrown), `Check the disk, ${AGAIN}`)
  }
}

const AGAIN = 'then run the same command again.'

/** Does something to a path; an error becomes one that names the path and says what to do. */
export function withFileError<T>(at: FileErrorContext, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw fileError(thrown, at)
  }
}

/** The same for what need not be there; null: it is not. */
export function ifPresent<T>(at: FileErrorContext, work: () => T): T | null {
  try {
    return work()
  } catch (thrown) {
    if (isNotFound(thrown)) return null
    throw fileError(thrown, at)
  }
}

/** The same for what we need not be allowed to see. Null: nothing is there that we may see. Only a disk that fails is an error: it has
 *  not said that nothing is there. */
export function ifVisible<T>(at: FileErrorContext, work: () => T): T | null {
  try {
    return work()
  } catch (thrown) {
    if (isDiskFailure(thrown)) throw fileError(thrown, at)
    return null
  }
}

/** The system's own word for an error (`ENOENT`), or nothing. */
export function errorCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

/** What keeps this path from being written, in words; null: nothing that can be seen from here. */
export function writeProblem(path: string): RalphError | null {
  try {
    accessSync(path, constants.W_OK)
    return null
  } catch (thrown) {
    return isNotFound(thrown) ? null : fileError(thrown, { activity: 'write', path })
  }
}

/** The system's words at the end of a line of another program's complaint, as it says them in the C locale. */
const SAID: Record<string, string> = {
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'File too large': 'EFBIG',
  'Read-only file system': 'EROFS',
  'Input/output error': 'EIO',
  'Stale file handle': 'ESTALE',
  'Too many open files': 'EMFILE',
}

/** Whether a program failed because of the disk; null: for some other reason. */
export function diskErrorIn(stderr: string, problem: FileErrorContext): RalphError | null {
  const said = stderr.split('\n').map((line) => SAID[/: ([^:]+)$/.exec(line.trimEnd())?.[1] ?? ''])
  const code = said.find((one) => one !== undefined)
  return code === undefined ? null : fileError(Object.assign(new Error(stderr.trim()), { code }), problem)
}

/** The disk could not say whether something is there: taken for an absence it would be begun anew, or told as missing. */
export function isDiskFailure(thrown: unknown): boolean {
  return ['EIO', 'ESTALE', 'ENOTCONN', 'ENXIO', 'ENODEV'].includes(errorCodeOf(thrown))
}

/** There is no such path, or one of its folders is a file: either way nothing is there. */
export function isNotFound(thrown: unknown): boolean {
  return errorCodeOf(thrown) === 'ENOENT' || errorCodeOf(thrown) === 'ENOTDIR'
}

function inWords(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.ceil(bytes / 1024 / 1024)} MB`
}
