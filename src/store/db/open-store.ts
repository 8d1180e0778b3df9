/**
 * Opens the database file of a project. A reading command pays only for opening it: whole-file checks run only after a writing process
 * ended without closing it. This module detects problems of the file; `use-store.ts` handles them.
 */
import { dirname } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { openAppendStream, ensureFolder, exists, fileId, sizeOf } from '../../system/files/files.ts'
import { isTextIndexDamage, rebuildTextIndexSql } from './dialect.ts'
import { readSchemaVersion, migrateDatabase } from './migrate.ts'
import { findLostRows, readLastRowNote, type LostRows } from './last-row-note.ts'
import { recoveryHint, lastQuarantinedPath, storeInUseError } from './quarantine.ts'
import type { Sql } from './sql.ts'
import { openSqlite, type Sqlite } from './sqlite.ts'
import { damagedStoreError, isStoreDamage } from './sqlite-error.ts'
import { findRunTraces } from './run-traces.ts'
import { removeWriterMarks, tryQuietly, createWriterMarkedSql, listWriterMarks } from './writer-marks.ts'

export interface Store {
  file: string
  sql: Sql
  /** Rows that were committed and are no longer in the file; null: no loss is known. */
  lost: LostRows | null
  /** Whether the open file is still the file at the path. If not, writes are lost and the engine must stop. */
  isSameFile(): boolean
  close(): Promise<void>
}

/** A store with what `use-store.ts` needs to quarantine it. */
export interface OpenedStore extends Store {
  /** Which file it is. */
  id: string | null
  /** Key of the mark that this process left before its first write; null: it has not written. */
  mark: () => string | null
}

export interface OpenStoreOptions {
  /** Create a store if there is none. */
  create: boolean
  /** Create it even if traces show that there was one: the loss has been reported. */
  ignoreTraces?: boolean
  notice: (text: string) => void
}

export async function openStore(file: string, options: OpenStoreOptions): Promise<OpenedStore> {
  if (options.create) ensureFolder(dirname(file))
  const size = sizeOf(file)
  if (options.ignoreTraces !== true && (size ?? 0) === 0)
    refuseEmptied(file, size === null ? 'is gone' : 'is empty (0 bytes)')
  // An empty file is an empty database, readable by its owner only. SQLite gives `-wal` and `-shm` the mode of the file.
  if (options.create && !exists(file)) await openAppendStream(file).close()
  else if (!options.create && !exists(file)) throw nothingYet(file)
  const newest = readLastRowNote(file)
  const wal = (sizeOf(`${file}-wal`) ?? 0) > 0
  const sqlite = await openReadable(file, options)
  const id = fileId(file)
  try {
    const version = await readSchemaVersion(sqlite, file)
    // A new database is only a header: everything else is in its `-wal`.
    if (version === 0 && options.ignoreTraces !== true) refuseEmptied(file, 'is empty: its -wal file is gone')
    if (version === 0 && !options.create) throw nothingYet(file)
    await sqlite.script('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
    await migrateDatabase(sqlite, version)
    await checkAfterUncleanEnd(sqlite, file)
    const lost = await findLostRows(sqlite, newest, wal)
    const { sql, mark, close } = createWriterMarkedSql(sqlite)
    return { file, sql, lost, close, isSameFile: () => id !== null && fileId(file) === id, id, mark }
  } catch (error) {
    await tryQuietly(() => sqlite.close())
    throw error
  }
}

/**
 * A missing or empty file is not silently recreated if traces of runs exist. It is not even opened: SQLite removes the `-wal` of an
 * empty file, which may hold all remaining rows.
 */
function refuseEmptied(file: string, what: string): void {
  const traces = findRunTraces(file)
  if (traces === null) return
  const held = traces.seq === null ? `run ${traces.run}` : `run ${traces.run} up to row ${traces.seq}`
  throw new RalphError('store-lost', `${file} ${what}. It held ${held}`, {
    hint: 'Restore it if you have a copy, or start again: ralph loop. The logs of earlier runs are beside it.',
  })
}

/**
 * On a read-only or full disk SQLite cannot create its `-shm` file. Without a `-wal`, whose rows would be missed, it is safe to open the
 * file as immutable.
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

/** Checks the file if a dead writer left its mark: it was killed, or the machine went down. */
async function checkAfterUncleanEnd(sqlite: Sqlite, file: string): Promise<void> {
  const writers = await listWriterMarks(sqlite)
  const gone = writers.filter((writer) => !writer.alive)
  if (gone.length === 0) return
  const problem = await checkMending(sqlite)
  const living = writers.find((writer) => writer.alive)
  if (problem !== null)
    throw living === undefined ? damagedStoreError(file, problem) : storeInUseError(file, living.who.pid)
  await removeWriterMarks(
    sqlite,
    gone.map((writer) => writer.key),
  )
}

/** Rebuilds a damaged text index instead of quarantining the whole store. */
async function checkMending(sqlite: Sqlite): Promise<string | null> {
  const problem = await quickCheck(sqlite)
  if (problem === null || !isTextIndexDamage(problem)) return problem
  await sqlite.script(rebuildTextIndexSql('journal'))
  return quickCheck(sqlite)
}

/** The problem of the file, or null. Depending on the place of the damage, SQLite reports it or throws. */
async function quickCheck(sqlite: Sqlite): Promise<string | null> {
  try {
    const rows = await sqlite.peek('quick_check', 'pragma_quick_check limit 1')
    const words = String(rows[0]?.[0] ?? 'no answer')
    return words === 'ok' ? null : words.replaceAll(/\s+/g, ' ')
  } catch (error) {
    if (isStoreDamage(error)) return 'it cannot be read completely'
    throw error
  }
}

function nothingYet(file: string): RalphError {
  const kept = lastQuarantinedPath(file)
  if (kept === null)
    return new RalphError('no-run', 'this project has no runs yet', {
      hint: `Start one: ralph loop. (The store will be ${file}.)`,
    })
  return new RalphError('no-run', `nothing has run here since Ralph quarantined the damaged store as ${kept}`, {
    hint: `Start one: ralph loop. ${recoveryHint(kept)}`,
  })
}
