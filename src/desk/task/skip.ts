/** Gives a task up: whoever works on it is asked to end, and where nobody does it is failed in the store. Either way with who said so. */
import type { RunId } from '../../domain/ids.ts'
import type { AutoChange, Task, TaskId } from '../../domain/task/task.ts'
import { realClock } from '../../system/clock.ts'
import { whoAmI } from '../../system/person.ts'
import { holderOf } from '../../store/holder.ts'
import { runEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { taskFor, taskIn } from '../../store/task/find.ts'
import { markTask } from '../../store/task/mark.ts'
import { leaveRequest, type Receipt } from '../steer/steer.ts'
import { changeAt, type TaskPlace } from './task-store.ts'

export type Skipped = { task: TaskId; title: string } & (
  | { how: 'asked'; receipt: Receipt }
  | { how: 'failed'; changes: AutoChange[] }
)

export function skipTask(place: TaskPlace, typed: string): Promise<Skipped> {
  return changeAt(place, async (sql) => {
    const task = await taskIn(sql, (await taskFor(sql, typed)).id)
    const name = whoAmI().user || 'a person'
    const run = await servedRun(sql, task)
    const told = { task: task.id, title: task.title }
    if (run !== null) {
      const request = { from: name, do: 'skip', to: { task: task.id } } as const
      return { ...told, how: 'asked', receipt: await leaveRequest(sql, run, request) }
    }
    const how = { as: 'failed', why: `skipped by ${name}`, by: 'human', at: realClock().at() } as const
    const { changes } = await markTask(sql, task.id, how)
    return { ...told, how: 'failed', changes }
  })
}

/** The run whose worker has it, if an engine serves that run now. After a crash nobody would hear a request. */
async function servedRun(sql: Sql, { claimedBy }: Task): Promise<RunId | null> {
  const id = claimedBy?.split('/')[0]
  const run = id === undefined ? null : await runEntry(sql, id)
  if (run === null || run.end !== null) return null
  return (await holderOf(sql, run.workspace)) === null ? null : run.id
}
