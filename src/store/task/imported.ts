/** Whether the Rust tool's database was taken over, and what was told of it. By itself, since commands ask that import nothing. */
import { keepMeta, metaOf } from '../db/meta.ts'
import type { Sql } from '../db/sql.ts'

const MARK = 'imported:progress.db'

/** What was kept about the import; null: there was none. */
export async function importedProgress(sql: Sql): Promise<string | null> {
  return metaOf(sql, MARK)
}

export async function keepImported(tx: Pick<Sql, 'run'>, told: string): Promise<void> {
  await keepMeta(tx, MARK, told)
}
