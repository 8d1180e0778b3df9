/** Undone runs, and how to revert an undo. The entries are deleted with their run; git keeps the trees they name. */
import type { Instant, RunId } from '../core/ids.ts'
import type { TaskId } from '../core/tasks/task.ts'
import type { Sql } from './db/sql.ts'
import { parseStoredJson } from './db/stored-json.ts'

export interface Undo<Body = unknown> {
  id: number
  /** For the undo of a task: the last run that worked on it. */
  run: RunId
  /** Null: the whole run was undone. */
  task: TaskId | null
  at: Instant
  state: 'begun' | 'done' | 'returning' | 'returned'
  body: Body
}

export async function beginUndo(
  sql: Sql,
  undo: { run: RunId; task: TaskId | null; at: Instant; body: unknown },
): Promise<number> {
  const row = await sql.get<{ id: number }>(
    `insert into undos (run, task, at, state, body) values (?, ?, ?, 'begun', ?) returning id`,
    undo.run,
    undo.task,
    undo.at,
    JSON.stringify(undo.body),
  )
  return row?.id ?? 0
}

export async function updateUndo(
  sql: Sql,
  id: number,
  { state, body }: { state: Undo['state']; body?: unknown },
): Promise<void> {
  await sql.run('update undos set state = ? where id = ?', state, id)
  if (body !== undefined) await sql.run('update undos set body = ? where id = ?', JSON.stringify(body), id)
}

/** How a run was undone; null: it was not, or the undo was reverted. */
export async function findUndo<Body>(sql: Sql, run: RunId): Promise<Undo<Body> | null> {
  const row = await sql.get<StoredUndo>(
    `select id, run, task, at, state, body from undos
     where run = ? and task is null and state <> 'returned' order by id desc limit 1`,
    run,
  )
  return row === null ? null : readUndo(row)
}

/** All undos of this working tree, oldest first, including reverted ones. */
export async function listUndos<Body>(sql: Sql, workspace: string): Promise<Undo<Body>[]> {
  const rows = await sql.all<StoredUndo>(
    `select undos.id, run, task, at, state, body from undos join runs on runs.id = undos.run
     where workspace = ? order by undos.id`,
    workspace,
  )
  return rows.map((row) => readUndo<Body>(row))
}

interface StoredUndo {
  id: number
  run: string
  task: string | null
  at: number
  state: string
  body: string
}

function readUndo<Body>(row: StoredUndo): Undo<Body> {
  return { ...row, state: row.state as Undo['state'], body: parseStoredJson(row.body, row.run) as Body }
}
