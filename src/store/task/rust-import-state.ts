/** Whether the Rust tool's database was taken over, and what was told of it. By itself, since commands ask that import nothing. */
import { setMeta, getMeta } from '../db/meta.ts'
import type { Sql } from '../db/sql.ts'

const MARK = 'imported:progress.db'

/** What was kept about the import; null: there was none. */
export async function loadImportReport(sql: Sql): Promise<string | null> {
  return getMeta(sql, MARK)
}

export async function saveImportReport(tx: Pick<Sql, 'run'>, told: string): Promise<void> {
  await setMeta(tx, MARK, told)
}
