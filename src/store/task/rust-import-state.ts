/** Whether the Rust tool's database was imported, and the report of it. Separate, because commands that import nothing use it. */
import { setMeta, getMeta } from '../db/meta.ts'
import type { Sql } from '../db/sql.ts'

const MARK = 'imported:progress.db'

/** The report of the import; null: there was none. */
export async function loadRustImportReport(sql: Sql): Promise<string | null> {
  return getMeta(sql, MARK)
}

export async function saveRustImportReport(tx: Pick<Sql, 'run'>, told: string): Promise<void> {
  await setMeta(tx, MARK, told)
}
