/**
 * Changes tasks that were accepted before to match a later document. It first removes parents and edges that no longer apply, then the
 * new tasks are added, then it sets the new parents and edges. So no edge exists at any moment that the document does not have, and a
 * cycle that is refused always involves tasks of another feature.
 */
import { RalphError } from '../../core/error.ts'
import type { RevisedTask, TaskRevision } from '../../core/features/task-revision.ts'
import type { Instant } from '../../core/ids.ts'
import type { DerivedChange, NewTask, TaskId } from '../../core/tasks/task.ts'
import type { TaskRef } from '../../core/tasks/transition.ts'
import { howToFreeTask, describeTask } from '../../core/tasks/task-text.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addEdge, removeEdge } from '../../store/task/edges.ts'
import { findTask, requireTask } from '../../store/task/find-task.ts'
import { childrenOf } from '../../store/task/list-tasks.ts'
import { resetTask } from '../../store/task/mark-task.ts'
import { removeTask } from '../../store/task/remove-task.ts'
import { loadEdges, loadTaskNodes } from '../../store/task/task-rows.ts'
import { updateTask, type TaskUpdate } from '../../store/task/update-task.ts'
import { PERSON_AUTHOR } from '../task/change.ts'

export interface RevisionContext {
  revision: TaskRevision
  /** By id, as the new document has them. */
  laid: ReadonlyMap<TaskId, NewTask>
  /** By id, as the document accepted before has them. */
  was: ReadonlyMap<TaskId, NewTask>
  /** All tasks accepted before. */
  accepted: ReadonlySet<TaskId>
  at: Instant
}

export interface TaskDetachResult {
  released: TaskRef[]
  changes: DerivedChange[]
}

export async function detachRevisedTasks(
  tx: Sql,
  { revision, laid, accepted, at }: RevisionContext,
): Promise<TaskDetachResult> {
  const { changed, gone, stays } = revision
  await refuseClaimedTasks(tx, [...changed, ...gone])
  const changes: DerivedChange[] = []
  // Done tasks too: their old blockers must not prevent new edges in the opposite direction.
  for (const { task: id } of [...changed, ...stays])
    for (const edge of await loadEdges(tx, 'blocked', [id]))
      if (accepted.has(edge.blocker) && laid.get(id)?.blockers.includes(edge.blocker) !== true)
        changes.push(...(await removeEdge(tx, edge, at)).changes)
  for (const { task: id } of changed) {
    const wanted = laid.get(id)
    const { parent } = await requireTask(tx, id)
    if (parent !== null && parent !== wanted?.parent)
      changes.push(...(await updateTask(tx, id, { parent: null }, at)).changes)
  }
  const released: TaskRef[] = []
  for (const { task: id } of gone) {
    // A task below a deleted one is deleted already.
    const there = await findTask(tx, id)
    if (there === null || there.archivedAt !== null) continue
    const removed = await removeTask(tx, id, { unblock: true, at })
    released.push(...removed.released.filter((one) => !accepted.has(one.id)))
    changes.push(...removed.changes)
  }
  return { released, changes }
}

export async function updateRevisedTasks(
  tx: Sql,
  { revision, laid, was, at }: RevisionContext,
): Promise<DerivedChange[]> {
  const changes: DerivedChange[] = []
  for (const { task: id } of revision.changed) {
    const wanted = laid.get(id)
    if (wanted === undefined) continue
    const { status, children } = await requireTask(tx, id)
    changes.push(...(await updateTask(tx, id, changedFields(wanted, was.get(id)), at)).changes)
    // The task has new content, so its old failure no longer counts.
    if (status === 'failed' && children === 0)
      changes.push(...(await resetTask(tx, id, { all: false, by: PERSON_AUTHOR, at })).changes)
  }
  for (const { task: id } of revision.changed)
    for (const blocker of laid.get(id)?.blockers ?? [])
      changes.push(...(await addEdge(tx, { blocker, blocked: id }, at)).changes)
  return changes
}

/** Only fields that the document changed: a person may have edited the others since, such as a stricter check. */
function changedFields(now: NewTask, was: NewTask | undefined): TaskUpdate {
  const said = (['title', 'description', 'priority', 'checks', 'tests', 'criteria'] as const).filter(
    (name) => JSON.stringify(now[name]) !== JSON.stringify(was?.[name]),
  )
  return { parent: now.parent, ...Object.fromEntries(said.map((name) => [name, now[name]])) }
}

async function refuseClaimedTasks(tx: Sql, tasks: RevisedTask[]): Promise<void> {
  const now = await loadTaskNodes(
    tx,
    tasks.map(({ task }) => task),
  )
  const held = [...now.values()].find(({ claimedBy }) => claimedBy !== null)
  if (held === undefined) return
  const name = describeTask({ task: held.id, title: held.title })
  throw new RalphError('held', `${name} cannot be changed while ${held.claimedBy ?? 'somebody'} is working on it`, {
    hint: howToFreeTask(held.id),
  })
}

/** Deleting a task deletes everything below it, so a task stays if one below it stays. Changed tasks are moved away first. */
export async function keepNeededParents(sql: Sql, revision: TaskRevision): Promise<TaskRevision> {
  const { gone, changed, stays } = revision
  const leaving = new Map(gone.map((one) => [one.task, one]))
  const moved = new Set(changed.map(({ task }) => task))
  const children = new Map<TaskId, TaskId[]>()
  for (const { task } of gone) {
    const below = (await childrenOf(sql, task)).map(({ id }) => id)
    children.set(
      task,
      below.filter((id) => !moved.has(id)),
    )
  }
  for (let before = -1; before !== leaving.size;) {
    before = leaving.size
    for (const [id] of leaving) if (children.get(id)?.some((child) => !leaving.has(child)) === true) leaving.delete(id)
  }
  const kept = gone.filter(({ task }) => !leaving.has(task))
  return { ...revision, gone: [...leaving.values()], stays: [...stays, ...kept] }
}
