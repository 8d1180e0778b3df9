/** Turns what the file system answers into words: what happened, to which path, and what to do about it. */
import { RalphError, messageOf } from '../domain/error.ts'

export interface FileTrouble {
  /** As it reads after "could not": `read`, `write`, `make the folder`. */
  doing: string
  path: string
  /** How much was to be written, if known. */
  bytes?: number
}

export function fileError(thrown: unknown, { doing, path, bytes }: FileTrouble): RalphError {
  const failed = `could not ${doing} ${path}`
  const code = codeOf(thrown)
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
    case 'EROFS':
      return new RalphError('io', `${failed}: the file system is read-only`, {
        hint: 'Mount it writable, or work in a copy of the project on another disk.',
        cause: thrown,
      })
    case 'EACCES':
    case 'EPERM':
      return new RalphError('io', `${failed}: permission denied`, {
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
      return new RalphError('io', `${failed}: too many open files`, {
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
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

/** There is no such path, or one of its folders is a file: either way nothing is there. */
export function isAbsence(thrown: unknown): boolean {
  return codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR'
}

function inWords(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.ceil(bytes / 1024 / 1024)} MB`
}
