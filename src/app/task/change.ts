/** Changes that a person makes to tasks: add, edit, move, finish, fail, reset, delete. */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { parseTaskJsonLines } from '../../core/tasks/task-json-lines.ts'
import type { DerivedChange, BlockerEdge, NewTask, Task, TaskId } from '../../core/tasks/task.ts'
import { noteProblem } from '../../core/tasks/validate-task.ts'
import { systemClock } from '../../system/clock.ts'
import { currentUser } from '../../system/current-user.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { getRunEntry } from '../../store/runs.ts'
import { addTasks, type AddResult } from '../../store/task/add-tasks.ts'
import { addEdge, removeEdge, type EdgeChangeResult } from '../../store/task/edges.ts'
import { findTaskByPrefix, requireTask } from '../../store/task/find-task.ts'
import { addTaskLogEntry } from '../../store/task/task-log.ts'
import { markTask, resetTask } from '../../store/task/mark-task.ts'
import { removeTask, type RemoveResult } from '../../store/task/remove-task.ts'
import { updateTask, type TaskUpdate } from '../../store/task/update-task.ts'
import { readFileOrStdin } from '../read-input.ts'
import { sendRequestToRun, type Receipt } from '../steer/engine-requests.ts'
import { applyIfConfirmed, type Confirmation, type ChangeAttempt } from './confirmed-change.ts'
import { currentTaskFacts } from './task-details.ts'
import type { TaskFacts } from './task-facts.ts'
import { useExistingStore, useOrCreateStore, type StoreLocation } from './task-store.ts'

export type { RemoveResult, TaskUpdate }

/** The author of log entries that come from commands; an agent has a name. */
export const PERSON_AUTHOR = 'human'

export interface ChangedTask {
  task: TaskFacts
  /** Names of features that this created. */
  features: string[]
  changes: DerivedChange[]
}

/** Parent and blockers may be prefixes of ids. */
export function addTaskFromCommand(location: StoreLocation, said: NewTask): Promise<ChangedTask> {
  return useOrCreateStore(location, (sql) =>
    sql.transaction(async (tx) => {
      const parent = said.parent === null ? null : (await findTaskByPrefix(tx, said.parent)).id
      const blockers = await idsFor(tx, said.blockers)
      const added = await addTasks(tx, [{ ...said, parent, blockers }], systemClock().at())
      const task = await currentTaskFacts(tx, added.ids[0] ?? '')
      return { task, features: namesOf(added), changes: added.changes }
    }),
  )
}

async function idsFor(tx: Sql, typed: string[]): Promise<TaskId[]> {
  const ids: TaskId[] = []
  for (const one of typed) ids.push((await findTaskByPrefix(tx, one)).id)
  return [...new Set(ids)]
}

export interface AddedTasks {
  /** In the order of the lines. */
  ids: TaskId[]
  features: string[]
  changes: DerivedChange[]
}

/** One JSON object a line; `-` reads stdin. */
export async function addTasksFromFile(location: StoreLocation, file: string): Promise<AddedTasks> {
  const tasks = parseTaskJsonLines(await readFileOrStdin(file))
  if (tasks.length === 0)
    throw new RalphError('usage', `there is no task in ${file === '-' ? 'the input' : file}`, {
      hint: 'One JSON object per line, for example: {"title": "what to do"}',
    })
  return useOrCreateStore(location, async (sql) => {
    const added = await addTasks(sql, tasks, systemClock().at())
    return { ids: added.ids, features: namesOf(added), changes: added.changes }
  })
}

function namesOf({ features }: Pick<AddResult, 'features'>): string[] {
  return features.map(({ name }) => name)
}

/** The parent may be a prefix of an id. */
export function updateTaskByPrefix(location: StoreLocation, typed: string, said: TaskUpdate): Promise<ChangedTask> {
  return useExistingStore(location, (sql) =>
    sql.transaction(async (tx) => {
      const { id } = await findTaskByPrefix(tx, typed)
      const parent = typeof said.parent === 'string' ? { parent: (await findTaskByPrefix(tx, said.parent)).id } : {}
      const { changes, features } = await updateTask(tx, id, { ...said, ...parent }, systemClock().at())
      return { task: await currentTaskFacts(tx, id), features: namesOf({ features }), changes }
    }),
  )
}

/** The new status. Changing a task that a worker has claimed needs a confirmation. */
export type TaskMark = { as: 'done' } | { as: 'failed'; why: string | null } | { as: 'reset'; all: boolean }

export type MarkedTask = Awaited<ReturnType<typeof markTask>> & { task: TaskFacts }

export function markTaskByPrefix(
  location: StoreLocation,
  typed: string,
  { mark, confirmed }: { mark: TaskMark; confirmed: 'anything' | 'harmless' },
): Promise<ChangeAttempt<MarkedTask>> {
  return useExistingStore(location, (sql) =>
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

export interface TaskRemoval extends RemoveResult {
  id: TaskId
  title: string
}

/** A deletion always needs a confirmation of what was shown. */
export async function removeTaskByPrefix(
  location: StoreLocation,
  typed: string,
  { unblock, confirmed }: { unblock: boolean; confirmed: Confirmation<TaskRemoval> },
): Promise<ChangeAttempt<TaskRemoval>> {
  return useExistingStore(location, (sql) =>
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
  return useExistingStore(location, async (sql) => {
    const { id } = await findTaskByPrefix(sql, typed)
    await addTaskLogEntry(sql, { task: id, at: systemClock().at(), author: PERSON_AUTHOR, kind: 'note', text })
    return id
  })
}

export type ChangedEdge = BlockerEdge & EdgeChangeResult

export function changeEdge(
  location: StoreLocation,
  typed: { blocker: string; blocked: string },
  to: 'there' | 'gone',
): Promise<ChangedEdge> {
  return useExistingStore(location, (sql) =>
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

/** Skips a task: asks its worker to stop it, or, without a worker, marks it failed in the store. Either way with the author. */
export type SkipResult = { task: TaskId; title: string } & (
  | { how: 'asked'; receipt: Receipt }
  | { how: 'failed'; changes: DerivedChange[] }
)

export function skipTask(location: StoreLocation, typed: string): Promise<SkipResult> {
  return useExistingStore(location, async (sql) => {
    const task = await requireTask(sql, (await findTaskByPrefix(sql, typed)).id)
    const name = currentUser().user || 'a person'
    const run = await servedRun(sql, task)
    const told = { task: task.id, title: task.title }
    if (run !== null) {
      const request = { from: name, do: 'skip', to: { task: task.id } } as const
      return { ...told, how: 'asked', receipt: await sendRequestToRun(sql, run, request) }
    }
    const how = { as: 'failed', why: `skipped by ${name}`, by: PERSON_AUTHOR, at: systemClock().at() } as const
    const { changes } = await markTask(sql, task.id, how)
    return { ...told, how: 'failed', changes }
  })
}

/** The run whose worker has claimed it, if an engine runs it now. After a crash nothing would read a request. */
async function servedRun(sql: Sql, { claimedBy }: Task): Promise<RunId | null> {
  const id = claimedBy?.split('/')[0]
  const run = id === undefined ? null : await getRunEntry(sql, id)
  if (run === null || run.end !== null) return null
  return (await lockOwnerOf(sql, run.workspace)) === null ? null : run.id
}
