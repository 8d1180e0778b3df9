/** The real store on a database in memory: every statement is the product's own, and nothing waits for a disk. */
import { migrate } from '../../src/store/db/migrate.ts'
import type { Store } from '../../src/store/db/open.ts'
import { openSqlite } from '../../src/store/db/sqlite.ts'

export async function memoryStore(): Promise<Store> {
  const file = ':memory:'
  const sql = openSqlite(file, { frozen: false, notice: () => {} })
  await migrate(sql, 0)
  return { file, sql, lost: null, stillThere: () => true, close: () => sql.close() }
}
