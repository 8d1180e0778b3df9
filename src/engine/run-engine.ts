/**
 * The engine of one working tree: locks it, starts a run or resumes the unfinished one, runs it to its end, and unlocks the tree.
 * Everything a person sees goes through the watcher.
 */
import { join } from 'node:path'
import { isOneStageRun, runKindOf } from '../core/state/run-kind.ts'
import { followMovedProject } from '../store/db/moved-project.ts'
import { readLastRowNote } from '../store/db/last-row-note.ts'
import { useStore } from '../store/db/use-store.ts'
import { tryQuietly } from '../store/db/writer-marks.ts'
import { markRunEndReported } from '../store/run-end-reported.ts'
import { systemClock } from '../system/clock.ts'
import { isRunning } from '../system/process/process-table.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, treeIdentityOf } from '../workspace/repo/find-repo.ts'
import { findUnreportedEnd } from './startup/unreported-end.ts'
import { makeFoldersPrivate } from './startup/private-folders.ts'
import { prepareLockedTree, reportLostRows } from './runtime/prepare-locked-tree.ts'
import { withTreeLock } from './runtime/tree-lock.ts'
import { prepareNewRun, prepareOneStageRun } from './run/prepare-run.ts'
import { writeReportAndPrune } from './run/clean-up.ts'
import { dropInterruptedStageRuns } from './run/drop-interrupted.ts'
import type { LockedTreeContext } from './run/locked-tree.ts'
import { openBashFiles } from './run/open-listeners.ts'
import type { RunOptions, RunResult } from './run/run-options.ts'
import { runToEnd } from './run/run-to-end.ts'
import { prepareResumedRun } from './run/prepare-resumed-run.ts'
import { findRunToResume } from './run/unfinished-run.ts'

export async function runEngine(options: RunOptions): Promise<RunResult> {
  const { root, watcher } = options
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  const file = join(folder, 'ralph.db')
  const newest = readLastRowNote(file)
  const notice = (text: string): void => watcher.notice?.(text)
  let serving = false
  // A run needs its record: once it has started, it cannot continue in another store.
  const use = { create: true, notice, again: () => !serving }
  return useStore(file, use, async (store) => {
    await followMovedProject(store.sql, root, treeIdentityOf(repo, folder))
    const held: LockedTreeContext = { ...options, repo, folder, store, newest, notice, begins: () => (serving = true) }
    return withTreeLock(store, options, () => runInLockedTree(held))
  })
}

async function runInLockedTree(held: LockedTreeContext): Promise<RunResult> {
  makeFoldersPrivate(held, held.notice)
  await prepareLockedTree(held)
  await dropInterruptedStageRuns(held)
  if (isOneStageRun(runKindOf(held))) {
    reportLostRows(held, null)
    return runToEnd(held, await prepareOneStageRun(held))
  }
  const unfinished = await findRunToResume(held)
  reportLostRows(held, unfinished)
  const result =
    unfinished === null
      ? ((await reportUnreportedEnd(held)) ?? (await runToEnd(held, await prepareNewRun(held))))
      : await runToEnd(held, await prepareResumedRun(held, unfinished))
  held.watcher.ended?.(result)
  // If this fails, the end is only reported once more.
  await tryQuietly(() => markRunEndReported(held.store.sql, result.run))
  return result
}

/** The end of the last run, if it was not reported; also does the clean-up that its process may have missed. */
async function reportUnreportedEnd(held: LockedTreeContext): Promise<RunResult | null> {
  const ended = held.fresh ? null : await findUnreportedEnd({ ...held, kind: runKindOf(held) })
  const outcome = ended?.state.run.outcome ?? null
  if (ended === null || outcome === null) return null
  const { run, state, view } = ended
  held.watcher.already?.(ended)
  await (await openBashFiles(held, { run, clock: systemClock() }))?.close()
  const report = await writeReportAndPrune(held, run)
  const left = view.orphans.filter(isRunning)
  return { run, outcome, exit: outcome.exit, report, left, state, already: true }
}
