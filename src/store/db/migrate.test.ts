import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assetPath } from '../../system/files/files.ts'
import { makeTestFolder } from '../../../test/kit/store.ts'
import { readSchemaVersion, migrateDatabase, SCHEMA_VERSION } from './migrate.ts'
import { openSqlite, type Sqlite } from './sqlite.ts'

test('the newest shape is the one that the last file makes', () => {
  expect(Number.parseInt(readdirSync(assetPath('migrations')).toSorted().at(-1) ?? '', 10)).toBe(SCHEMA_VERSION)
})

test('a database goes through the migrations that it lacks, in their order', async () => {
  const { sqlite, known } = opened({
    '001-words.sql': 'create table words (word text);',
    '002-more.sql': 'alter table words add column more text; update words set more = word || 2;',
    '010-most.sql': 'update words set more = more || 10;',
    'readme.txt': 'no migration',
  })
  await sqlite.script(`create table words (word text); insert into words values ('kept'); pragma user_version = 1`)
  await migrateDatabase(sqlite, 1, known)
  expect(await sqlite.all('select * from words')).toEqual([{ word: 'kept', more: 'kept210' }])
  expect(await versionOf(sqlite)).toBe(10)
})

test('one that another process has applied meanwhile is not applied again', async () => {
  const { sqlite, known } = opened({ '001-words.sql': 'create table words (word text);' })
  await migrateDatabase(sqlite, 0, known)
  await migrateDatabase(sqlite, 0, known)
  expect(await versionOf(sqlite)).toBe(1)
})

test('a migration that fails leaves the shape before it', async () => {
  const { sqlite, known } = opened({
    '001-words.sql': 'create table words (word text);',
    '002-broken.sql': `insert into words values ('half'); insert into nothing values (1);`,
  })
  await expect(migrateDatabase(sqlite, 0, known)).rejects.toThrow()
  expect([await versionOf(sqlite), await sqlite.all('select * from words')]).toEqual([1, []])
})

test('a database of a newer version is refused', async () => {
  const { sqlite } = opened({})
  await sqlite.script(`pragma user_version = ${SCHEMA_VERSION + 1}`)
  await expect(readSchemaVersion(sqlite, 'ralph.db')).rejects.toMatchObject({ code: 'store-newer' })
})

function opened(scripts: Record<string, string>): {
  sqlite: Sqlite
  known: { newest: number; folder: string }
} {
  const folder = makeTestFolder()
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, name), text)
  const sqlite = openSqlite(join(makeTestFolder(), 'ralph.db'), { immutable: false, notice: () => {} })
  const newest = Math.max(0, ...Object.keys(scripts).map((name) => Number.parseInt(name, 10) || 0))
  return { sqlite, known: { newest, folder } }
}

async function versionOf(sqlite: Sqlite): Promise<unknown> {
  return (await sqlite.peek('user_version', 'pragma_user_version'))[0]?.[0]
}
