/** What is at hand while a working tree is held: what was asked, and where it is kept. */
import type { Newest } from '../../store/db/newest.ts'
import type { Store } from '../../store/db/open.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import type { RunOptions } from './options.ts'

export interface HeldTree extends RunOptions {
  repo: Repo
  folder: string
  store: Store
  /** As it was noted when this command began. */
  newest: Newest | null
  notice: (text: string) => void
  /** Called when a run is served from now on. */
  begins(): void
}
