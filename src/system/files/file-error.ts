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
  // Told already, by whoever asked first.
  if (thrown instanceof RalphError) return thrown
  const failed = `could not ${activity} ${path}`
  const code = errorCodeOf(thrown)
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT': {
      const why = code === 'ENOSPC' ? 'the disk is full' : 'your disk quota is used up'
      const need = bytes === undefined ? 'some space' : `at least ${inWords(bytes)}`
      return new RalphError('disk', `${failed}: ${why}`, {
        hint: `Free ${need} there, then run the same command again.`,
        cause: thrown,
      })
    }
    case 'EFBIG':
      return new RalphError('disk', `${failed}: the file would be larger than this disk or user may have`, {
        hint: 'See the limit: ulimit -f. Raise it, then run the same command again.',
        cause: thrown,
      })
    case 'EIO':
      return new RalphError('disk', `${failed}: the disk answered with an error (EIO)`, {
        hint: 'Look at the health of the disk (dmesg, smartctl), then run the same command again.',
        cause: thrown,
      })
    case 'ESTALE':
    case 'ENOTCONN':
    case 'ENXIO':
    case 'ENODEV':
      return new RalphError('disk', `${failed}: the disk has gone away (${code})`, {
        hint: 'Mount it again, then run the same command again.',
        cause: thrown,
      })
    case 'EROFS':
      return new RalphError('disk', `${failed}: the file system is read-only`, {
        hint: 'Mount it writable, or work in a copy of the project on another disk.',
        cause: thrown,
      })
    case 'EACCES':
    case 'EPERM':
      return new RalphError('disk', `${failed}: permission denied`, {
        hint: `See who owns it and what is allowed: ls -ld ${path}`,
        cause: thrown,
      })
    case 'ENOENT':
      return new RalphError('not-found', `${failed}: it does not exist`, {
        hint: `Check the path: ${path}`,
        cause: thrown,
      })
    case 'EISDIR':
      return new RalphError('io', `${failed}: it is a folder, not a file`, {
        hint: 'Name a file inside it, or move the folder away.',
        cause: thrown,
      })
    case 'ENOTDIR':
    case 'EEXIST':
      return new RalphError('io', `${failed}: a file stands where a folder is needed`, {
        hint: 'Move that file away, or choose another path.',
        cause: thrown,
      })
    case 'EMFILE':
    case 'ENFILE':
      return new RalphError('disk', `${failed}: too many open files`, {
        hint: 'Raise the limit (ulimit -n 4096) and run the same command again.',
        cause: thrown,
      })
    default:
      return new RalphError('io', `${failed}: ${messageOf(thrown)}`, {
        hint: 'Check the disk, then run the same command again.',
        cause: thrown,
      })
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
