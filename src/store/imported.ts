/** Calls and tokens of this hour that another tool made before Ralph: they count against the same quota. */
import type { Instant } from '../domain/ids.ts'
import type { Used } from '../domain/call/quota.ts'
import type { Sql } from './db/sql.ts'

/** Stands where a run's id would; no id has a blank in it. */
const BEFORE = 'earlier tool'

/** Counted once, however often the first start is tried. */
export async function countImported(sql: Sql, used: Used, at: Instant): Promise<void> {
  await sql.run(
    `insert into usage (run, worker, iteration, effect, agent, at, calls, input, settled) values (?, '', 0, 'import', '', ?, ?, ?, 1)
     on conflict (run, effect) do nothing`,
    BEFORE,
    at,
    used.calls,
    used.tokens,
  )
}
