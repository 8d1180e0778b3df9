/** Opens the store for commands about tasks. Reading creates no store: without one there are no tasks. */
import { RalphError } from '../../core/error.ts'
import type { Sql } from '../../store/db/sql.ts'
import { withStore, withStoreIfAny } from '../open-store.ts'
import { hasRustTasks } from './rust-tasks.ts'

export interface StoreLocation {
  root: string
  /** Called if another process writes for long, or something happened to the store. */
  notice: (text: string) => void
}

/** Null: there is no store yet. */
export async function useStoreIfAny<T>(location: StoreLocation, look: (sql: Sql) => Promise<T>): Promise<T | null> {
  await importRustTasksOnce(location)
  const { root, notice } = location
  return withStoreIfAny(root, ({ sql }) => look(sql), { create: false, notice })
}

/** For changes of existing tasks: without a store there is nothing to change. */
export async function useExistingStore<T extends object | string>(
  location: StoreLocation,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const done = await useStoreIfAny(location, work)
  if (done !== null) return done
  throw new RalphError('not-found', 'this project has no tasks yet', {
    hint: 'Add one: ralph task add "what to do"',
  })
}

/** For commands that add something: creates the store if it does not exist. */
export async function useOrCreateStore<T>(location: StoreLocation, work: (sql: Sql) => Promise<T>): Promise<T> {
  await importRustTasksOnce(location)
  const { root, notice } = location
  return withStore(root, ({ sql }) => work(sql), { create: true, notice })
}

/** Imports the tasks of an earlier tool before a command looks for tasks. */
async function importRustTasksOnce({ root, notice }: StoreLocation): Promise<void> {
  if (hasRustTasks(root)) await (await import('./import-rust-tasks.ts')).importPendingRustTasks({ root, notice })
}
