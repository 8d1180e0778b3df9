/** The options and the store while this process holds the lock of a working tree. */
import type { PrepareTreeContext } from '../runtime/prepare-locked-tree.ts'
import type { RunOptions } from './run-options.ts'

export interface LockedTreeContext extends RunOptions, PrepareTreeContext {
  /** Called when a run starts or resumes. */
  begins(): void
}
