/** The store of a project as commands about tasks open it. Who only looks makes none: where nothing is kept yet, there are no tasks. */
import { RalphError } from '../../core/error.ts'
import type { Sql } from '../../store/db/sql.ts'
import { withStore } from '../open-store.ts'
import { hasRustTasks } from './rust-tasks.ts'

export interface StoreLocation {
  root: string
  /** Told when somebody else writes for long, or something happened to the store. */
  notice: (text: string) => void
}

export function readStore<T>(
  location: StoreLocation,
  look: (sql: Sql) => Promise<T>,
  otherwise: () => T,
): Promise<T> {
  return unlessNone(() => open(location, look, { create: false }), otherwise)
}

/** For what changes tasks that are there: without any there is nothing to change. */
export function changeStore<T>(location: StoreLocation, work: (sql: Sql) => Promise<T>): Promise<T> {
  return unlessNone(
    () => open(location, work, { create: false }),
    () => {
      throw noTasks()
    },
  )
}

/** For what begins something: a store that is not there yet is made. */
export function openOrCreateStore<T>(location: StoreLocation, work: (sql: Sql) => Promise<T>): Promise<T> {
  return open(location, work, { create: true })
}

async function open<T>(
  { root, notice }: StoreLocation,
  work: (sql: Sql) => Promise<T>,
  { create }: { create: boolean },
): Promise<T> {
  // Tasks of an earlier tool are taken over before anybody looks for them, once.
  if (hasRustTasks(root))
    await (await import('./import-rust-tasks.ts')).importRustTasksFirst({ root, notice })
  return withStore(root, ({ sql }) => work(sql), { create, notice })
}

async function unlessNone<T>(ask: () => Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof RalphError && error.code === 'no-run') return otherwise()
    throw error
  }
}

function noTasks(): RalphError {
  return new RalphError('not-found', 'there are no tasks in this project yet', {
    hint: 'Add one: ralph task add "what to do"',
  })
}
