/**
 * Opens the one file in which a project is remembered. A reading command pays for nothing but the opening: whole-file checks run
 * only after a process that wrote here ended without closing, and a damaged file is set aside, never written over.
 */
import { dirname } from 'node:path'
import { messageOf, RalphError } from '../domain/error.ts'
import { isoTime, randomId, realClock } from '../system/clock.ts'
import { appendStream, ensureFolder, exists, fileId } from '../system/files.ts'
import { moveFile } from '../system/folders.ts'
import { type Identity, isAlive, me } from '../system/identity.ts'
import { knownVersion, migrate } from './migrate.ts'
import type { Sql } from './sql.ts'
import { damaged, openSqlite, type Sqlite } from './sqlite.ts'

export interface Store {
  file: string
  sql: Sql
  /** The open file is still the file at the path. If not, what we write is lost with it: stop. */
  stillThere(): boolean
  close(): Promise<void>
}

export interface OpenOptions {
  /** Begin a new store where there is none, or where the old one is damaged. */
  create: boolean
  notice: (text: string) => void
}

export async function openStore(file: string, options: OpenOptions): Promise<Store> {
  if (options.create) ensureFolder(dirname(file))
  else if (!exists(file)) throw nothingYet(file)
  const seen = fileId(file)
  try {
    return await openSound(file, options)
  } catch (error) {
    if (!options.create || !isDamage(error)) throw error
    // Another process may have met the same damage and begun a new file meanwhile; that one is left in peace.
    if (fileId(file) === seen) options.notice(await setAside(file, messageOf(error)))
    return openSound(file, options)
  }
}

async function openSound(file: string, options: OpenOptions): Promise<Store> {
  if (options.create) await createPrivate(file)
  const sqlite = await openReadable(file, options)
  const opened = fileId(file)
  try {
    const version = await knownVersion(sqlite, file)
    if (version === 0 && !options.create) throw nothingYet(file)
    await sqlite.script('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
    await migrate(sqlite, version)
    await checkAfterUncleanEnd(sqlite, file)
  } catch (error) {
    await ifPossible(() => sqlite.close())
    throw error
  }
  const { sql, close } = markWriter(sqlite)
  return { file, sql, close, stillThere: () => opened !== null && fileId(file) === opened }
}

/**
 * An empty file is an empty database. Made here, it is the owner's alone before its first byte, and SQLite gives `-wal` and `-shm`
 * the mode of the file. A file that is there stays as it is.
 */
async function createPrivate(file: string): Promise<void> {
  if (!exists(file)) await appendStream(file).close()
}

/**
 * On a read-only disk SQLite cannot make its `-shm` file. If there is no `-wal` whose rows would be missed, reading the file
 * frozen is safe there.
 */
async function openReadable(file: string, options: OpenOptions): Promise<Sqlite> {
  const sqlite = openSqlite(file, { frozen: false, notice: options.notice })
  try {
    await sqlite.peek('schema_version', 'pragma_schema_version')
    return sqlite
  } catch (error) {
    await ifPossible(() => sqlite.close())
    const cannotWrite = error instanceof RalphError && error.code === 'io'
    if (options.create || !cannotWrite || exists(`${file}-wal`)) throw error
    return openSqlite(file, { frozen: true, notice: options.notice })
  }
}

/** Key of a writer's mark in `meta`: there from its first write until it closes. The value is its identity. */
const MARK = 'opening:'
const MARKS = `key >= '${MARK}' and key < 'opening;'`

/** Marks this process as a writer before its first write, so that the next one to open knows whether it ended cleanly. */
function markWriter(sqlite: Sqlite): { sql: Sql; close: () => Promise<void> } {
  const key = `${MARK}${randomId(12)}`
  let marked: Promise<unknown> | null = null
  const beforeWrite = async (): Promise<void> => {
    marked ??= sqlite.run('insert or replace into meta (key, value) values (?, ?)', key, JSON.stringify(me()))
    try {
      await marked
    } catch (error) {
      marked = null
      throw error
    }
  }
  const sql: Sql = {
    all: (text, ...values) => sqlite.all(text, ...values),
    get: (text, ...values) => sqlite.get(text, ...values),
    run: async (text, ...values) => {
      await beforeWrite()
      return sqlite.run(text, ...values)
    },
    transaction: async (work) => {
      await beforeWrite()
      return sqlite.transaction(work)
    },
    close,
  }
  return { sql, close }

  async function close(): Promise<void> {
    if (marked !== null) {
      await forget(sqlite, [key])
      // Brings what is in `-wal` home, so that the one file is the whole store. Until somebody can, `-wal` keeps it safe.
      await ifPossible(() => sqlite.script('pragma wal_checkpoint(truncate)'))
    }
    await sqlite.close()
  }
}

/** A writer that is gone but left its mark was cut off: killed, or the machine went down. */
async function checkAfterUncleanEnd(sqlite: Sqlite, file: string): Promise<void> {
  const rows = await sqlite.peek('key, value', `meta where ${MARKS}`)
  const writers = rows.map(([key, value]) => ({ key: String(key), who: readIdentity(String(value)) }))
  const gone = writers.filter((writer) => !isAlive(writer.who))
  if (gone.length === 0) return
  const problem = await quickCheck(sqlite)
  const living = writers.find((writer) => !gone.includes(writer))
  if (problem !== null) throw living === undefined ? damaged(file, problem) : stillUsed(file, living.who.pid)
  await forget(
    sqlite,
    gone.map((writer) => writer.key),
  )
}

/** What is wrong with the file, or null. Where the damage lies decides whether SQLite reports it or gives up. */
async function quickCheck(sqlite: Sqlite): Promise<string | null> {
  try {
    const rows = await sqlite.peek('quick_check', 'pragma_quick_check limit 1')
    const words = String(rows[0]?.[0] ?? 'no answer')
    return words === 'ok' ? null : words.replaceAll(/\s+/g, ' ')
  } catch (error) {
    if (isDamage(error)) return 'it cannot be read to its end'
    throw error
  }
}

/** A mark that cannot be removed costs the next opening one check, no more. */
async function forget(sqlite: Sqlite, keys: string[]): Promise<void> {
  await ifPossible(async () => {
    for (const key of keys) await sqlite.run('delete from meta where key = ?', key)
  })
}

/** Tidying that a full, read-only or damaged disk may refuse: what was to be told about that disk is told elsewhere. */
async function ifPossible(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
  }
}

/** A mark that cannot be read is nobody's, so that the file is checked. */
function readIdentity(value: string): Identity {
  try {
    const { pid = 0, startTime = '', boot = '' } = JSON.parse(value) as Partial<Identity>
    return { pid, startTime, boot }
  } catch {
    return { pid: 0, startTime: '', boot: '' }
  }
}

/** Keeps the damaged file with everything that belongs to it. Returns what to tell the person. */
async function setAside(file: string, why: string): Promise<string> {
  const kept = `${file}.damaged-${isoTime(realClock().at()).replaceAll(/[:.]/g, '-')}`
  for (const tail of ['-wal', '-shm', '']) {
    if (exists(`${file}${tail}`)) moveFile(`${file}${tail}`, `${kept}${tail}`)
  }
  return `${why}. It was kept as ${kept}, and a new store was begun. Runs and tasks from before are not in it.`
}

function isDamage(error: unknown): error is RalphError {
  return error instanceof RalphError && error.code === 'store-damaged'
}

function stillUsed(file: string, pid: number): RalphError {
  return new RalphError('held', `${file} is damaged, and process ${pid} still writes to it`, {
    hint: 'Stop it with: ralph stop. Then run the same command again.',
  })
}

function nothingYet(file: string): RalphError {
  return new RalphError('no-run', 'nothing has run in this project yet', {
    hint: `Start with: ralph loop. (The store would be ${file}.)`,
  })
}
