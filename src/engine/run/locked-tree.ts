/** What is at hand while a working tree is held: what was asked, and where it is kept. */
import type { LastRow } from '../../store/db/last-row-note.ts'
import type { Store } from '../../store/db/open-store.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import type { RunOptions } from './run-options.ts'

export interface LockedTree extends RunOptions {
  repo: Repo
  folder: string
  store: Store
  /** As it was noted when this command began. */
  newest: LastRow | null
  notice: (text: string) => void
  /** Called when a run is served from now on. */
  begins(): void
}
