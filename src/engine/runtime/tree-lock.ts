/** Locks a working tree for one process; a second one fails with the owner's name. */
import { RalphError } from '../../core/error.ts'
import { releaseLock, acquireLock } from '../../store/lock.ts'
import type { Store } from '../../store/db/open-store.ts'
import { tryQuietly } from '../../store/db/writer-marks.ts'
import { localTime, systemClock } from '../../system/clock.ts'
import { ownProcessIdentity } from '../../system/process/process-identity.ts'

/** Does the work while this process holds the lock of the tree. */
export async function withTreeLock<T>(
  store: Store,
  who: { root: string; command: string },
  work: () => Promise<T>,
): Promise<T> {
  const taken = await acquireLock(store.sql, who.root, {
    ...ownProcessIdentity(),
    command: who.command,
    run: null,
    since: systemClock().at(),
  })
  if (!taken.held) {
    const { by } = taken
    throw new RalphError(
      'held',
      `"${by.command}" (process ${by.pid}) has been running in ${who.root} since ${localTime(by.since)}`,
      {
        hint: 'See what it does: ralph status. Stop it: ralph stop.',
      },
    )
  }
  try {
    return await work()
  } finally {
    // The lock ends with this process anyway, so a disk error here must not fail the work.
    await tryQuietly(() => releaseLock(store.sql, who.root, ownProcessIdentity()))
  }
}
