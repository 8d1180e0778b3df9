/** Runs of one stage that were interrupted are dropped: Ralph ends what they left running and forgets them. */
import { join } from 'node:path'
import type { RunId } from '../../core/ids.ts'
import { deleteRun, listInterruptedStages } from '../../store/runs.ts'
import { loadState } from '../../store/run-state.ts'
import { systemClock } from '../../system/clock.ts'
import { removeFolder } from '../../system/files/files.ts'
import { handlerOf } from '../runtime/run-loop.ts'
import { openEffectsOf } from '../runtime/emergency-stop.ts'
import { openRunningEffects } from '../runtime/running-effects.ts'
import { loadRunPosition } from '../runtime/recover-run.ts'
import { createHandlers } from '../create-handlers.ts'
import type { LockedTree } from './locked-tree.ts'
import { createWorld } from './create-world.ts'

export async function dropInterruptedStages(lockedTree: LockedTree): Promise<void> {
  for (const run of await listInterruptedStages(lockedTree.store.sql, lockedTree.root)) {
    await endWhatRuns(lockedTree, run)
    await lockedTree.store.sql.transaction((tx) => deleteRun(tx, run))
    removeFolder(join(lockedTree.folder, 'logs', run))
  }
}

async function endWhatRuns(lockedTree: LockedTree, run: RunId): Promise<void> {
  if ((await loadState(lockedTree.store.sql, run)) === null) return
  const { state, up } = await loadRunPosition(lockedTree.store.sql, run)
  const world = createWorld(lockedTree, {
    run,
    clock: systemClock(up),
    rules: state.run.rules,
    agents: lockedTree.settings,
  })
  const handlers = createHandlers(world, { words: () => {}, runningEffects: openRunningEffects() })
  await Promise.all(openEffectsOf(state).map((effect) => handlerOf(handlers, effect).recoverAnswer(effect)))
}
