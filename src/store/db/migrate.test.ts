/** A database as the first release left it, opened by this version: everything that is kept today is there, told from what was kept then. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Row } from '../../domain/run/row.ts'
import { HOUSE_VERSION, houseFrom, type SavedHouse } from '../../domain/run/upgrade.ts'
import { asset } from '../../system/files/files.ts'
import { appendRow } from '../record.ts'
import { loadState, saveState } from '../state.ts'
import { aFolder, aStore } from '../../../test/kit/store.ts'
import { NEWEST } from './migrate.ts'
import type { Sql, SqlValue } from './sql.ts'
import { openSqlite, type Sqlite } from './sqlite.ts'

const RELEASE = join(import.meta.dirname, '../../../test/records/0.1.0')
const FIRST_SHAPE = 4

test('the newest shape is the one that the last file makes', () => {
  expect(Number.parseInt(readdirSync(asset('migrations')).toSorted().at(-1) ?? '', 10)).toBe(NEWEST)
})

test('states are read, and lie in parts once their run was taken up', async () => {
  const names = readdirSync(RELEASE).filter((name) => name.endsWith('.json'))
  const savedIn = (name: string): SavedHouse =>
    JSON.parse(readFileSync(join(RELEASE, name), 'utf8')) as SavedHouse
  const { sql } = await opened(async (old) => {
    for (const name of names) {
      const { version, house } = savedIn(name)
      await old.run('insert into state values (?, ?, 9, ?)', name, version, JSON.stringify(house))
    }
  })
  for (const name of names) {
    const saved = savedIn(name)
    expect(await loadState(sql, name)).toEqual({ ...saved, seq: 9 })
    // What the process had before is the house of today, while what lies there is the one of then.
    const house = houseFrom(saved, name)
    await saveState(sql, name, { version: HOUSE_VERSION, seq: 10, house }, house)
    expect(await loadState(sql, name)).toEqual({ version: HOUSE_VERSION, seq: 10, house })
  }
  expect(names.length).toBeGreaterThan(5)
})

test('rows and calls have the columns that they would have been written with', async () => {
  const rows = readFileSync(join(RELEASE, 'record.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
  const today = await aStore()
  await today.sql.transaction(async (tx) => {
    for (const row of rows) await appendRow(tx, row)
  })
  const { sql } = await opened(async (old) => {
    for (const table of ['record', 'runs', 'usage', 'evidence']) await copy(today.sql, old, table)
    await old.run(`insert into record values ('torn', 1, 1, 1, 1, '{', '[', '')`)
  })
  await sql.run(`delete from record where run = 'torn'`)
  for (const table of ['record', 'runs', 'usage', 'evidence'])
    expect(await sql.all(`select * from ${table}`)).toEqual(await today.sql.all(`select * from ${table}`))
})

async function opened(fill: (old: Sqlite) => Promise<void>): Promise<{ sql: Sql }> {
  const file = join(aFolder(), 'ralph.db')
  const old = openSqlite(file, { frozen: false, notice: () => {} })
  const scripts = readdirSync(asset('migrations')).toSorted().slice(0, FIRST_SHAPE)
  for (const name of scripts) await old.script(readFileSync(join(asset('migrations'), name), 'utf8'))
  await old.script(`pragma user_version = ${FIRST_SHAPE}`)
  await fill(old)
  await old.close()
  return aStore(file)
}

/** As far as the old table has the columns. */
async function copy(from: Sql, to: Sql, table: string): Promise<void> {
  const columns = (await to.all<{ name: string }>(`select name from pragma_table_info('${table}')`))
    .map(({ name }) => name)
    .join(', ')
  for (const row of await from.all<Record<string, SqlValue>>(`select ${columns} from ${table}`)) {
    const values = Object.values(row)
    await to.run(`insert into ${table} (${columns}) values (${values.map(() => '?').join(', ')})`, ...values)
  }
}
