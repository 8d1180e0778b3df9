/** Runs of one stage that were interrupted are dropped: Ralph ends what they left running and forgets them. */
import { join } from 'node:path'
import type { RunId } from '../../core/ids.ts'
import { deleteRun, listInterruptedOneStageRuns } from '../../store/runs.ts'
import { loadRunState } from '../../store/run-state.ts'
import { systemClock } from '../../system/clock.ts'
import { removeFolder } from '../../system/files/files.ts'
import { handlerOf } from '../runtime/event-loop.ts'
import { openEffectsOf } from '../runtime/emergency-stop.ts'
import { openRunningEffects } from '../runtime/running-effects.ts'
import { loadRunPosition } from '../runtime/recover-run.ts'
import { createHandlers } from '../create-handlers.ts'
import type { LockedTreeContext } from './locked-tree.ts'
import { createHandlerContext } from './create-handler-context.ts'

export async function dropInterruptedStageRuns(lockedTree: LockedTreeContext): Promise<void> {
  for (const run of await listInterruptedOneStageRuns(lockedTree.store.sql, lockedTree.root)) {
    await endWhatRuns(lockedTree, run)
    await lockedTree.store.sql.transaction((tx) => deleteRun(tx, run))
    removeFolder(join(lockedTree.folder, 'logs', run))
  }
}

async function endWhatRuns(lockedTree: LockedTreeContext, run: RunId): Promise<void> {
  if ((await loadRunState(lockedTree.store.sql, run)) === null) return
  const { state, up } = await loadRunPosition(lockedTree.store.sql, run)
  const world = createHandlerContext(lockedTree, {
    run,
    clock: systemClock(up),
    rules: state.run.rules,
    agents: lockedTree.settings,
  })
  const handlers = createHandlers(world, { words: () => {}, runningEffects: openRunningEffects() })
  await Promise.all(openEffectsOf(state).map((effect) => handlerOf(handlers, effect).recoverAnswer(effect)))
}
