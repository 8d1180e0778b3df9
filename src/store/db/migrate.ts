/**
 * Brings a database to the shape this version of Ralph knows. Migrations are numbered files in `assets/migrations`; the number
 * of the last one applied stands in SQLite's own `user_version`. A file that was released is never edited.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import { assetPath, listFolder, readText } from '../../system/files/files.ts'
import type { Sqlite } from './sqlite.ts'

/** The number of the last file. Written down, because every start asks, and looking into the folder costs it as much as a query. */
export const SCHEMA_VERSION = 1

/** The shape a file has, if this Ralph can work with it. Nothing is written. */
export async function readSchemaVersion(sqlite: Sqlite, file: string): Promise<number> {
  const found = await versionOf(sqlite)
  if (found > SCHEMA_VERSION) throw newer(file, { found, newest: SCHEMA_VERSION })
  return found
}

/** Applies what is missing after `version`, one transaction per migration: a crash leaves the old shape or the new one. */
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
    // Another process may have been quicker; the question is asked again behind the lock.
    if ((await versionOf(tx)) >= migration.number) return
    await tx.script(readText(migration.path))
    await tx.script(`pragma user_version = ${migration.number}`)
  })
}

/** 0 means that nothing was ever written. */
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

function newer(file: string, versions: { found: number; newest: number }): RalphError {
  return new RalphError(
    'store-newer',
    `${file} was written by a newer Ralph: it has shape ${versions.found}, this version knows up to ${versions.newest}`,
    { hint: 'Update Ralph, or use the version that wrote it. The file was not touched.' },
  )
}
