/**
 * Migrates a database to the schema of this version. Migrations are numbered files in `assets/migrations`; SQLite's `user_version`
 * stores the number of the last applied one. A released file is never edited.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { assetPath, listFolder, readText } from '../../system/files/files.ts'
import type { Sqlite } from './sqlite.ts'

/** The number of the last migration. A constant, because every start needs it and listing the folder costs as much as a query. */
export const SCHEMA_VERSION = 1

/** The schema version of a file; throws if a newer Ralph wrote it. Writes nothing. */
export async function readSchemaVersion(sqlite: Sqlite, file: string): Promise<number> {
  const found = await versionOf(sqlite)
  if (found > SCHEMA_VERSION)
    throw new RalphError(
      'store-newer',
      `${file} was written by a newer Ralph: its schema is version ${found}, and this Ralph reads up to ${SCHEMA_VERSION}`,
      { hint: 'Update Ralph, or use the version that wrote it. The file is unchanged.' },
    )
  return found
}

/** Applies the migrations after `version`, one transaction each: a crash leaves the old schema or the new one. */
export async function migrateDatabase(
  sqlite: Sqlite,
  version: number,
  known = { newest: SCHEMA_VERSION, folder: assetPath('migrations') },
): Promise<void> {
  if (version === known.newest) return
  for (const migration of migrationsIn(known.folder)) {
    if (migration.number > version) await apply(sqlite, migration)
  }
}

async function apply(sqlite: Sqlite, migration: Migration): Promise<void> {
  await sqlite.transaction(async (tx) => {
    // Another process may have been faster: check again inside the transaction.
    if ((await versionOf(tx)) >= migration.number) return
    await tx.script(readText(migration.path))
    await tx.script(`pragma user_version = ${migration.number}`)
  })
}

/** 0: nothing was ever written. */
async function versionOf(sqlite: Sqlite): Promise<number> {
  const rows = await sqlite.peek('user_version', 'pragma_user_version')
  return Number(rows[0]?.[0] ?? 0)
}

interface Migration {
  number: number
  path: string
}

function migrationsIn(folder: string): Migration[] {
  return listFolder(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .map((name) => ({ number: Number.parseInt(name, 10), path: join(folder, name) }))
    .toSorted((a, b) => a.number - b.number)
}
