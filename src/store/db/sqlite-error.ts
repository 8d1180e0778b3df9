/** Turns SQLite's errors into messages: what happened, to which file, and what to do about it. */
import { dirname } from 'node:path'
import { messageOf, RalphError } from '../../core/error.ts'
import { findWriteError } from '../../system/files/file-error.ts'

/** SQLite's primary result codes that need different messages. */
const BUSY = 5
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

/** One library gives no code when a query for many rows fails, only SQLite's own sentence, which has been the same for decades. */
const SENTENCES: Record<string, number> = {
  'database is locked': BUSY,
  'attempt to write a readonly database': READONLY,
  'disk I/O error': IOERR,
  'database disk image is malformed': CORRUPT,
  'database or disk is full': FULL,
  'unable to open database file': CANTOPEN,
  'file is not a database': NOTADB,
}

export function isDatabaseBusy(error: unknown): boolean {
  return codeOf(error) === BUSY
}

/** SQLite's kind of error; 0 for an error that is not SQLite's. */
function codeOf(error: unknown): number {
  if (!(error instanceof Error)) return 0
  // The upper bits say more exactly what failed; the lowest byte is the kind.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  return SENTENCES[error.message] ?? 0
}

/** Turns a problem that a person can fix into a RalphError. A failed constraint or statement is a bug and stays as it is. */
export function explainSqliteError(error: unknown, file: string): unknown {
  switch (codeOf(error)) {
    case BUSY:
      return new RalphError('store-busy', `another process locked ${file} for too long`, {
        hint: 'See what is running: ralph status. Then try again.',
        cause: error,
      })
    case FULL:
      return new RalphError('disk', `the disk is full: ${file} could not be written`, {
        hint: 'Free some space, then run the same command again. Nothing that was saved is lost.',
        cause: error,
      })
    case IOERR:
      return (
        refused(file) ??
        new RalphError('disk', `the disk refused to read or write ${file} (${messageOf(error)})`, {
          hint: 'Check the disk, its free space and your quota, then run the same command again.',
          cause: error,
        })
      )
    case READONLY:
      return (
        refused(file) ??
        new RalphError('disk', `${file} is read-only`, {
          hint: 'Make the file and its folder writable for this user. Commands that only read still work.',
          cause: error,
        })
      )
    case CANTOPEN:
      return (
        refused(file) ??
        new RalphError('disk', `${file} could not be opened`, {
          hint: 'Check that its folder exists and that this user may read and write it.',
          cause: error,
        })
      )
    case CORRUPT:
    case NOTADB:
      return damagedStoreError(file, messageOf(error))
    default:
      return error
  }
}

/** SQLite does not say why it cannot write; checking the file and its folder does: a read-only mount, a missing permission. */
function refused(file: string): RalphError | null {
  return findWriteError(file) ?? findWriteError(dirname(file))
}

export function damagedStoreError(file: string, problem: string): RalphError {
  return new RalphError('store-damaged', `${file} is damaged (${problem})`, {
    hint: 'Start a run: Ralph quarantines the damaged file and creates a new one.',
  })
}

export function isStoreDamage(error: unknown): error is RalphError {
  return error instanceof RalphError && error.code === 'store-damaged'
}
