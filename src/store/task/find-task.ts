/** Finds tasks by their id or a unique prefix of it. */
import { RalphError } from '../../core/error.ts'
import { prefixUpperBound, idPrefixes } from '../../core/tasks/task-id.ts'
import type { Task, TaskId } from '../../core/tasks/task.ts'
import type { Sql } from '../db/sql.ts'
import { parseTaskRow, TASK_SELECT_LIST, type StoredTask } from './task-rows.ts'

export async function findTask(sql: Sql, id: TaskId): Promise<Task | null> {
  const row = await sql.get<StoredTask>(`select ${TASK_SELECT_LIST} from tasks where id = ?`, id)
  return row === null ? null : parseTaskRow(row)
}

/** Limit of tasks listed for an ambiguous prefix. */
const LISTED_MAX = 6

/** The task with this id or id prefix. A full id wins over a prefix, and `t-` is optional. */
export async function findTaskByPrefix(sql: Sql, typed: string): Promise<Task> {
  for (const id of idPrefixes(typed, 't-')) {
    const exact = await findTask(sql, id)
    if (exact !== null) return exact
  }
  const begun = typed === '' ? [] : await beginningWith(sql, typed)
  const [first, second] = begun
  if (first === undefined) throw notFound(typed)
  if (second === undefined) return first
  const listed = begun.slice(0, LISTED_MAX).map(({ id, title }) => `${id}  ${title}`)
  if (begun.length > LISTED_MAX) listed.push('…')
  throw new RalphError('usage', `"${typed}" matches several tasks`, {
    hint: 'Type more of its id.',
    more: { lines: listed, facts: { tasks: begun.slice(0, LISTED_MAX).map(({ id }) => id) } },
  })
}

/** Archived tasks count only if no other matches. */
async function beginningWith(sql: Sql, typed: string): Promise<Task[]> {
  const found: Task[] = []
  for (const beginning of idPrefixes(typed, 't-')) {
    const rows = await sql.all<StoredTask>(
      `select ${TASK_SELECT_LIST} from tasks where id >= ? and id < ? order by id limit ${LISTED_MAX + 1}`,
      beginning,
      prefixUpperBound(beginning),
    )
    found.push(...rows.map(parseTaskRow))
  }
  const alive = found.filter(({ archivedAt }) => archivedAt === null)
  return alive.length > 0 ? alive : found
}

/** Returns the task; throws if it does not exist or is archived. */
export async function requireTask(tx: Sql, id: TaskId): Promise<Task> {
  const task = await findTask(tx, id)
  if (task === null) throw notFound(id)
  if (task.archivedAt !== null)
    throw new RalphError('usage', `task ${id} was deleted`, { hint: `See its log: ralph task log ${id}` })
  return task
}

function notFound(typed: string): RalphError {
  return new RalphError('not-found', `there is no task ${typed}`, { hint: 'List all: ralph task list --all' })
}
