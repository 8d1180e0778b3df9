/** Counts rows from a newer Ralph that this version cannot read. It compares their types, which are few even in a long record. */
import type { RunId } from '../core/ids.ts'
import { isKnownEventType } from '../core/state/event.ts'
import type { Sql } from './db/sql.ts'

export async function countUnknownRows(sql: Sql, run: RunId): Promise<number> {
  const types = await sql.all<{ type: string }>(TYPES, run, run)
  let unknown = 0
  for (const { type } of types.filter((one) => !isKnownEventType(one.type))) {
    const row = await sql.get<{ n: number }>('select count(*) as n from record where run = ? and type = ?', run, type)
    unknown += row?.n ?? 0
  }
  return unknown
}

/** Jumps in the index from each type to the next: `distinct` would read every row. */
const TYPES = `with recursive types (type) as (
  select min(type) from record where run = ?
  union all select (select min(type) from record where run = ? and type > types.type) from types where types.type is not null)
  select type from types where type is not null`
