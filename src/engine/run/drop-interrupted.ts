/** Runs of one stage that were interrupted are dropped: Ralph ends what they left running and forgets them. */
import { join } from 'node:path'
import type { RunId } from '../../domain/ids.ts'
import { deleteRun, interruptedStages } from '../../store/runs.ts'
import { loadState } from '../../store/state.ts'
import { systemClock } from '../../system/clock.ts'
import { removeFolder } from '../../system/files/files.ts'
import { handlerOf } from '../circle/drive.ts'
import { openEffectsOf } from '../circle/emergency.ts'
import { openRunningEffects } from '../circle/performing.ts'
import { loadPosition } from '../circle/recover.ts'
import { createHandlers } from '../wire.ts'
import type { LockedTree } from './held-tree.ts'
import { createWorld } from './world-of.ts'

export async function dropInterrupted(lockedTree: LockedTree): Promise<void> {
  for (const run of await interruptedStages(lockedTree.store.sql, lockedTree.root)) {
    await endWhatRuns(lockedTree, run)
    await lockedTree.store.sql.transaction((tx) => deleteRun(tx, run))
    removeFolder(join(lockedTree.folder, 'logs', run))
  }
}

async function endWhatRuns(lockedTree: LockedTree, run: RunId): Promise<void> {
  if ((await loadState(lockedTree.store.sql, run)) === null) return
  const { state, up } = await loadPosition(lockedTree.store.sql, run)
  const world = createWorld(lockedTree, {
    run,
    clock: systemClock(up),
    rules: state.run.rules,
    agents: lockedTree.settings,
  })
  const handlers = createHandlers(world, { words: () => {}, runningEffects: openRunningEffects() })
  await Promise.all(openEffectsOf(state).map((effect) => handlerOf(handlers, effect).recoverAnswer(effect)))
}
