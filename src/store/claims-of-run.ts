/** What a run did about tasks, read from its claims. */
import type { RunId } from '../domain/ids.ts'
import type { Sql } from './db/sql.ts'

export async function settledBy(sql: Sql, run: RunId): Promise<{ done: number; failed: number }> {
  const rows = await sql.all<{ state: string; count: number }>(
    `select state, count(*) as count from claims where run = ? and state in ('done', 'failed') group by state`,
    run,
  )
  const counted = (state: string): number => rows.find((row) => row.state === state)?.count ?? 0
  return { done: counted('done'), failed: counted('failed') }
}
