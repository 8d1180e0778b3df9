/**
 * Deletes a task with its descendants. Throws if other tasks wait for one of them, unless `unblock` is set. Tasks with a history (a claim,
 * or log entries that no person wrote) are archived: they leave every list and count but keep their log. The others are deleted.
 */
import { RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { plural } from '../../core/text/format-amounts.ts'
import { partCountsOf } from '../../core/tasks/rollup.ts'
import type { DerivedChange, TaskId, TaskStatus } from '../../core/tasks/task.ts'
import type { FeatureCounts, TaskRef } from '../../core/tasks/transition.ts'
import { howToFreeTask } from '../../core/tasks/task-text.ts'
import type { Sql } from '../db/sql.ts'
import { applyEventToTask } from './apply-event.ts'
import { removeEdge } from './edges.ts'
import { requireTask } from './find-task.ts'
import { DESCENDANTS_SQL } from './ready-tasks.ts'
import { loadEdges, chunkPlaceholders, loadTaskNodes } from './task-rows.ts'

export interface RemoveResult {
  removed: TaskId[]
  archived: TaskId[]
  /** Tasks that waited for a deleted one and no longer do. */
  released: TaskRef[]
  changes: DerivedChange[]
}

export async function removeTask(
  sql: Sql,
  id: TaskId,
  { unblock, at }: { unblock: boolean; at: Instant },
): Promise<RemoveResult> {
  return sql.transaction(async (tx) => {
    await requireTask(tx, id)
    const rows = await subtree(tx, id)
    const held = rows.find((row) => row.claimed_by !== null)
    if (held !== undefined) throw claimedTaskError(held)
    const { released, changes } = await removeBlockerEdges(tx, id, { ids: rows.map((row) => row.id), unblock, at })
    changes.push(...(await applyEventToTask(tx, id, { is: 'left', leaves: leavesIn(rows) }, at)))
    await tx.run('delete from ready where task in (select task from ready where scope = ?)', `t:${id}`)
    const kept = await withHistory(tx, rows)
    const [archived, removed] = [rows.filter((row) => kept.has(row.id)), rows.filter((row) => !kept.has(row.id))]
    await archive(tx, idsOf(archived), at)
    await erase(tx, idsOf(removed))
    return { removed: idsOf(removed), archived: idsOf(archived), released, changes }
  })
}

interface Row {
  id: TaskId
  parent: TaskId | null
  feature: string | null
  status: TaskStatus
  children: number
  claimed_by: string | null
}

function idsOf(rows: Row[]): TaskId[] {
  return rows.map(({ id }) => id)
}

async function subtree(tx: Sql, id: TaskId): Promise<Row[]> {
  return tx.all<Row>(
    `with recursive ${DESCENDANTS_SQL} select id, parent, feature, status, children, claimed_by from tasks
     where id = ? or id in (select id from below) order by n`,
    id,
    id,
  )
}

function claimedTaskError({ id, claimed_by }: Row): RalphError {
  return new RalphError('usage', `task ${id} is being worked on by ${claimed_by ?? 'somebody'}`, {
    hint: howToFreeTask(id),
  })
}

/** Limit of waiting tasks in the error. */
const NAMED_MAX = 6

async function removeBlockerEdges(
  tx: Sql,
  id: TaskId,
  { ids, unblock, at }: { ids: TaskId[]; unblock: boolean; at: Instant },
): Promise<{ released: TaskRef[]; changes: DerivedChange[] }> {
  const own = new Set(ids)
  const edges = await loadEdges(tx, 'blocker', ids)
  const outward = edges.filter(({ blocked }) => !own.has(blocked))
  const waiting = await loadTaskNodes(
    tx,
    outward.map(({ blocked }) => blocked),
  )
  const released = [...waiting.values()].map((node) => ({ id: node.id, title: node.title }))
  if (outward.length > 0 && !unblock) {
    const names = released.slice(0, NAMED_MAX).map((task) => `${task.id}  ${task.title}`)
    if (released.length > NAMED_MAX) names.push(`and ${released.length - NAMED_MAX} more`)
    throw new RalphError(
      'usage',
      `task ${id} cannot be deleted: ${plural(released.length, 'other task')} would wait for it forever`,
      {
        hint: `Delete it and unblock them: ralph task delete ${id} --unblock`,
        more: { lines: names, facts: { waiting: released.map((task) => task.id) } },
      },
    )
  }
  const changes: DerivedChange[] = []
  for (const edge of outward) changes.push(...(await removeEdge(tx, edge, at)).changes)
  for (const { marks, values } of chunkPlaceholders(ids)) {
    await tx.run(`delete from edges where blocker in (${marks})`, ...values)
    await tx.run(`delete from edges where blocked in (${marks})`, ...values)
  }
  return { released, changes }
}

function leavesIn(rows: Row[]): FeatureCounts[] {
  return rows
    .filter(({ children }) => children === 0)
    .map(({ feature, status }) => ({ feature, parts: partCountsOf(status) }))
}

/** Tasks with a history, and their ancestors: an archived task keeps its parent. */
async function withHistory(tx: Sql, rows: Row[]): Promise<Set<TaskId>> {
  const parents = new Map(rows.map(({ id, parent }) => [id, parent]))
  const kept = new Set<TaskId>()
  for (const { marks, values } of chunkPlaceholders([...parents.keys()])) {
    const found = await tx.all<{ task: TaskId }>(
      `select task from claims where task in (${marks})
       union select task from task_log where task in (${marks}) and author <> 'human'`,
      ...values,
      ...values,
    )
    for (const { task } of found)
      for (let at: TaskId | null = task; at !== null && !kept.has(at); at = parents.get(at) ?? null)
        if (parents.has(at)) kept.add(at)
  }
  return kept
}

async function archive(tx: Sql, ids: TaskId[], at: Instant): Promise<void> {
  for (const { marks, values } of chunkPlaceholders(ids))
    await tx.run(
      `update tasks set archived_at = ?, children = 0, children_done = 0, children_failed = 0, children_going = 0, waits = 0,
         above = 0, scheduled = 0 where id in (${marks})`,
      at,
      ...values,
    )
}

async function erase(tx: Sql, ids: TaskId[]): Promise<void> {
  for (const { marks, values } of chunkPlaceholders(ids)) {
    await tx.run(`delete from task_log where task in (${marks})`, ...values)
    // Tasks that were archived below it earlier stay, without a parent.
    await tx.run(`update tasks set parent = null where parent in (${marks})`, ...values)
    await tx.run(`delete from tasks where id in (${marks})`, ...values)
  }
}
