/** New tasks: one that somebody types, or many from a file or a pipe, all of them or none. */
import { readTaskLines } from '../../domain/task/task-lines.ts'
import { RalphError } from '../../domain/error.ts'
import type { AutoChange, NewTask, TaskId } from '../../domain/task/task.ts'
import { realClock } from '../../system/clock.ts'
import type { Sql } from '../../store/db/sql.ts'
import { addTasks, type Added } from '../../store/task/add.ts'
import { taskFor } from '../../store/task/find.ts'
import { textFrom } from '../read-text.ts'
import { taskNow } from './show.ts'
import type { TaskFacts } from './task-facts.ts'
import { beginAt, type TaskPlace } from './task-store.ts'

export interface AddedTask {
  task: TaskFacts
  /** Names of features that did not exist before. */
  features: string[]
  changes: AutoChange[]
}

/** Parent and blockers may be beginnings of ids. */
export function addOne(place: TaskPlace, said: NewTask): Promise<AddedTask> {
  return beginAt(place, (sql) =>
    sql.transaction(async (tx) => {
      const parent = said.parent === null ? null : (await taskFor(tx, said.parent)).id
      const blockers = await idsFor(tx, said.blockers)
      const added = await addTasks(tx, [{ ...said, parent, blockers }], realClock().at())
      const task = await taskNow(tx, added.ids[0] ?? '')
      return { task, features: namesOf(added), changes: added.changes }
    }),
  )
}

async function idsFor(tx: Sql, typed: string[]): Promise<TaskId[]> {
  const ids: TaskId[] = []
  for (const one of typed) ids.push((await taskFor(tx, one)).id)
  return [...new Set(ids)]
}

export interface AddedTasks {
  /** In the order of the lines. */
  ids: TaskId[]
  features: string[]
  changes: AutoChange[]
}

/** One JSON object a line; `-` is what comes in on the pipe. */
export async function addLines(place: TaskPlace, file: string): Promise<AddedTasks> {
  const tasks = readTaskLines(await textFrom(file))
  if (tasks.length === 0)
    throw new RalphError('usage', `there is no task in ${file === '-' ? 'what came in' : file}`, {
      hint: 'One JSON object a line, like this: {"title": "what to do"}',
    })
  return beginAt(place, async (sql) => {
    const added = await addTasks(sql, tasks, realClock().at())
    return { ids: added.ids, features: namesOf(added), changes: added.changes }
  })
}

function namesOf({ features }: Added): string[] {
  return features.map(({ name }) => name)
}
