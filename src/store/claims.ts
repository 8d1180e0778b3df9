/**
 * Who works on a task. A claim is won by one compare-and-swap statement; its attempt number is the fencing token: everything a
 * worker says about its task is accepted only while that very attempt is held, so a worker that was thought dead and comes back
 * changes nothing.
 */
import type { Instant, RunId, WorkerId } from '../domain/ids.ts'
import type { Sql } from './db/sql.ts'
import { IS_READY, READY_IN_ORDER, setStatus, type TaskStatus } from './tasks.ts'

export interface Claim {
  task: string
  attempt: number
}

export interface Claimant {
  worker: WorkerId
  run: RunId
  at: Instant
  leaseUntil: Instant
}

export type ClaimEnd = 'done' | 'failed' | 'released'

/** Claims the first ready task; null when none is ready. */
export async function claimNext(sql: Sql, who: Claimant): Promise<Claim | null> {
  return claimWhere(sql, who, { where: `id = (select id ${READY_IN_ORDER})`, value: 1 })
}

/** Claims this task; null if it is not ready or somebody was quicker. */
export async function claimTask(sql: Sql, task: string, who: Claimant): Promise<Claim | null> {
  return claimWhere(sql, who, { where: `id = ? and ${IS_READY}`, value: task })
}

/** Keeps a claim for longer. False: it is no longer ours; stop working on it. */
export async function renewClaim(sql: Sql, claim: Claim, leaseUntil: Instant): Promise<boolean> {
  const renewed = await sql.run(
    `update claims set lease_until = ? where task = ? and attempt = ? and state = 'held'`,
    leaseUntil,
    claim.task,
    claim.attempt,
  )
  return renewed.changes === 1
}

/** Ends a claim and gives the task the status that follows. False: it was no longer ours and nothing changed. */
export async function endClaim(sql: Sql, claim: Claim, end: ClaimEnd, at: Instant): Promise<boolean> {
  return sql.transaction(async (tx) => {
    const ended = await tx.run(
      `update claims set state = ? where task = ? and attempt = ? and state = 'held'`,
      end,
      claim.task,
      claim.attempt,
    )
    if (ended.changes === 0) return false
    await setStatus(tx, claim.task, STATUS_AFTER[end], at)
    return true
  })
}

/** Takes back every claim whose lease has run out; its tasks are pending again. Gives the claims that were lost. */
export async function loseClaims(sql: Sql, at: Instant): Promise<Claim[]> {
  return sql.transaction(async (tx) => {
    const lost = await tx.all<Claim>(
      `update claims set state = 'lost' where state = 'held' and lease_until < ? returning task, attempt`,
      at,
    )
    for (const claim of lost) await setStatus(tx, claim.task, 'pending', at)
    return lost.map(({ task, attempt }) => ({ task, attempt }))
  })
}

const STATUS_AFTER: Record<ClaimEnd, TaskStatus> = { done: 'done', failed: 'failed', released: 'pending' }

async function claimWhere(
  sql: Sql,
  who: Claimant,
  which: { where: string; value: string | number },
): Promise<Claim | null> {
  return sql.transaction(async (tx) => {
    const won = await tx.get<Claim>(
      `update tasks set status = 'in_progress', attempt = attempt + 1, updated_at = ? where ${which.where}
       returning id as task, attempt`,
      who.at,
      which.value,
    )
    if (won === null) return null
    await tx.run(
      `insert into claims (task, attempt, worker, run, lease_until, state) values (?, ?, ?, ?, ?, 'held')`,
      won.task,
      won.attempt,
      who.worker,
      who.run,
      who.leaseUntil,
    )
    return { task: won.task, attempt: won.attempt }
  })
}
