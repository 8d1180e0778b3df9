/** The log of a task: notes, guidance, failures, each with its author. It stays when the task is archived. */
import type { TaskId, TaskLogEntry } from '../../core/tasks/task.ts'
import type { Sql } from '../db/sql.ts'

export function addTaskLogEntry(sql: Sql, entry: Omit<TaskLogEntry, 'n'>): Promise<void> {
  return addTaskLogEntries(sql, [entry])
}

export async function addTaskLogEntries(sql: Sql, entries: Omit<TaskLogEntry, 'n'>[]): Promise<void> {
  await sql.transaction(async (tx) => {
    const last = await tx.get<{ n: number }>('select coalesce(max(n), 0) as n from task_log')
    const first = (last?.n ?? 0) + 1
    for (const [i, { task, at, author, kind, text }] of entries.entries()) {
      const values = [first + i, task, at, author, kind, text]
      await tx.run('insert into task_log (n, task, at, author, kind, text) values (?, ?, ?, ?, ?, ?)', ...values)
    }
  })
}

/** Removes outdated guidance from prompts; it stays in the log as a note. */
export async function retireGuidance(tx: Sql, task: TaskId, beginning: string): Promise<void> {
  await tx.run(
    `update task_log set kind = 'note' where task = ? and kind = 'guidance' and substr(text, 1, length(?)) = ?`,
    task,
    beginning,
    beginning,
  )
}

/** The newest `limit` entries, oldest first. */
export async function loadTaskLog(sql: Sql, task: TaskId, limit: number): Promise<TaskLogEntry[]> {
  const rows = await sql.all<TaskLogEntry>(
    'select n, task, at, author, kind, text from task_log where task = ? order by n desc limit ?',
    task,
    limit,
  )
  return rows.map((row) => ({ ...row })).toReversed()
}
