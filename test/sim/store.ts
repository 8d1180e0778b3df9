/** The real store on a database in memory: every statement is the product's own, and nothing waits for a disk. */
import { migrateDatabase } from '../../src/store/db/migrate.ts'
import type { Store } from '../../src/store/db/open-store.ts'
import { openSqlite } from '../../src/store/db/sqlite.ts'
import { twice } from '../kit/sql.ts'

/** `twice`: every transaction is done, undone and done again. */
export async function memoryStore(options: { twice: boolean } = { twice: false }): Promise<Store> {
  const file = ':memory:'
  const sqlite = openSqlite(file, { immutable: false, notice: () => {} })
  await migrateDatabase(sqlite, 0)
  const sql = options.twice ? twice(sqlite) : sqlite
  return { file, sql, lost: null, isSameFile: () => true, close: () => sql.close() }
}
