/**
 * Calls, tokens and money, from one row per agent process. A call counts from the moment it was asked for; tokens and money count
 * as far as the vendor told them, those of a call that was ended or cut off too.
 *
 * Tokens against a quota are input + output, with reasoning counted in the output by every driver: the bash tool, whose limits people
 * carry over, counts these only. What a run used is told as its budget counts it (`tokensOf`), where fresh input that goes into a
 * cache counts as well.
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
  /** Null: no agent of this run told its cost. */
  usd: number | null
  /** Calls still under way, or cut off before they were settled. */
  unstable: number
  /** Calls whose money is an estimate by list prices. */
  estimated: number
  /** Settled calls whose tokens nobody told: the sums are too low by these. */
  unrecorded: number
  /** Settled calls whose money nobody told. */
  unpriced: number
}

/** An agent process that is asked for. */
export interface CallEntry {
  run: RunId
  worker: WorkerId
  iteration: number
  effect: EffectId
  agent: string
  /** As it was asked for; null or absent: the vendor's default. */
  model?: string | null
  at: Instant
  role: Role | 'import'
  /** The row that asks for it. */
  seq: number
  task: string | null
}

/** Stands where a run's id would; the letters of an id have no `i` among them. */
export const IMPORT_RUN_ID: RunId = 'import'

/** Forgets the calls of a run. Those of an import stay counted: no other run has them, and they were paid for. */
export async function deleteCalls(tx: Sql, run: RunId): Promise<void> {
  await tx.run(
    `update usage set run = ?, effect = run || '.' || effect where run = ? and role = 'import'`,
    IMPORT_RUN_ID,
    run,
  )
  await tx.run('delete from usage where run = ?', run)
}

/** Whether this iteration was asked for before. */
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

/** Counted before it can start. */
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

/** Only an unstable call is settled: a second answer changes nothing. A vendor that does not tell its model worked with the one it was asked for. `reply` null: nobody will ever tell what it used. */
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

/** Used at or after an instant, by every run and every import of the project. */
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
export async function lastCallSeq(sql: Sql, run: RunId): Promise<number> {
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
  unstable: 0,
  estimated: 0,
  unrecorded: 0,
  unpriced: 0,
}

/** Stands where a run's id would; no id has a blank in it. */
const EARLIER_TOOL: RunId = 'earlier tool'

/** Calls and tokens of this hour that another tool made before Ralph: they count against the same quota. Once, however often the first
 *  start is tried. */
export async function addImportedUsage(sql: Sql, used: HourlyUsage, at: Instant): Promise<void> {
  await sql.run(
    `insert into usage (run, worker, iteration, effect, agent, at, calls, input, settled) values (?, '', 0, 'import', '', ?, ?, ?, 1)
     on conflict (run, effect) do nothing`,
    EARLIER_TOOL,
    at,
    used.calls,
    used.tokens,
  )
}
