/**
 * Manual resets of a breaker or a conversation between runs. A reset names the run it came after, so it applies to the next run only,
 * whatever the clock says.
 */
import type { Instant, RunId } from '../core/ids.ts'
import { loadLatestRun } from './runs.ts'
import { setMeta, getMeta } from './db/meta.ts'
import type { Sql } from './db/sql.ts'
import { parseStoredJson } from './db/stored-json.ts'

export type Resettable = 'breaker' | 'conversation'

export interface Reset {
  at: Instant
  reason: string
  /** The last run before the reset; null: there was none. */
  after: RunId | null
}

/** Limit of saved resets: the histories show no more. */
const KEPT = 50

export async function addReset(
  sql: Sql,
  workspace: string,
  what: Resettable,
  said: { at: Instant; reason: string },
): Promise<void> {
  await sql.transaction(async (tx) => {
    const last = await loadLatestRun(tx, workspace)
    const resets = [...(await listResets(tx, workspace, what)), { ...said, after: last?.id ?? null }].slice(-KEPT)
    await setMeta(tx, keyOf(workspace, what), JSON.stringify(resets))
  })
}

/** Oldest first. */
export async function listResets(sql: Sql, workspace: string, what: Resettable): Promise<Reset[]> {
  const text = await getMeta(sql, keyOf(workspace, what))
  return text === null ? [] : (parseStoredJson(text, { workspace }) as Reset[])
}

/** The reset that a run which follows `last` must honour. */
export async function findResetAfter(
  sql: Sql,
  workspace: string,
  what: Resettable,
  last: RunId | null,
): Promise<Reset | null> {
  const newest = (await listResets(sql, workspace, what)).at(-1)
  return newest !== undefined && newest.after === last ? newest : null
}

function keyOf(workspace: string, what: Resettable): string {
  return `reset:${what}:${workspace}`
}
