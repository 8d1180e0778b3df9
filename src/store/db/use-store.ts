/**
 * Opens the store for some work and closes it. Damage may be anywhere in the file, so any statement may find it. Ralph then quarantines
 * the file and reports it. A command that creates data continues with a new store; a reading command fails.
 */
import { messageOf, RalphError } from '../../core/error.ts'
import { exists, fileId } from '../../system/files/files.ts'
import { openStore, type OpenedStore, type OpenStoreOptions, type Store } from './open-store.ts'
import { recoveryHint, quarantineRemains, quarantineStore } from './quarantine.ts'
import { isStoreDamage } from './sqlite-error.ts'

export interface UseStoreOptions extends OpenStoreOptions {
  /** Whether the work may start again in a new store. Absent: it may. */
  again?: () => boolean
}

export async function useStore<T>(
  file: string,
  options: UseStoreOptions,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openUsable(file, options)
  try {
    return await closing(store, work)
  } catch (error) {
    if (!isStoreDamage(error)) throw error
    const kept = await quarantineStore({ file, seen: store.id, mark: store.mark(), error })
    if (!options.create || options.again?.() === false) throw kept === null ? error : asideError(error, kept)
    if (kept !== null) options.notice(newStoreNotice(error, kept))
    return closing(await openStore(file, { ...options, ignoreTraces: true }), work)
  }
}

async function closing<T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function openUsable(file: string, options: OpenStoreOptions): Promise<OpenedStore> {
  const seen = fileId(file)
  try {
    return await openStore(file, options)
  } catch (error) {
    const emptied = error instanceof RalphError && error.code === 'store-lost'
    if (emptied && options.create) {
      options.notice(`${messageOf(error)}. ${quarantineEmptied(file, error)}`)
      return openStore(file, { ...options, ignoreTraces: true })
    }
    if (!isStoreDamage(error)) throw error
    const kept = await quarantineStore({ file, seen, mark: null, error })
    if (!options.create) throw kept === null ? error : asideError(error, kept)
    if (kept !== null) options.notice(newStoreNotice(error, kept))
    return openStore(file, { ...options, ignoreTraces: true })
  }
}

/** An empty file is not worth keeping, but its `-wal` may be. */
function quarantineEmptied(file: string, error: RalphError): string {
  const left = exists(`${file}-wal`)
  const kept = quarantineRemains(file, error)
  const words = 'Ralph created a new store. Earlier runs and tasks are not in it; only their logs are left.'
  return left ? `${words} Its -wal file was saved as ${kept}-wal.` : words
}

function newStoreNotice(error: RalphError, kept: string): string {
  return `${messageOf(error)}. Ralph saved it as ${kept} and created a new store. Earlier runs and tasks are not in it. ${recoveryHint(kept)}`
}

function asideError(error: RalphError, kept: string): RalphError {
  return new RalphError('store-damaged', `${messageOf(error)}, and was quarantined as ${kept}`, {
    hint: `Its runs are no longer shown. Start again: ralph loop. ${recoveryHint(kept)}`,
    cause: error,
  })
}
