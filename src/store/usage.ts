/**
 * Calls, tokens and money, from one row per agent process. A call counts from the moment it was asked for; tokens and money count
 * as far as the vendor told them, those of a call that was ended or cut off too.
 *
 * Tokens against a quota are input + output, with reasoning counted in the output by every driver: the bash tool, whose limits people
 * carry over, counts these only. What a run used is told as its budget counts it (`tokensOf`), where fresh input that goes into a
 * cache counts as well.
 */
import type { Instant, RunId } from '../domain/ids.ts'
import type { Used } from '../domain/call/quota.ts'
import type { Sql } from './db/sql.ts'

export interface RunUsage extends Used {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  reasoning: number
  /** Null: no agent of this run told its cost. */
  usd: number | null
  /** Calls still under way, or cut off before they were settled. */
  unsettled: number
  /** Calls whose money is an estimate by list prices. */
  estimated: number
  /** Settled calls whose tokens nobody told: the sums are too low by these. */
  untold: number
  /** Settled calls whose money nobody told. */
  unpriced: number
}

const QUOTA_TOKENS = 'coalesce(sum(coalesce(input, 0) + coalesce(output, 0)), 0)'
const TOKENS = 'coalesce(sum(coalesce(input, 0) + coalesce(cache_write, 0) + coalesce(output, 0)), 0)'

/** Used at or after an instant, by every run of the project. */
export async function usageSince(sql: Sql, at: Instant): Promise<Used> {
  const row = await sql.get<Used>(
    `select coalesce(sum(calls), 0) as calls, ${QUOTA_TOKENS} as tokens from usage where at >= ?`,
    at,
  )
  return { calls: row?.calls ?? 0, tokens: row?.tokens ?? 0 }
}

export async function usageOfRun(sql: Sql, run: RunId): Promise<RunUsage> {
  const row = await sql.get<RunUsage>(
    `select coalesce(sum(calls), 0) as calls, ${TOKENS} as tokens,
       coalesce(sum(input), 0) as input, coalesce(sum(output), 0) as output,
       coalesce(sum(cache_read), 0) as "cacheRead", coalesce(sum(cache_write), 0) as "cacheWrite",
       coalesce(sum(reasoning), 0) as reasoning, sum(usd) as usd,
       coalesce(sum(case when settled = 0 then 1 else 0 end), 0) as unsettled, coalesce(sum(estimated), 0) as estimated,
       coalesce(sum(case when settled = 1 and input is null and output is null then 1 else 0 end), 0) as untold,
       coalesce(sum(case when settled = 1 and usd is null then 1 else 0 end), 0) as unpriced
     from usage where run = ?`,
    run,
  )
  return { ...NOTHING, ...row }
}

/** Who was really called by a run, in the order of their first call. */
export async function agentsOfRun(sql: Sql, run: RunId): Promise<string[]> {
  const rows = await sql.all<{ agent: string }>(
    'select agent from usage where run = ? group by agent order by min(id)',
    run,
  )
  return rows.map(({ agent }) => agent)
}

/** The row that asked for the last call of a run; 1: none did yet. */
export async function lastCallAt(sql: Sql, run: RunId): Promise<number> {
  const row = await sql.get<{ seq: number | null }>('select max(seq) as seq from usage where run = ?', run)
  return row?.seq ?? 1
}

const NOTHING: RunUsage = {
  calls: 0,
  tokens: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  usd: null,
  unsettled: 0,
  estimated: 0,
  untold: 0,
  unpriced: 0,
}
