/** The store of a project as commands about tasks open it. Who only looks makes none: where nothing is kept yet, there are no tasks. */
import { RalphError } from '../../core/error.ts'
import type { Sql } from '../../store/db/sql.ts'
import { withStore, withStoreIfAny } from '../open-store.ts'
import { hasRustTasks } from './rust-tasks.ts'

export interface StoreLocation {
  root: string
  /** Told when somebody else writes for long, or something happened to the store. */
  notice: (text: string) => void
}

/** Null: nothing is stored here yet. */
export async function readStore<T>(location: StoreLocation, look: (sql: Sql) => Promise<T>): Promise<T | null> {
  await importRustTasksOnce(location)
  const { root, notice } = location
  return withStoreIfAny(root, ({ sql }) => look(sql), { create: false, notice })
}

/** For what changes tasks that are there: without any there is nothing to change. */
export async function changeStore<T extends object | string>(
  location: StoreLocation,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const done = await readStore(location, work)
  if (done !== null) return done
  throw new RalphError('not-found', 'there are no tasks in this project yet', {
    hint: 'Add one: ralph task add "what to do"',
  })
}

/** For what begins something: a store that is not there yet is made. */
export async function openOrCreateStore<T>(location: StoreLocation, work: (sql: Sql) => Promise<T>): Promise<T> {
  await importRustTasksOnce(location)
  const { root, notice } = location
  return withStore(root, ({ sql }) => work(sql), { create: true, notice })
}

/** Tasks of an earlier tool are taken over before anybody looks for them. */
async function importRustTasksOnce({ root, notice }: StoreLocation): Promise<void> {
  if (hasRustTasks(root)) await (await import('./import-rust-tasks.ts')).importPendingRustTasks({ root, notice })
}
