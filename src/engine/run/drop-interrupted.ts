/** Runs of one stage that were interrupted are dropped: Ralph ends what they left running and forgets them. */
import { join } from 'node:path'
import type { RunId } from '../../domain/ids.ts'
import { deleteRun, interruptedStages } from '../../store/runs.ts'
import { loadState } from '../../store/state.ts'
import { realClock } from '../../system/clock.ts'
import { removeFolder } from '../../system/files/files.ts'
import { handlerOf } from '../circle/drive.ts'
import { openIn } from '../circle/emergency.ts'
import { openPerforming } from '../circle/performing.ts'
import { loadPosition } from '../circle/recover.ts'
import { wire } from '../wire.ts'
import type { HeldTree } from './held-tree.ts'
import { worldOf } from './world-of.ts'

export async function dropInterrupted(held: HeldTree): Promise<void> {
  for (const run of await interruptedStages(held.store.sql, held.root)) {
    await endWhatRuns(held, run)
    await held.store.sql.transaction((tx) => deleteRun(tx, run))
    removeFolder(join(held.folder, 'logs', run))
  }
}

async function endWhatRuns(held: HeldTree, run: RunId): Promise<void> {
  if ((await loadState(held.store.sql, run)) === null) return
  const { house, up } = await loadPosition(held.store.sql, run)
  const world = worldOf(held, { run, clock: realClock(up), rules: house.run.rules, agents: held.settings })
  const handlers = wire(world, { words: () => {}, performing: openPerforming() })
  await Promise.all(openIn(house).map((effect) => handlerOf(handlers, effect).inquire(effect)))
}
