/**
 * The Rust tool's database. It is read from a copy, so that neither it nor what SQLite keeps beside it is ever touched, and nobody's lock is in
 * the way; what was made of it is written in one transaction, once.
 */
import { join } from 'node:path'
import { messageOf, RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import type { NewTask, ImportedFeature, TaskLogEntry } from '../../core/tasks/task.ts'
import { sleepFor } from '../../system/clock.ts'
import { exists, isFolder, makeTempFolder, removeFolder } from '../../system/files/files.ts'
import { copyFolder } from '../../system/files/copy-move.ts'
import { realPath, fingerprintOf } from '../../system/files/links.ts'
import type { Sql, SqlValue } from '../db/sql.ts'
import { openSqlite } from '../db/sqlite.ts'
import { addNote, type Note } from '../journal.ts'
import { addTasks } from './add-tasks.ts'
import { addFeature, findFeature } from './features.ts'
import { addTaskLogs } from './task-log.ts'
import { loadImportReport, saveImportReport } from './rust-import-state.ts'

export interface RustTables {
  /** `user_version`. */
  version: number
  /** Of those asked for the ones that are there, each row with whatever columns it has. */
  tables: Record<string, Record<string, SqlValue>[]>
}

/** What the database holds, as far as it was committed. */
export async function readRustTables(file: string, names: readonly string[]): Promise<RustTables> {
  const folder = makeTempFolder('ralph-progress-')
  const copy = join(folder, 'progress.db')
  try {
    // Would be copied with all that is in it.
    if (isFolder(file)) throw new Error('it is a folder')
    await copyWhole(realPath(file) ?? file, copy)
    return await tablesIn(copy, names)
  } catch (error) {
    if (error instanceof RalphError && (error.code === 'store-busy' || error.code === 'disk')) throw error
    throw new RalphError('bad-file', `${file} cannot be read: ${messageOf(error).replaceAll(copy, 'it')}`, {
      hint: 'Nothing of it was taken over, and it was not changed. If it holds nothing that you miss, move it away.',
      cause: error,
    })
  } finally {
    removeFolder(folder)
  }
}

/** What belongs to a database: committed rows may stand in `-wal`, and a `-journal` takes back what was not. */
const PARTS = ['', '-wal', '-journal']
const TRIES = 50
const PAUSE_MS = 100

/** Copied again while somebody writes: parts of two moments make no database. */
async function copyWhole(file: string, copy: string): Promise<void> {
  const fingerprints = (): string => PARTS.map((part) => fingerprintOf(`${file}${part}`) ?? '').join(' ')
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = fingerprints()
    for (const part of PARTS) {
      removeFolder(`${copy}${part}`)
      if (exists(`${file}${part}`)) copyFolder(`${file}${part}`, `${copy}${part}`)
    }
    if (fingerprints() === before) return
    await sleepFor(PAUSE_MS)
  }
  throw new RalphError('store-busy', `another process keeps writing to ${file}`, {
    hint: 'End what works with it, then take it over: ralph migrate',
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
 * All rows. Numbers beyond what can be counted exactly come as nearly as can be, and texts that a NUL would cut short come whole: one odd
 * value is no reason to read nothing.
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

/** What becomes part of the store. */
export interface RustData {
  features: ImportedFeature[]
  tasks: NewTask[]
  logs: Omit<TaskLogEntry, 'n'>[]
  notes: Omit<Note, 'id'>[]
}

/** The ids that tasks have here, those of deleted ones too. */
export async function usedTaskIds(sql: Sql): Promise<string[]> {
  return (await sql.all<{ id: string }>('select id from tasks')).map(({ id }) => id)
}

/** All of it or nothing. `told`: what is kept about it. False: it was done before, and nothing was changed. */
export async function importRustData(
  sql: Sql,
  work: RustData,
  { at, told }: { at: Instant; told: string },
): Promise<boolean> {
  return sql.transaction(async (tx) => {
    if ((await loadImportReport(tx)) !== null) return false
    for (const feature of work.features) await takeFeature(tx, feature)
    await addTasks(tx, work.tasks, at)
    for (const { name, updatedAt } of work.features)
      await tx.run('update features set updated_at = ? where name = ?', updatedAt, name)
    await addTaskLogs(tx, work.logs)
    for (const note of work.notes) await addNote(tx, note)
    await saveImportReport(tx, told)
    return true
  })
}

/** One of that name that is here already is the one that is meant. */
async function takeFeature(tx: Sql, { createdAt, ...feature }: ImportedFeature): Promise<void> {
  if ((await findFeature(tx, feature.name)) !== null) return
  const isTaken = feature.id !== null && (await findFeature(tx, feature.id)) !== null
  await addFeature(tx, { ...feature, id: isTaken ? null : feature.id }, createdAt)
}
