/**
 * States that earlier versions saved. Today's program resumes a run that was cut off last month, so every change of the state's shape
 * adds one pure step here, and `test/records` keeps states of each version to test it on.
 */
import { RalphError } from '../error.ts'
import type { RunState } from './state.ts'

/** A state as it was read from the store, not validated. */
export interface SavedRunState {
  version: number
  state: unknown
}

/** From one shape to the next. Only the step itself knows the fields. */
export type UpgradeStep = (state: Record<string, unknown>) => Record<string, unknown>

/** The step at index n leads from version n + 1 to version n + 2. Add steps at the end; never edit one that was released. */
const STEPS: readonly UpgradeStep[] = []

/** The shape this program writes. */
export const STATE_VERSION = STEPS.length + 1

/** The saved state in today's shape. */
export function upgradeState(saved: SavedRunState, run: string, steps = STEPS): RunState {
  const newest = steps.length + 1
  if (saved.version > newest) throw newer(run, { found: saved.version, newest })
  return steps
    .slice(saved.version - 1)
    .reduce((state, step) => step(state), saved.state as Record<string, unknown>) as unknown as RunState
}

function newer(run: string, versions: { found: number; newest: number }): RalphError {
  return new RalphError(
    'store-newer',
    `run ${run} was written by a newer Ralph: its state has shape ${versions.found}, this version knows up to ${versions.newest}`,
    { hint: 'Update Ralph, or use the version that wrote it. Nothing was changed.' },
  )
}
