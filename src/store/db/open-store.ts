/**
 * Opens the one file in which a project is remembered. A reading command pays for nothing but the opening: whole-file checks run
 * only after a process that wrote here ended without closing. What is wrong with a file is said here; what is done about it, in use.ts.
 */
import { dirname } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { appendStream, ensureFolder, exists, fileId, sizeOf } from '../../system/files/files.ts'
import { isIndexDamage, rebuildTextIndex } from './dialect.ts'
import { readSchemaVersion, migrateDatabase } from './migrate.ts'
import { findLostRows, readLastRowNote, type LostRows } from './last-row-note.ts'
import { recoveryHint, lastQuarantined, storeInUseError } from './quarantine.ts'
import type { Sql } from './sql.ts'
import { openSqlite, type Sqlite } from './sqlite.ts'
import { damagedStoreError, isStoreDamage } from './sqlite-error.ts'
import { findRunTraces } from './run-traces.ts'
import { removeWriters, tryQuietly, trackWriter, listWriters } from './writers.ts'

export interface Store {
  file: string
  sql: Sql
  /** What was written and is not in the file any more; null: nothing is known to be missing. */
  lost: LostRows | null
  /** The open file is still the file at the path. If not, what we write is lost with it: stop. */
  isSameFile(): boolean
  close(): Promise<void>
}

/** With what only those need who may have to set it aside. */
export interface OpenedStore extends Store {
  /** Which file it is. */
  id: string | null
  /** Key of the mark that it left before its first write; null: it has not written. */
  mark: () => string | null
}

export interface OpenStoreOptions {
  /** Begin a new store where there is none. */
  create: boolean
  /** Begin it also where traces tell that there was one: somebody has been told. */
  ignoreTraces?: boolean
  notice: (text: string) => void
}

export async function openStore(file: string, options: OpenStoreOptions): Promise<OpenedStore> {
  if (options.create) ensureFolder(dirname(file))
  const size = sizeOf(file)
  if (options.ignoreTraces !== true && (size ?? 0) === 0)
    refuseEmptied(file, size === null ? 'is gone' : 'is empty (0 bytes)')
  if (options.create) await createPrivate(file)
  else if (!exists(file)) throw nothingYet(file)
  const newest = readLastRowNote(file)
  const wal = (sizeOf(`${file}-wal`) ?? 0) > 0
  const sqlite = await openReadable(file, options)
  const id = fileId(file)
  try {
    const version = await readSchemaVersion(sqlite, file)
    // A young database is but a header: all the rest is in its `-wal`.
    if (version === 0 && options.ignoreTraces !== true)
      refuseEmptied(file, 'holds nothing any more: its -wal file is gone')
    if (version === 0 && !options.create) throw nothingYet(file)
    await sqlite.script('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
    await migrateDatabase(sqlite, version)
    await checkAfterUncleanEnd(sqlite, file)
    const lost = await findLostRows(sqlite, newest, wal)
    const { sql, mark, close } = trackWriter(sqlite)
    return { file, sql, lost, close, isSameFile: () => id !== null && fileId(file) === id, id, mark }
  } catch (error) {
    await tryQuietly(() => sqlite.close())
    throw error
  }
}

/**
 * A file that is gone or empty where runs were written is not simply begun anew. It is not even opened: SQLite removes the `-wal` of an
 * empty file, and that may hold all that is left.
 */
function refuseEmptied(file: string, what: string): void {
  const traces = findRunTraces(file)
  if (traces === null) return
  const held = traces.seq === null ? `run ${traces.run}` : `run ${traces.run} up to row ${traces.seq}`
  throw new RalphError('store-lost', `${file} ${what}. It held ${held}`, {
    hint: 'Put it back if you have it. Or begin a new one: ralph loop. The logs of earlier runs are beside it.',
  })
}

/**
 * An empty file is an empty database. Made here, it is the owner's alone before its first byte, and SQLite gives `-wal` and `-shm`
 * the mode of the file. A file that is there stays as it is.
 */
async function createPrivate(file: string): Promise<void> {
  if (!exists(file)) await appendStream(file).close()
}

/**
 * On a disk that is read-only or full SQLite cannot make its `-shm` file. If there is no `-wal` whose rows would be missed, reading the
 * file frozen is safe there.
 */
async function openReadable(file: string, options: OpenStoreOptions): Promise<Sqlite> {
  const sqlite = openSqlite(file, { immutable: false, notice: options.notice })
  try {
    await sqlite.peek('schema_version', 'pragma_schema_version')
    return sqlite
  } catch (error) {
    await tryQuietly(() => sqlite.close())
    const cannotWrite = error instanceof RalphError && error.code === 'disk'
    if (options.create || !cannotWrite || exists(`${file}-wal`)) throw error
    return openSqlite(file, { immutable: true, notice: options.notice })
  }
}

/** A writer that is gone but left its mark was cut off: killed, or the machine went down. */
async function checkAfterUncleanEnd(sqlite: Sqlite, file: string): Promise<void> {
  const writers = await listWriters(sqlite)
  const gone = writers.filter((writer) => !writer.alive)
  if (gone.length === 0) return
  const problem = await checkMending(sqlite)
  const living = writers.find((writer) => writer.alive)
  if (problem !== null)
    throw living === undefined ? damagedStoreError(file, problem) : storeInUseError(file, living.who.pid)
  await removeWriters(
    sqlite,
    gone.map((writer) => writer.key),
  )
}

/** An index that can be made anew is no reason to quarantined runs and tasks. */
async function checkMending(sqlite: Sqlite): Promise<string | null> {
  const problem = await quickCheck(sqlite)
  if (problem === null || !isIndexDamage(problem)) return problem
  await sqlite.script(rebuildTextIndex('journal'))
  return quickCheck(sqlite)
}

/** What is wrong with the file, or null. Where the damage lies decides whether SQLite reports it or gives up. */
async function quickCheck(sqlite: Sqlite): Promise<string | null> {
  try {
    const rows = await sqlite.peek('quick_check', 'pragma_quick_check limit 1')
    const words = String(rows[0]?.[0] ?? 'no answer')
    return words === 'ok' ? null : words.replaceAll(/\s+/g, ' ')
  } catch (error) {
    if (isStoreDamage(error)) return 'it cannot be read to its end'
    throw error
  }
}

function nothingYet(file: string): RalphError {
  const kept = lastQuarantined(file)
  if (kept === null)
    return new RalphError('no-run', 'nothing has run in this project yet', {
      hint: `Start with: ralph loop. (The store would be ${file}.)`,
    })
  return new RalphError('no-run', `nothing has run here since the damaged store was set aside as ${kept}`, {
    hint: `Start with: ralph loop. ${recoveryHint(kept)}`,
  })
}
