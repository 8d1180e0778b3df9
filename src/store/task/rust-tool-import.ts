/**
 * The Rust tool's database. Ralph reads a copy, so that it never touches the original or its side files and no lock is in the way. It
 * writes the imported data once, in one transaction.
 */
import { join } from 'node:path'
import { messageOf, RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import type { NewTask, ImportedFeature, TaskLogEntry } from '../../core/tasks/task.ts'
import { sleepFor } from '../../system/clock.ts'
import { exists, isFolder, makeTempFolder, removeFolder } from '../../system/files/files.ts'
import { copyRecursively } from '../../system/files/copy-move.ts'
import { realPath, fileFingerprint } from '../../system/files/links.ts'
import type { Sql, SqlValue } from '../db/sql.ts'
import { openSqlite } from '../db/sqlite.ts'
import { addNote, type Note } from '../journal.ts'
import { addTasks } from './add-tasks.ts'
import { addFeature, findFeature } from './features.ts'
import { addTaskLogEntries } from './task-log.ts'
import { loadRustImportReport, saveRustImportReport } from './rust-import-state.ts'

export interface RustTables {
  /** `user_version`. */
  version: number
  /** Those of the requested tables that exist, each row with all its columns. */
  tables: Record<string, Record<string, SqlValue>[]>
}

/** The committed rows of the database. */
export async function readRustTables(file: string, names: readonly string[]): Promise<RustTables> {
  const folder = makeTempFolder('ralph-progress-')
  const copy = join(folder, 'progress.db')
  try {
    // `copyRecursively` would copy all its content.
    if (isFolder(file)) throw new Error('it is a folder')
    await copyWhole(realPath(file) ?? file, copy)
    return await tablesIn(copy, names)
  } catch (error) {
    if (error instanceof RalphError && (error.code === 'store-busy' || error.code === 'disk')) throw error
    throw new RalphError('bad-file', `${file} cannot be read: ${messageOf(error).replaceAll(copy, 'it')}`, {
      hint: 'Nothing was imported, and the file was not changed. If you do not need it, move it away.',
      cause: error,
    })
  } finally {
    removeFolder(folder)
  }
}

/** The files of a database: `-wal` may contain committed rows, and `-journal` rolls back uncommitted ones. */
const PARTS = ['', '-wal', '-journal']
const TRIES = 50
const PAUSE_MS = 100

/** Copies again while another process writes: files from different moments are no valid database. */
async function copyWhole(file: string, copy: string): Promise<void> {
  const fingerprints = (): string => PARTS.map((part) => fileFingerprint(`${file}${part}`) ?? '').join(' ')
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = fingerprints()
    for (const part of PARTS) {
      removeFolder(`${copy}${part}`)
      if (exists(`${file}${part}`)) copyRecursively(`${file}${part}`, `${copy}${part}`)
    }
    if (fingerprints() === before) return
    await sleepFor(PAUSE_MS)
  }
  throw new RalphError('store-busy', `another process keeps writing to ${file}`, {
    hint: 'Stop that process, then import: ralph migrate',
  })
}

async function tablesIn(copy: string, names: readonly string[]): Promise<RustTables> {
  const sqlite = openSqlite(copy, { immutable: false, notice: () => {} })
  try {
    const version = await sqlite.get<{ user_version: number }>('pragma user_version')
    const there = await sqlite.all<{ name: string }>("select name from sqlite_master where type = 'table'")
    const tables: RustTables['tables'] = {}
    for (const name of names) if (there.some((table) => table.name === name)) tables[name] = await rowsOf(sqlite, name)
    return { version: version?.user_version ?? 0, tables }
  } finally {
    await sqlite.close()
  }
}

/**
 * All rows. Integers beyond the safe range are rounded, and texts with a NUL are read whole: one odd value must not fail the import.
 */
async function rowsOf(sqlite: Sql, table: string): Promise<Record<string, SqlValue>[]> {
  const columns = await sqlite.all<{ name: string }>(`select name from pragma_table_info('${table}')`)
  const values = columns.map(({ name }) => {
    const column = `"${name.replaceAll('"', '""')}"`
    return `case when typeof(${column}) = 'integer' and ${column} not between -${EXACT_MAX} and ${EXACT_MAX} then cast(${column} as real)
      when typeof(${column}) = 'text' and instr(${column}, char(0)) > 0 then cast(${column} as blob)
      else ${column} end as ${column}`
  })
  const rows = await sqlite.all<Record<string, SqlValue>>(`select ${values.join(', ')} from ${table}`)
  const asText = (value: SqlValue): SqlValue => (value instanceof Uint8Array ? utf8.decode(value) : value)
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asText(value)])))
}

const EXACT_MAX = Number.MAX_SAFE_INTEGER
const utf8 = new TextDecoder()

/** The data to import. */
export interface RustData {
  features: ImportedFeature[]
  tasks: NewTask[]
  logs: Omit<TaskLogEntry, 'n'>[]
  notes: Omit<Note, 'id'>[]
}

/** The ids of all tasks in the store, including archived ones. */
export async function allTaskIds(sql: Sql): Promise<string[]> {
  return (await sql.all<{ id: string }>('select id from tasks')).map(({ id }) => id)
}

/** All or nothing. `told`: the report to save. False: the import was done before, and nothing changed. */
export async function importRustData(
  sql: Sql,
  work: RustData,
  { at, told }: { at: Instant; told: string },
): Promise<boolean> {
  return sql.transaction(async (tx) => {
    if ((await loadRustImportReport(tx)) !== null) return false
    for (const feature of work.features) await takeFeature(tx, feature)
    await addTasks(tx, work.tasks, at)
    for (const { name, updatedAt } of work.features)
      await tx.run('update features set updated_at = ? where name = ?', updatedAt, name)
    await addTaskLogEntries(tx, work.logs)
    for (const note of work.notes) await addNote(tx, note)
    await saveRustImportReport(tx, told)
    return true
  })
}

/** An existing feature with the same name is used. */
async function takeFeature(tx: Sql, { createdAt, ...feature }: ImportedFeature): Promise<void> {
  if ((await findFeature(tx, feature.name)) !== null) return
  const isTaken = feature.id !== null && (await findFeature(tx, feature.id)) !== null
  await addFeature(tx, { ...feature, id: isTaken ? null : feature.id }, createdAt)
}
