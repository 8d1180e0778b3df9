/**
 * Calls, tokens and money, from one row per agent process. A call counts from its request. Tokens and money count as far as the vendor
 * reported them, also for calls that were stopped or interrupted.
 *
 * Tokens against a quota are input + output, with reasoning counted in the output by every driver: the bash tool, whose limits people
 * carry over, counts these only. The usage of a run is shown as its budget counts it (`countBudgetTokens`), which includes input written to a
 * cache.
 */
import type { EffectId, Instant, RunId, WorkerId } from '../core/ids.ts'
import type { HourlyUsage } from '../core/admission/quota.ts'
import type { Role } from '../core/calls/role.ts'
import type { Reply } from '../core/agent-output/reply.ts'
import type { Sql } from './db/sql.ts'

export interface RunUsage extends HourlyUsage {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  reasoning: number
  /** Null: no agent of this run reported its cost. */
  usd: number | null
  /** Calls still running, or interrupted before they were settled. */
  unstable: number
  /** Calls whose money is an estimate by list prices. */
  estimated: number
  /** Settled calls without reported tokens: the sums do not include them. */
  unrecorded: number
  /** Settled calls without a reported cost. */
  unpriced: number
}

/** A requested agent process. */
export interface CallEntry {
  run: RunId
  worker: WorkerId
  iteration: number
  effect: EffectId
  agent: string
  /** The requested model; null or absent: the vendor's default. */
  model?: string | null
  at: Instant
  role: Role | 'import'
  /** The row that requests it. */
  seq: number
  task: string | null
}

/** Used in place of a run id; ids never contain the letter `i`. */
export const IMPORT_RUN_ID: RunId = 'import'

/** Deletes the calls of a run. Calls of an import stay counted: no other run has them, and they were paid for. */
export async function deleteCalls(tx: Sql, run: RunId): Promise<void> {
  await tx.run(
    `update usage set run = ?, effect = run || '.' || effect where run = ? and role = 'import'`,
    IMPORT_RUN_ID,
    run,
  )
  await tx.run('delete from usage where run = ?', run)
}

/** Whether a call of this iteration was requested before. */
export async function isIterationCounted(
  tx: Sql,
  { run, worker, iteration }: Pick<CallEntry, 'run' | 'worker' | 'iteration'>,
): Promise<boolean> {
  const before = await tx.get(
    `select 1 from usage where run = ? and worker = ? and iteration = ? and role <> 'review' limit 1`,
    run,
    worker,
    iteration,
  )
  return before !== null
}

/** Counts a call before it can start. */
export async function insertCall(tx: Sql, call: CallEntry): Promise<void> {
  await tx.run(
    `insert into usage (run, worker, iteration, effect, agent, model, at, calls, settled, role, seq, task)
     values (?, ?, ?, ?, ?, ?, ?, 1, 0, ?, ?, ?)`,
    call.run,
    call.worker,
    call.iteration,
    call.effect,
    call.agent,
    call.model ?? null,
    call.at,
    call.role,
    call.seq,
    call.task,
  )
}

/**
 * Settles a call once: a second reply changes nothing. If the vendor does not report its model, the requested one stays.
 * `reply` null: the usage will never be known.
 */
export async function finishCall(
  tx: Sql,
  { run, effect }: Pick<CallEntry, 'run' | 'effect'>,
  reply: Reply | null,
): Promise<void> {
  const usage = reply?.usage ?? {}
  await tx.run(
    `update usage set settled = 1, model = coalesce(?, model), input = ?, output = ?, cache_read = ?, cache_write = ?, reasoning = ?, usd = ?,
       estimated = ?, ended = ?, duration_ms = ?
     where run = ? and effect = ? and settled = 0`,
    reply?.model ?? null,
    usage.input ?? null,
    usage.output ?? null,
    usage.cacheRead ?? null,
    usage.cacheWrite ?? null,
    usage.reasoning ?? null,
    usage.usd ?? null,
    Number(usage.estimated === true),
    reply?.end ?? null,
    reply?.durationMs ?? null,
    run,
    effect,
  )
}

const QUOTA_TOKENS = 'coalesce(sum(coalesce(input, 0) + coalesce(output, 0)), 0)'
const TOKENS = 'coalesce(sum(coalesce(input, 0) + coalesce(cache_write, 0) + coalesce(output, 0)), 0)'

/** Usage at or after an instant, of every run and import of the project. */
export async function usageSince(sql: Sql, at: Instant): Promise<HourlyUsage> {
  const row = await sql.get<HourlyUsage>(
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
       coalesce(sum(case when settled = 0 then 1 else 0 end), 0) as unstable, coalesce(sum(estimated), 0) as estimated,
       coalesce(sum(case when settled = 1 and input is null and output is null then 1 else 0 end), 0) as unrecorded,
       coalesce(sum(case when settled = 1 and usd is null then 1 else 0 end), 0) as unpriced
     from usage where run = ?`,
    run,
  )
  // A sum without `group by` always has a row.
  return { ...(row as RunUsage) }
}

/** The agents that a run called, in the order of their first call. */
export async function agentsOfRun(sql: Sql, run: RunId): Promise<string[]> {
  const rows = await sql.all<{ agent: string }>(
    'select agent from usage where run = ? group by agent order by min(id)',
    run,
  )
  return rows.map(({ agent }) => agent)
}

/** The row that requested the last call of a run; 1: there was none yet. */
export async function lastCallSeq(sql: Sql, run: RunId): Promise<number> {
  const row = await sql.get<{ seq: number | null }>('select max(seq) as seq from usage where run = ?', run)
  return row?.seq ?? 1
}

/** Used in place of a run id; no id contains a space. */
const EARLIER_TOOL: RunId = 'earlier tool'

/** Adds the calls and tokens of this hour that the bash tool used: they count against the same quota. Adds them only once. */
export async function addBashUsage(sql: Sql, used: HourlyUsage, at: Instant): Promise<void> {
  await sql.run(
    `insert into usage (run, worker, iteration, effect, agent, at, calls, input, settled) values (?, '', 0, 'import', '', ?, ?, ?, 1)
     on conflict (run, effect) do nothing`,
    EARLIER_TOOL,
    at,
    used.calls,
    used.tokens,
  )
}
