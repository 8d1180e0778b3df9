/**
 * Quarantines a damaged database file: renames it with its side files and never overwrites it. Ralph does this only after a second
 * check, and never while a living process writes to the file.
 */
import { basename, dirname, join } from 'node:path'
import { messageOf, RalphError } from '../../core/error.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import { exists, fileId, listFolder } from '../../system/files/files.ts'
import { moveFile } from '../../system/files/copy-move.ts'
import { isAlive, ownProcessIdentity, type ProcessIdentity } from '../../system/process/process-identity.ts'
import { readLastRowNote } from './last-row-note.ts'
import { openSqlite, type Sqlite } from './sqlite.ts'
import { isStoreDamage } from './sqlite-error.ts'
import { tryQuietly, listWriterMarks, type WriterMark } from './writer-marks.ts'

export interface SuspectStore {
  file: string
  /** The identity of the failed file: another process may have created a new one meanwhile, which must stay. */
  seen: string | null
  /** The caller's own writer mark, if any. */
  mark: string | null
  error: RalphError
}

/** Returns the new name of the file; null: another file is already in its place. */
export async function quarantineStore({ file, seen, mark, error }: SuspectStore): Promise<string | null> {
  if (fileId(file) !== seen) return null
  const look = await recheckStore(file)
  const living = look.writers.find((writer) => writer.alive && writer.key !== mark)?.who ?? engineOf(file)
  if (living !== null) throw storeInUseError(file, living.pid)
  // Damaged JSON text can be in intact pages, in which a second check finds nothing.
  if (look.sound && !(error.cause instanceof SyntaxError)) throw transientDamageError(file, error)
  return moveAside(file, error)
}

/** The engine named by the last-row note, for when the writer marks are unreadable; null: it is dead, or it is this process. */
function engineOf(file: string): ProcessIdentity | null {
  const by = readLastRowNote(file)?.by ?? null
  return by !== null && by.pid !== ownProcessIdentity().pid && isAlive(by) ? by : null
}

/** Quarantines what remains of a missing or empty file. */
export function quarantineRemains(file: string, error: RalphError): string {
  const engine = engineOf(file)
  if (engine === null) return moveAside(file, error)
  throw new RalphError('held', `${messageOf(error)}, and process ${engine.pid} is still using it`, {
    hint: `End it with: kill ${engine.pid}. Then run the same command again.`,
  })
}

/** Moves the side files first and the file last, so that after a kill in between the next command finds the damage again. */
function moveAside(file: string, error: RalphError): string {
  const kept = `${file}${ASIDE}${isoTime(systemClock().at()).replaceAll(/[:.]/g, '-')}`
  try {
    for (const tail of ['-wal', '-shm', '-newest', '']) {
      if (exists(`${file}${tail}`)) moveFile(`${file}${tail}`, `${kept}${tail}`)
    }
  } catch (refused) {
    if (!(refused instanceof RalphError)) throw refused
    throw new RalphError(error.code, `${messageOf(error)}, and Ralph could not quarantine it: ${refused.message}`, {
      hint: refused.hint ?? '',
      cause: refused,
    })
  }
  return kept
}

const ASIDE = '.damaged-'

/** The newest quarantined store in this folder. */
export function lastQuarantinedPath(file: string): string | null {
  const begins = `${basename(file)}${ASIDE}`
  const names = listFolder(dirname(file)).filter((name) => name.startsWith(begins))
  const newest = names.at(-1)?.replace(/-(?:wal|shm|newest)$/, '')
  return newest === undefined ? null : join(dirname(file), newest)
}

/** SQLite's own program can recover the rows outside the damaged pages. */
export function recoveryHint(kept: string): string {
  return `Recover what is readable: sqlite3 '${kept}' .recover`
}

/** Checks the file with a separate connection, independent of what the first one has in memory. */
async function recheckStore(file: string): Promise<{ sound: boolean; writers: WriterMark[] }> {
  let sqlite: Sqlite | null = null
  let writers: WriterMark[] = []
  try {
    sqlite = openSqlite(file, { immutable: false, notice: () => {} })
    writers = await listWriterMarks(sqlite)
    const [row] = await sqlite.peek('integrity_check', 'pragma_integrity_check limit 1')
    return { sound: row?.[0] === 'ok', writers }
  } catch (error) {
    if (isStoreDamage(error)) return { sound: false, writers }
    throw error
  } finally {
    const opened = sqlite
    if (opened !== null) await tryQuietly(() => opened.close())
  }
}

/** The hint says `kill` because `ralph stop` would have to read the damaged file. */
export function storeInUseError(file: string, pid: number): RalphError {
  return new RalphError('held', `${file} is damaged, and process ${pid} is still writing to it`, {
    hint: `End it with: kill ${pid}. Then run the same command again.`,
  })
}

function transientDamageError(file: string, error: RalphError): RalphError {
  return new RalphError('store-damaged', `${messageOf(error)}, but a second check found no damage`, {
    hint: `Run the same command again. If that does not help, move the file away: mv '${file}' '${file}.old'`,
    cause: error,
  })
}
