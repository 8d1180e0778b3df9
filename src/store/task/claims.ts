/**
 * Claims on tasks. One compare-and-swap statement claims a task; the attempt number is the claim token: a worker's updates count only
 * while its own attempt holds the claim, so a worker that was presumed dead and returns changes nothing. Everything runs inside the
 * caller's transaction.
 */
import type { Instant, Millis, RunId, WorkerId } from '../../core/ids.ts'
import { assertNever } from '../../core/assert-never.ts'
import type {
  DerivedChange,
  ClaimedTask,
  NothingReady,
  TaskScope,
  TaskId,
  TaskLogEntry,
  TaskStatus,
  AgentTaskSummary,
  TaskReviewResult,
} from '../../core/tasks/task.ts'
import type { TaskEvent } from '../../core/tasks/transition.ts'
import type { Sql } from '../db/sql.ts'
import { applyEventToTask } from './apply-event.ts'
import { explainNothingReady } from './task-counts.ts'
import { listReadyIds, markDueTasksReady } from './ready-tasks.ts'
import { addTaskLogEntry } from './task-log.ts'
import { parseTextList } from './task-rows.ts'

/** A task and the number of the claim on it. */
export interface TaskClaim {
  task: TaskId
  attempt: number
}

export type ClaimResult = { is: 'claimed'; task: ClaimedTask } | { is: 'nothing'; nothing: NothingReady }

/** Claims the first ready task of the scope, after reclaiming expired leases and marking due scheduled tasks as ready. */
export async function claimTask(
  tx: Sql,
  wanted: {
    scope: TaskScope
    run: RunId
    worker: WorkerId
    at: Instant
    leaseMs: Millis
  },
): Promise<ClaimResult> {
  await reclaimExpiredTasks(tx, wanted.at)
  await markDueTasksReady(tx, wanted.at)
  for (;;) {
    const [task] = await listReadyIds(tx, wanted.scope, 1)
    if (task === undefined) return { is: 'nothing', nothing: await explainNothingReady(tx, wanted.scope, wanted.run) }
    const claimed = await tryClaim(tx, task, wanted)
    if (claimed !== null) return { is: 'claimed', task: claimed }
  }
}

async function tryClaim(
  tx: Sql,
  task: TaskId,
  { run, worker, at, leaseMs }: Parameters<typeof claimTask>[1],
): Promise<ClaimedTask | null> {
  const by = `${run}/${worker}`
  // This statement alone decides who gets the task.
  const won = await tx.get<Won>(
    `update tasks set claimed_by = ? where id = ? and status = 'pending' and claimed_by is null
     returning attempt, title, feature, max_retries as "maxRetries", checks, tests, retries`,
    by,
    task,
  )
  if (won === null) return null
  const attempt = won.attempt + 1
  await applyEventToTask(tx, task, { is: 'claimed', by }, at)
  await tx.run(
    `insert into claims (task, attempt, run, worker, lease_until, state, claimed_at) values (?, ?, ?, ?, ?, 'held', ?)`,
    task,
    attempt,
    run,
    worker,
    at + leaseMs,
    at,
  )
  return { id: task, ...won, attempt, checks: parseTextList(won.checks), tests: parseTextList(won.tests) }
}

type Won = Omit<ClaimedTask, 'id' | 'checks' | 'tests'> & { checks: string; tests: string }

/** Ends a claim and returns the changes of other tasks. `held` false: the claim was already lost, and nothing changed. */
export async function endTaskClaim(
  tx: Sql,
  said: TaskClaim & {
    as: 'done' | 'failed' | 'released'
    why: string | null
    /** How often the pipeline jumped back. */
    retries: number
    verification: TaskReviewResult | null
    /** The commits before and after its work; null: there are none, or they are unknown. */
    from: string | null
    to: string | null
    /** The summary of the agent that worked on it last. */
    summary?: AgentTaskSummary | null
    at: Instant
  },
): Promise<{ held: boolean; changes: DerivedChange[] }> {
  const { task, attempt, as, why, from, to, at } = said
  if (!(await endClaim(tx, { task, attempt }, { state: as, why, from, to, at }))) return { held: false, changes: [] }
  const entry = logEntryFor(said)
  if (entry !== null) await addTaskLogEntry(tx, { task, at, ...entry })
  return { held: true, changes: await applyEventToTask(tx, task, claimEndEvent(said), at) }
}

/** The log entry for later prompts: the summary of a done task, the reason of a failed one. */
function logEntryFor({
  as,
  why,
  summary = null,
}: Parameters<typeof endTaskClaim>[1]): Pick<TaskLogEntry, 'author' | 'kind' | 'text'> | null {
  switch (as) {
    case 'done':
      return summary === null ? null : { author: summary.by, kind: 'summary', text: summary.text }
    case 'failed':
      return why === null ? null : { author: 'ralph', kind: 'failed', text: why }
    case 'released':
      return null
    default:
      return assertNever(as)
  }
}

function claimEndEvent({ as, why, retries, verification }: Parameters<typeof endTaskClaim>[1]): TaskEvent {
  return as === 'released' ? { is: 'released', retries } : { is: as, why, retries, verification }
}

/** Extends all claims of a run. Returns their number. */
export async function renewClaims(sql: Sql, { run, leaseUntil }: { run: RunId; leaseUntil: Instant }): Promise<number> {
  const kept = await sql.run(`update claims set lease_until = ? where state = 'held' and run = ?`, leaseUntil, run)
  return kept.changes
}

/** `status`: the task's current status; null: it is deleted, or another claim followed, so its status says nothing about this work. */
export interface LostClaim extends TaskClaim {
  status: TaskStatus | null
}

/** The claims in `held` that the run no longer holds. */
export async function findLostClaims(sql: Sql, run: RunId, held: TaskClaim[]): Promise<LostClaim[]> {
  if (held.length === 0) return []
  const rows = await sql.all<TaskClaim>(`select task, attempt from claims where state = 'held' and run = ?`, run)
  const still = new Set(rows.map(({ task, attempt }) => `${task} ${attempt}`))
  const lost = held.filter(({ task, attempt }) => !still.has(`${task} ${attempt}`))
  return Promise.all(
    lost.map(async (claim) => {
      const row = await sql.get<{ status: TaskStatus }>(
        'select status from tasks where id = ? and attempt = ?',
        claim.task,
        claim.attempt,
      )
      return { ...claim, status: row?.status ?? null }
    }),
  )
}

/** The runs that ever claimed this task, oldest first. */
export async function runsOfTask(sql: Sql, task: TaskId): Promise<RunId[]> {
  const rows = await sql.all<{ run: RunId }>(
    'select run, min(attempt) as first from claims where task = ? group by run order by first',
    task,
  )
  return rows.map(({ run }) => run)
}

/** Sorted as the index: any other order would read all claims. */
export const EXPIRED_LEASES_SQL = `select task, attempt from claims where state = 'held' and lease_until <= ? order by lease_until, task`

/** Ends every claim with an expired lease; the tasks are pending again. Returns the lost claims. */
export async function reclaimExpiredTasks(tx: Sql, at: Instant): Promise<TaskClaim[]> {
  const over = await tx.all<TaskClaim>(EXPIRED_LEASES_SQL, at)
  for (const { task, attempt } of over) {
    await endClaim(tx, { task, attempt }, { state: 'lost', why: 'its lease expired', at })
    await applyEventToTask(tx, task, { is: 'lost', retries: null }, at)
  }
  return over.map(({ task, attempt }) => ({ task, attempt }))
}

/** Ends the claim on a task after a person's decision about it. True: there was a claim. */
export async function revokeClaim(tx: Sql, task: TaskId, { at, why }: { at: Instant; why: string }): Promise<boolean> {
  const held = await tx.get<TaskClaim>(`select task, attempt from claims where task = ? and state = 'held'`, task)
  return held !== null && endClaim(tx, held, { state: 'lost', why, at })
}

async function endClaim(
  tx: Sql,
  { task, attempt }: TaskClaim,
  end: {
    state: 'done' | 'failed' | 'released' | 'lost'
    why: string | null
    from?: string | null
    to?: string | null
    at: Instant
  },
): Promise<boolean> {
  const ended = await tx.run(
    `update claims set state = ?, ended_at = ?, from_head = ?, to_head = ?, why = ? where task = ? and attempt = ? and state = 'held'`,
    end.state,
    end.at,
    end.from ?? null,
    end.to ?? null,
    end.why,
    task,
    attempt,
  )
  return ended.changes === 1
}
