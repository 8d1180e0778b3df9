/** What a person decides about tasks that are there: other words, another place, done, failed, again, gone. */
import { RalphError } from '../../core/error.ts'
import { noteProblem } from '../../core/tasks/validate.ts'
import type { DerivedChange, Edge, TaskId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import { addEdge, removeEdge, type EdgeChange } from '../../store/task/edges.ts'
import { findTaskByPrefix } from '../../store/task/find-task.ts'
import { addTaskLog } from '../../store/task/log.ts'
import { markTask, resetTask } from '../../store/task/mark-task.ts'
import { removeTask, type RemoveResult } from '../../store/task/remove.ts'
import { updateTask, type TaskUpdate } from '../../store/task/update.ts'
import { applyIfConfirmed, type Confirmation, type TentativeChange } from './confirmed-change.ts'
import { currentTaskFacts } from './show.ts'
import type { TaskFacts } from './task-facts.ts'
import { changeStore, type StoreLocation } from './task-store.ts'

export type { RemoveResult, TaskUpdate }

/** What a log says of whoever types commands; an agent has a name. */
export const PERSON_AUTHOR = 'human'

export interface UpdatedTask {
  task: TaskFacts
  features: string[]
  changes: DerivedChange[]
}

/** The parent may be the beginning of an id. */
export function updateTypedTask(
  location: StoreLocation,
  typed: string,
  said: TaskUpdate,
): Promise<UpdatedTask> {
  return changeStore(location, (sql) =>
    sql.transaction(async (tx) => {
      const { id } = await findTaskByPrefix(tx, typed)
      const parent =
        typeof said.parent === 'string' ? { parent: (await findTaskByPrefix(tx, said.parent)).id } : {}
      const { changes, features } = await updateTask(tx, id, { ...said, ...parent }, systemClock().at())
      return { task: await currentTaskFacts(tx, id), features: features.map(({ name }) => name), changes }
    }),
  )
}

/** `as` what it is marked. Taking it from somebody who works on it wants a yes. */
export type TaskMark = { as: 'done' } | { as: 'failed'; why: string | null } | { as: 'reset'; all: boolean }

export type MarkedTask = Awaited<ReturnType<typeof markTask>> & { task: TaskFacts }

export function markTypedTask(
  location: StoreLocation,
  typed: string,
  { mark, confirmed }: { mark: TaskMark; confirmed: 'anything' | 'harmless' },
): Promise<TentativeChange<MarkedTask>> {
  return changeStore(location, (sql) =>
    applyIfConfirmed(
      sql,
      async (tx) => {
        const { id } = await findTaskByPrefix(tx, typed)
        const how = { by: PERSON_AUTHOR, at: systemClock().at() }
        const marked =
          mark.as === 'reset'
            ? await resetTask(tx, id, { ...how, all: mark.all })
            : await markTask(tx, id, { ...how, as: mark.as, why: mark.as === 'failed' ? mark.why : null })
        return { ...marked, task: await currentTaskFacts(tx, id) }
      },
      { confirmed, isHarmless: ({ lost }) => lost.length === 0 },
    ),
  )
}

export interface Removal extends RemoveResult {
  id: TaskId
  title: string
}

/** A deletion always wants a yes, and only to what was shown. */
export async function removeTypedTask(
  location: StoreLocation,
  typed: string,
  { unblock, confirmed }: { unblock: boolean; confirmed: Confirmation<Removal> },
): Promise<TentativeChange<Removal>> {
  return changeStore(location, (sql) =>
    applyIfConfirmed(
      sql,
      async (tx) => {
        const { id, title } = await findTaskByPrefix(tx, typed)
        return { id, title, ...(await removeTask(tx, id, { unblock, at: systemClock().at() })) }
      },
      { confirmed, isHarmless: () => false },
    ),
  )
}

export function addTaskNote(location: StoreLocation, typed: string, text: string): Promise<TaskId> {
  const problem = noteProblem(text)
  if (problem !== null) throw new RalphError('usage', problem)
  return changeStore(location, async (sql) => {
    const { id } = await findTaskByPrefix(sql, typed)
    await addTaskLog(sql, { task: id, at: systemClock().at(), author: PERSON_AUTHOR, kind: 'note', text })
    return id
  })
}

export type ChangedEdge = Edge & EdgeChange

export function changeEdge(
  location: StoreLocation,
  typed: { blocker: string; blocked: string },
  to: 'there' | 'gone',
): Promise<ChangedEdge> {
  return changeStore(location, (sql) =>
    sql.transaction(async (tx) => {
      const edge = {
        blocker: (await findTaskByPrefix(tx, typed.blocker)).id,
        blocked: (await findTaskByPrefix(tx, typed.blocked)).id,
      }
      const change = to === 'there' ? addEdge : removeEdge
      return { ...edge, ...(await change(tx, edge, systemClock().at())) }
    }),
  )
}
