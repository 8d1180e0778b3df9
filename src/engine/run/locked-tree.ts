/** The options and the store while this process holds the lock of a working tree. */
import type { LastRow } from '../../store/db/last-row-note.ts'
import type { Store } from '../../store/db/open-store.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import type { RunOptions } from './run-options.ts'

export interface LockedTreeContext extends RunOptions {
  repo: Repo
  folder: string
  store: Store
  /** The last-row note when this command began. */
  newest: LastRow | null
  notice: (text: string) => void
  /** Called when a run starts or resumes. */
  begins(): void
}
