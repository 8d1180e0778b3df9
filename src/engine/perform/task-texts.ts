/** Reads from the store, and from files of the project, all that a prompt about a task is made of. */
import { RalphError } from '../../domain/error.ts'
import type { TaskTexts } from '../../domain/prompt/task-prompt.ts'
import type { TaskId } from '../../domain/task/task.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findTask } from '../../store/task/find.ts'

export async function taskTexts({
  sql,
  task: id,
}: {
  sql: Sql
  root: string
  task: TaskId
}): Promise<TaskTexts> {
  const task = await findTask(sql, id)
  if (task === null) throw new RalphError('not-found', `task ${id} is no longer there`)
  return { task, parent: task.parent === null ? null : await findTask(sql, task.parent) }
}
