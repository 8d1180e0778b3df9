/** What tests do to tasks in one call. */
import type { Instant, RunId } from '../../src/core/ids.ts'
import type { NewTask, TaskId } from '../../src/core/tasks/task.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { addTasks } from '../../src/store/task/add-tasks.ts'
import { endTaskClaim, type TaskClaim } from '../../src/store/task/claims.ts'

/** One task; its id. */
export async function addTask(sql: Sql, task: NewTask, at: Instant): Promise<TaskId> {
  const { ids } = await addTasks(sql, [task], at)
  return ids[0] ?? ''
}

/** Ends all claims of a run: their tasks are pending again. */
export async function releaseClaims(
  tx: Sql,
  { run, at, why }: { run: RunId; at: Instant; why: string | null },
): Promise<void> {
  const held = await tx.all<TaskClaim & { retries: number }>(
    `select claims.task as task, claims.attempt as attempt, retries from claims join tasks on tasks.id = claims.task
     where state = 'held' and run = ?`,
    run,
  )
  const others = { as: 'released', verification: null, from: null, to: null, why, at } as const
  for (const { task, attempt, retries } of held) await endTaskClaim(tx, { task, attempt, retries, ...others })
}
