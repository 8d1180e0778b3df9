/** Tasks by their id. */
import type { Task, TaskId } from '../../domain/task/task.ts'
import type { Sql } from '../db/sql.ts'
import { readTask, TASK_COLUMNS, type StoredTask } from './rows.ts'

export async function findTask(sql: Sql, id: TaskId): Promise<Task | null> {
  const row = await sql.get<StoredTask>(`select ${TASK_COLUMNS} from tasks where id = ?`, id)
  return row === null ? null : readTask(row)
}
