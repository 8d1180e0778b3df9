/** What a person decides about tasks that are there: other words, another place, done, failed, again, gone. */
import { RalphError } from '../../domain/error.ts'
import { noteProblem } from '../../domain/task/check.ts'
import type { AutoChange, TaskId } from '../../domain/task/task.ts'
import { realClock } from '../../system/clock.ts'
import { addEdge, removeEdge } from '../../store/task/edges.ts'
import { taskFor } from '../../store/task/find.ts'
import { addTaskLog } from '../../store/task/log.ts'
import { markTask, resetTask } from '../../store/task/mark.ts'
import { removeTask, type Removed } from '../../store/task/remove.ts'
import { updateTask, type TaskUpdate } from '../../store/task/update.ts'
import { ifAgreed, type Agreement, type Tried } from './agreed.ts'
import { taskNow } from './show.ts'
import type { TaskFacts } from './task-facts.ts'
import { changeAt, type TaskPlace } from './task-store.ts'

export type { Removed, TaskUpdate }

/** What a log says of whoever types commands; an agent has a name. */
export const PERSON = 'human'

export interface UpdatedTask {
  task: TaskFacts
  features: string[]
  changes: AutoChange[]
}

/** The parent may be the beginning of an id. */
export function updateOne(place: TaskPlace, typed: string, said: TaskUpdate): Promise<UpdatedTask> {
  return changeAt(place, (sql) =>
    sql.transaction(async (tx) => {
      const { id } = await taskFor(tx, typed)
      const parent = typeof said.parent === 'string' ? { parent: (await taskFor(tx, said.parent)).id } : {}
      const { changes, features } = await updateTask(tx, id, { ...said, ...parent }, realClock().at())
      return { task: await taskNow(tx, id), features: features.map(({ name }) => name), changes }
    }),
  )
}

/** `as` what it is marked. Taking it from somebody who works on it wants a yes. */
export type TaskMark = { as: 'done' } | { as: 'failed'; why: string | null } | { as: 'reset'; all: boolean }

export type MarkedTask = Awaited<ReturnType<typeof markTask>> & { task: TaskFacts }

export function markOne(
  place: TaskPlace,
  typed: string,
  { mark, agreed }: { mark: TaskMark; agreed: 'anything' | 'harmless' },
): Promise<Tried<MarkedTask>> {
  return changeAt(place, (sql) =>
    ifAgreed(
      sql,
      async (tx) => {
        const { id } = await taskFor(tx, typed)
        const how = { by: PERSON, at: realClock().at() }
        const marked =
          mark.as === 'reset'
            ? await resetTask(tx, id, { ...how, all: mark.all })
            : await markTask(tx, id, { ...how, as: mark.as, why: mark.as === 'failed' ? mark.why : null })
        return { ...marked, task: await taskNow(tx, id) }
      },
      { agreed, isHarmless: ({ lost }) => lost.length === 0 },
    ),
  )
}

export interface Removal extends Removed {
  id: TaskId
  title: string
}

/** A deletion always wants a yes, and only to what was shown. */
export async function removeOne(
  place: TaskPlace,
  typed: string,
  { unblock, agreed }: { unblock: boolean; agreed: Agreement<Removal> },
): Promise<Tried<Removal>> {
  return changeAt(place, (sql) =>
    ifAgreed(
      sql,
      async (tx) => {
        const { id, title } = await taskFor(tx, typed)
        return { id, title, ...(await removeTask(tx, id, { unblock, at: realClock().at() })) }
      },
      { agreed, isHarmless: () => false },
    ),
  )
}

export function noteOn(place: TaskPlace, typed: string, text: string): Promise<TaskId> {
  const problem = noteProblem(text)
  if (problem !== null) throw new RalphError('usage', problem)
  return changeAt(place, async (sql) => {
    const { id } = await taskFor(sql, typed)
    await addTaskLog(sql, { task: id, at: realClock().at(), author: PERSON, kind: 'note', text })
    return id
  })
}

export interface ChangedEdge {
  blocker: TaskId
  blocked: TaskId
  /** False: it was so already. */
  changed: boolean
  changes: AutoChange[]
}

export function changeEdge(
  place: TaskPlace,
  typed: { blocker: string; blocked: string },
  to: 'there' | 'gone',
): Promise<ChangedEdge> {
  return changeAt(place, (sql) =>
    sql.transaction(async (tx) => {
      const [blocker, blocked] = [await taskFor(tx, typed.blocker), await taskFor(tx, typed.blocked)]
      const edge = { blocker: blocker.id, blocked: blocked.id }
      const at = realClock().at()
      if (to === 'there') {
        const { added, changes } = await addEdge(tx, edge, at)
        return { ...edge, changed: added, changes }
      }
      const { removed, changes } = await removeEdge(tx, edge, at)
      return { ...edge, changed: removed, changes }
    }),
  )
}
