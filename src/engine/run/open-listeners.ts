/** Opens the listeners of a run: the watcher, the last-row note, the files of the bash tool, notifications. */
import type { RunId } from '../../core/ids.ts'
import { isOneStageRun, runKindOf } from '../../core/state/run-kind.ts'
import { orphansIn, type Orphan } from '../../core/tree/orphan.ts'
import { openEventBus, type EventBus } from '../../listeners/event-bus.ts'
import { openNotifier } from '../../listeners/notify.ts'
import {
  gitignoreStateFolder,
  openBashFileWriter,
  shouldWriteBashFiles,
  type BashFileWriter,
} from '../../listeners/bash-files.ts'
import { openLastRowNote } from '../../store/db/last-row-note.ts'
import { loadRunView } from '../../store/run-views.ts'
import { getRunEntry } from '../../store/runs.ts'
import type { Clock } from '../../system/clock.ts'
import { fullEnvironment } from '../../system/environment.ts'
import type { LockedTreeContext } from './locked-tree.ts'

export interface RunListeners {
  bus: EventBus
  /** All reported orphans, also those of earlier processes. */
  orphans: Orphan[]
  /** `stopped`: a person stopped the run and is waiting. */
  close(how: { stopped: boolean }): Promise<void>
}

export async function openListeners(
  lockedTree: LockedTreeContext,
  { run, clock, orphans: named }: { run: RunId; clock: Clock; orphans: Orphan[] },
): Promise<RunListeners> {
  const bus = openEventBus()
  const orphans = [...named]
  bus.watch({ rows: (rows) => void orphans.push(...rows.flatMap((row) => orphansIn(row.event))) })
  // Only the caller watches a run of one stage.
  if (isOneStageRun(runKindOf(lockedTree))) {
    bus.watch(lockedTree.watcher)
    return { bus, orphans, close: () => Promise.resolve() }
  }
  const newest = openLastRowNote(lockedTree.store.file)
  bus.watch(newest)
  bus.watch(lockedTree.watcher)
  const projections = await openBashFiles(lockedTree, { run, clock })
  if (projections !== null) bus.watch(projections)
  const { sql } = lockedTree.store
  const entry = await getRunEntry(sql, run)
  const notifier = openNotifier({
    root: lockedTree.root,
    values: lockedTree.settings.values,
    env: fullEnvironment(),
    bell: () => lockedTree.watcher.bell?.(),
    notice: lockedTree.notice,
    view: entry === null ? null : await loadRunView(sql, entry),
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

/** Opens the files that monitors of the bash tool read, if the project may have one. */
export async function openBashFiles(
  { root, repo, folder, settings: { values }, store: { sql }, notice }: LockedTreeContext,
  { run, clock }: { run: RunId; clock: Clock },
): Promise<BashFileWriter | null> {
  if (shouldWriteBashFiles(root, values['ui.projections']))
    return openBashFileWriter({ root, run, folder, sql, clock, toolArgs: values['ui.tool_args'], notice })
  if (repo.git === null) gitignoreStateFolder(root)
  return null
}
