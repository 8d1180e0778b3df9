/** Who hears of a run while it is served: whoever watches, the note of the newest row, old monitors, notifications. */
import type { RunId } from '../../domain/ids.ts'
import { isOneStage, kindOf } from '../../domain/state/kind.ts'
import { orphansIn, type Orphan } from '../../domain/tree/orphan.ts'
import { openBus, type Bus } from '../../listeners/bus.ts'
import { openNotifier } from '../../listeners/notify.ts'
import {
  hideState,
  openProjections,
  wantsProjections,
  type Projections,
} from '../../listeners/projections.ts'
import { noteNewest } from '../../store/db/newest.ts'
import type { Clock } from '../../system/clock.ts'
import { processEnv } from '../../system/environment.ts'
import type { HeldTree } from './held-tree.ts'

export interface Listeners {
  bus: Bus
  /** All that were named, by earlier processes too. */
  orphans: Orphan[]
  /** `stopped`: a person ended the run, and waits. */
  close(how: { stopped: boolean }): Promise<void>
}

export async function openListeners(
  held: HeldTree,
  { run, clock, orphans: named }: { run: RunId; clock: Clock; orphans: Orphan[] },
): Promise<Listeners> {
  const bus = openBus()
  const orphans = [...named]
  bus.watch({ rows: (rows) => void orphans.push(...rows.flatMap((row) => orphansIn(row.event))) })
  // Nobody but whoever started it hears of a run of one stage.
  if (isOneStage(kindOf(held))) {
    bus.watch(held.watcher)
    return { bus, orphans, close: () => Promise.resolve() }
  }
  const newest = noteNewest(held.store.file)
  bus.watch(newest)
  bus.watch(held.watcher)
  const projections = await openProjected(held, { run, clock })
  if (projections !== null) bus.watch(projections)
  const notifier = openNotifier({
    root: held.root,
    values: held.settings.values,
    env: processEnv(),
    bell: () => held.watcher.bell?.(),
    notice: held.notice,
  })
  if (notifier !== null) bus.watch(notifier)
  return {
    bus,
    orphans,
    async close(how) {
      newest.close()
      await projections?.close()
      await notifier?.close(how)
    },
  }
}

/** The files that monitors of the bash tool read, where there may be one. */
export async function openProjected(
  { root, repo, folder, settings: { values }, store: { sql }, notice }: HeldTree,
  { run, clock }: { run: RunId; clock: Clock },
): Promise<Projections | null> {
  if (wantsProjections(root, values['ui.projections']))
    return openProjections({ root, run, folder, sql, clock, toolArgs: values['ui.tool_args'], notice })
  if (repo.git === null) hideState(root)
  return null
}
