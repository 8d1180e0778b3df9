/** The tasks of a run for a screen that looks again and again: the first of a large graph, with what keeps each and what it cost. */
import type { RunId } from '../../domain/ids.ts'
import { layBoard, type BoardRow, type TaskBoard } from '../../domain/tell/task-board.ts'
import type { Scope, TaskId } from '../../domain/task/task.ts'
import { paidFor } from './claims-of-run.ts'
import type { Sql } from '../db/sql.ts'
import { countTasks, within } from './counts.ts'
import { inChunks } from './rows.ts'

/** More than anybody scrolls through; `ralph task list` has them all. */
const TASKS_MAX = 1_000
const NAMED_MAX = 3

export async function taskBoard(sql: Sql, scope: Scope, run: RunId): Promise<TaskBoard> {
  const { first, where, values } = within(scope)
  const stored = await sql.all<Omit<BoardRow, 'asleep'> & { asleep: number }>(
    `${first} select id, parent, title, status, waits, above, asleep, children, why from tasks
     where archived_at is null ${where} order by priority, n limit ${TASKS_MAX}`,
    ...values,
  )
  const rows = stored.map((row): BoardRow => ({ ...row, asleep: row.asleep === 1 }))
  const paid = await paidFor(sql, run)
  return {
    counts: await countTasks(sql, scope),
    tasks: layBoard(rows, {
      waits: await waitsOf(
        sql,
        rows.flatMap(({ id, waits }) => (waits > 0 ? [id] : [])),
      ),
      usd: new Map(
        [...paid].flatMap(([task, { spent }]) => (spent.usd > 0 ? [[task, spent.usd] as const] : [])),
      ),
    }),
  }
}

async function waitsOf(sql: Sql, tasks: TaskId[]): Promise<Map<TaskId, string[]>> {
  const found = new Map<TaskId, string[]>()
  for (const { marks, values } of inChunks(tasks)) {
    const rows = await sql.all<{ blocked: TaskId; blocker: TaskId; status: string }>(
      `select edges.blocked as blocked, tasks.id as blocker, tasks.status as status
       from edges join tasks on tasks.id = edges.blocker
       where edges.blocked in (${marks}) and tasks.status <> 'done' order by tasks.n`,
      ...values,
    )
    for (const { blocked, blocker, status } of rows) {
      const named = found.get(blocked) ?? []
      if (named.length < NAMED_MAX) found.set(blocked, [...named, `${blocker} (${status})`])
    }
  }
  return found
}
