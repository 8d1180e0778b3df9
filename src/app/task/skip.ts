/** Gives a task up: whoever works on it is asked to end, and where nobody does it is failed in the store. Either way with who said so. */
import type { RunId } from '../../core/ids.ts'
import type { DerivedChange, Task, TaskId } from '../../core/tasks/task.ts'
import { systemClock } from '../../system/clock.ts'
import { currentUser } from '../../system/current-user.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { getRunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findTaskByPrefix, requireTask } from '../../store/task/find-task.ts'
import { markTask } from '../../store/task/mark-task.ts'
import { queueRequest, type Receipt } from '../steer/engine-requests.ts'
import { changeStore, type StoreLocation } from './task-store.ts'

export type SkipResult = { task: TaskId; title: string } & (
  | { how: 'asked'; receipt: Receipt }
  | { how: 'failed'; changes: DerivedChange[] }
)

export function skipTask(location: StoreLocation, typed: string): Promise<SkipResult> {
  return changeStore(location, async (sql) => {
    const task = await requireTask(sql, (await findTaskByPrefix(sql, typed)).id)
    const name = currentUser().user || 'a person'
    const run = await servedRun(sql, task)
    const told = { task: task.id, title: task.title }
    if (run !== null) {
      const request = { from: name, do: 'skip', to: { task: task.id } } as const
      return { ...told, how: 'asked', receipt: await queueRequest(sql, run, request) }
    }
    const how = { as: 'failed', why: `skipped by ${name}`, by: 'human', at: systemClock().at() } as const
    const { changes } = await markTask(sql, task.id, how)
    return { ...told, how: 'failed', changes }
  })
}

/** The run whose worker has it, if an engine serves that run now. After a crash nobody would hear a request. */
async function servedRun(sql: Sql, { claimedBy }: Task): Promise<RunId | null> {
  const id = claimedBy?.split('/')[0]
  const run = id === undefined ? null : await getRunEntry(sql, id)
  if (run === null || run.end !== null) return null
  return (await lockOwnerOf(sql, run.workspace)) === null ? null : run.id
}
