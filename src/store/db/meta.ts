/** A key-value table of texts. */
import type { Sql } from './sql.ts'

export async function getMeta(sql: Sql, key: string): Promise<string | null> {
  const row = await sql.get<{ value: string }>('select value from meta where key = ?', key)
  return row?.value ?? null
}

export async function setMeta(sql: Pick<Sql, 'run'>, key: string, value: string): Promise<void> {
  await sql.run(
    'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
    key,
    value,
  )
}

export async function deleteMeta(sql: Pick<Sql, 'run'>, key: string): Promise<void> {
  await sql.run('delete from meta where key = ?', key)
}
