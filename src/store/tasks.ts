/**
 * The task graph: a tree of parents and children, and edges from blocker to blocked. How many unfinished blockers and how many
 * children a task has is kept in its row by whoever changes the graph, in the same transaction; the ready set is then an index
 * that is read, not a question that is computed.
 */
import { RalphError } from '../domain/error.ts'
import type { Instant } from '../domain/ids.ts'
import { hint } from './db/dialect.ts'
import type { Sql } from './db/sql.ts'

export type TaskStatus = 'pending' | 'in_progress' | 'done' | 'blocked' | 'failed'

export interface Task {
  id: string
  parent: string | null
  title: string
  description: string
  status: TaskStatus
  /** Lower comes first. */
  priority: number
  /** Blockers that are not done. */
  blockers: number
  children: number
  /** The number of the newest claim, 0 before the first. */
  attempt: number
  createdAt: Instant
  updatedAt: Instant
}

export interface NewTask {
  id: string
  parent: string | null
  title: string
  description: string
  priority: number
  at: Instant
}

export interface Edge {
  blocker: string
  blocked: string
}

const COLUMNS = `id, parent, title, description, status, priority, blockers, children, attempt, created_at, updated_at`

/** Only leaves are worked on: pending, nothing unfinished before them, no children. Must say what the partial index says. */
export const IS_READY = `status = 'pending' and blockers = 0 and children = 0`

export const READY_IN_ORDER = `from ${hint('tasks', 'tasks_ready')} where ${IS_READY} order by priority, created_at, id limit ?`

/** What can be worked on now, in the order in which it should be. */
export async function readyTasks(sql: Sql, limit: number): Promise<Task[]> {
  const rows = await sql.all<StoredTask>(`select ${COLUMNS} ${READY_IN_ORDER}`, limit)
  return rows.map(readTask)
}

export async function findTask(sql: Sql, id: string): Promise<Task | null> {
  const row = await sql.get<StoredTask>(`select ${COLUMNS} from tasks where id = ?`, id)
  return row === null ? null : readTask(row)
}

export async function childrenOf(sql: Sql, parent: string): Promise<Task[]> {
  const rows = await sql.all<StoredTask>(
    `select ${COLUMNS} from tasks where parent = ? order by priority, created_at, id`,
    parent,
  )
  return rows.map(readTask)
}

export async function addTask(sql: Sql, task: NewTask): Promise<void> {
  await sql.transaction(async (tx) => {
    if ((await findTask(tx, task.id)) !== null) {
      throw new RalphError('usage', `there is a task ${task.id} already`)
    }
    if (task.parent !== null) await mustExist(tx, task.parent)
    await tx.run(
      `insert into tasks (id, parent, title, description, status, priority, created_at, updated_at)
       values (?, ?, ?, ?, 'pending', ?, ?, ?)`,
      task.id,
      task.parent,
      task.title,
      task.description,
      task.priority,
      task.at,
      task.at,
    )
    await tx.run('update tasks set children = children + 1 where id = ?', task.parent)
  })
}

/** Sets a task's status. Leaving `in_progress` ends the claim on it: what its worker says later is late. */
export async function setStatus(sql: Sql, id: string, status: TaskStatus, at: Instant): Promise<void> {
  await sql.transaction(async (tx) => {
    const before = (await mustExist(tx, id)).status
    await tx.run('update tasks set status = ?, updated_at = ? where id = ?', status, at, id)
    if (status !== 'in_progress') {
      await tx.run(`update claims set state = 'released' where task = ? and state = 'held'`, id)
    }
    const finished = Number(status === 'done') - Number(before === 'done')
    if (finished === 0) return
    await tx.run(
      'update tasks set blockers = blockers - ? where id in (select blocked from edges where blocker = ?)',
      finished,
      id,
    )
  })
}

/** `blocker` must be done before `blocked`. An edge that is there already changes nothing; one that closes a circle is refused. */
export async function addEdge(sql: Sql, edge: Edge): Promise<void> {
  await sql.transaction(async (tx) => {
    const blocker = await mustExist(tx, edge.blocker)
    await mustExist(tx, edge.blocked)
    if (await leadsTo(tx, { from: edge.blocked, to: edge.blocker })) {
      throw new RalphError(
        'usage',
        `${edge.blocker} cannot block ${edge.blocked}: they would wait for each other for ever`,
      )
    }
    const added = await tx.run(
      'insert into edges (blocker, blocked) values (?, ?) on conflict do nothing',
      edge.blocker,
      edge.blocked,
    )
    const waits = blocker.status === 'done' ? 0 : added.changes
    await tx.run('update tasks set blockers = blockers + ? where id = ?', waits, edge.blocked)
  })
}

export async function removeEdge(sql: Sql, edge: Edge): Promise<void> {
  await sql.transaction(async (tx) => {
    const blocker = await mustExist(tx, edge.blocker)
    const removed = await tx.run(
      'delete from edges where blocker = ? and blocked = ?',
      edge.blocker,
      edge.blocked,
    )
    const freed = blocker.status === 'done' ? 0 : removed.changes
    await tx.run('update tasks set blockers = blockers - ? where id = ?', freed, edge.blocked)
  })
}

/** Removes a task with all tasks below it, their edges and claims. */
export async function deleteTask(sql: Sql, id: string): Promise<void> {
  await sql.transaction(async (tx) => {
    const task = await mustExist(tx, id)
    for (const child of await childrenOf(tx, id)) await deleteTask(tx, child.id)
    await setStatus(tx, id, 'done', task.updatedAt)
    await tx.run('delete from edges where blocker = ? or blocked = ?', id, id)
    await tx.run('delete from claims where task = ?', id)
    await tx.run('delete from tasks where id = ?', id)
    await tx.run('update tasks set children = children - 1 where id = ?', task.parent)
  })
}

/** Walks the edges forward; `union` keeps it finite whatever the graph looks like. */
async function leadsTo(tx: Sql, way: { from: string; to: string }): Promise<boolean> {
  const met = await tx.get(
    `with recursive reached (id) as (
       select ? union select edges.blocked from edges join reached on edges.blocker = reached.id
     ) select id from reached where id = ?`,
    way.from,
    way.to,
  )
  return met !== null
}

async function mustExist(tx: Sql, id: string): Promise<Task> {
  const task = await findTask(tx, id)
  if (task === null) throw new RalphError('not-found', `there is no task ${id}`)
  return task
}

interface StoredTask extends Omit<Task, 'createdAt' | 'updatedAt'> {
  created_at: number
  updated_at: number
}

function readTask(row: StoredTask): Task {
  const { created_at, updated_at, ...same } = row
  return { ...same, createdAt: created_at, updatedAt: updated_at }
}
