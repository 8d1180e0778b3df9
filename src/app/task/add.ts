/** New tasks: one that somebody types, or many from a file or a pipe, all of them or none. */
import { readTaskLines } from '../../core/tasks/task-lines.ts'
import { RalphError } from '../../core/error.ts'
import type { DerivedChange, NewTask, TaskId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTasks, type AddResult } from '../../store/task/add-tasks.ts'
import { findTaskByPrefix } from '../../store/task/find-task.ts'
import { readInput } from '../read-input.ts'
import { currentTaskFacts } from './show.ts'
import type { TaskFacts } from './task-facts.ts'
import { openOrCreateStore, type StoreLocation } from './task-store.ts'

export interface AddedTask {
  task: TaskFacts
  /** Names of features that did not exist before. */
  features: string[]
  changes: DerivedChange[]
}

/** Parent and blockers may be beginnings of ids. */
export function addTypedTask(location: StoreLocation, said: NewTask): Promise<AddedTask> {
  return openOrCreateStore(location, (sql) =>
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

/** One JSON object a line; `-` is what comes in on the pipe. */
export async function addTasksFromFile(location: StoreLocation, file: string): Promise<AddedTasks> {
  const tasks = readTaskLines(await readInput(file))
  if (tasks.length === 0)
    throw new RalphError('usage', `there is no task in ${file === '-' ? 'what came in' : file}`, {
      hint: 'One JSON object a line, like this: {"title": "what to do"}',
    })
  return openOrCreateStore(location, async (sql) => {
    const added = await addTasks(sql, tasks, systemClock().at())
    return { ids: added.ids, features: namesOf(added), changes: added.changes }
  })
}

function namesOf({ features }: AddResult): string[] {
  return features.map(({ name }) => name)
}
