/** A person marks a task as done or failed, or resets it. A worker that has the task loses its claim. */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { plural } from '../../core/text/format-amounts.ts'
import type { DerivedChange, Task, TaskId } from '../../core/tasks/task.ts'
import { revokeClaim } from './claims.ts'
import type { Sql } from '../db/sql.ts'
import { applyEventToTask } from './apply-event.ts'
import { requireTask } from './find-task.ts'
import { addTaskLogEntry } from './task-log.ts'
import { DESCENDANTS_SQL } from './ready-tasks.ts'

export interface MarkResult {
  /** Tasks whose status was set; for a parent, its descendants. */
  tasks: TaskId[]
  /** Those that a worker had claimed. */
  lost: TaskId[]
  changes: DerivedChange[]
}

/** The status of a parent follows from its children, so it cannot be marked. */
export async function markTask(
  sql: Sql,
  id: TaskId,
  { as, why, by, at }: { as: 'done' | 'failed'; why: string | null; by: string; at: Instant },
): Promise<MarkResult> {
  return sql.transaction(async (tx) => {
    const task = await requireTask(tx, id)
    if (task.children > 0) throw cannotMarkParentError(task, as)
    const wasHeld = await revokeClaim(tx, id, { at, why: `marked ${as} by ${by}` })
    const told = why ?? (as === 'done' ? `marked done by ${by}` : 'Manually marked as failed')
    const event = { is: as, why: told, retries: null, verification: null } as const
    const changes = await applyEventToTask(tx, id, event, at)
    if (as === 'failed') await addTaskLogEntry(tx, { task: id, at, author: by, kind: 'failed', text: told })
    return { tasks: [id], lost: wasHeld ? [id] : [], changes }
  })
}

function cannotMarkParentError({ id, children }: Task, as: string): RalphError {
  return new RalphError(
    'usage',
    `task ${id} cannot be marked ${as}: its status follows from its ${plural(children, 'child', 'children')}`,
    {
      hint: `Mark its subtasks instead: ralph task tree ${id}`,
    },
  )
}

/** Makes a task pending again. For a parent: its failed leaves, or with `all` every leaf that is not pending. */
export async function resetTask(
  sql: Sql,
  id: TaskId,
  { all, by, at }: { all: boolean; by: string; at: Instant },
): Promise<MarkResult> {
  return sql.transaction(async (tx) => {
    const task = await requireTask(tx, id)
    const tasks = task.children === 0 ? [id] : await toReset(tx, id, all)
    const lost: TaskId[] = []
    const changes: DerivedChange[] = []
    for (const one of tasks) {
      if (await revokeClaim(tx, one, { at, why: `reset by ${by}` })) lost.push(one)
      changes.push(...(await applyEventToTask(tx, one, { is: 'reset' }, at)))
    }
    return { tasks, lost, changes }
  })
}

async function toReset(tx: Sql, id: TaskId, all: boolean): Promise<TaskId[]> {
  const rows = await tx.all<{ id: TaskId }>(
    `with recursive ${DESCENDANTS_SQL} select id from tasks
     where id in (select id from below) and children = 0 and (status = 'failed' or (? = 1 and status <> 'pending')) order by n`,
    id,
    Number(all),
  )
  return rows.map((row) => row.id)
}
