/**
 * One engine for one working tree: takes hold of it, begins a run or resumes the one that was cut off, serves it to its end,
 * and lets go. Everything a person sees of it goes through the watcher.
 */
import { join } from 'node:path'
import { isOneStageRun, runKindOf } from '../core/state/run-kind.ts'
import { followMovedProject } from '../store/db/moved-project.ts'
import { readLastRowNote } from '../store/db/last-row-note.ts'
import { useStore } from '../store/db/use-store.ts'
import { tryQuietly } from '../store/db/writers.ts'
import { markEndReported } from '../store/end-reported.ts'
import { systemClock } from '../system/clock.ts'
import { isRunning } from '../system/process/process-table.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, treeIdentityOf } from '../workspace/repo/find-repo.ts'
import { findUnreportedEnd } from './startup/unreported-end.ts'
import { makeFoldersPrivate } from './startup/private-folders.ts'
import { enterTree, reportLostRows } from './runtime/enter-tree.ts'
import { withTreeLock } from './runtime/tree-lock.ts'
import { prepareNewRun, prepareStageRun } from './run/prepare-run.ts'
import { cleanUpRun } from './run/clean-up.ts'
import { dropInterruptedStages } from './run/drop-interrupted.ts'
import type { LockedTree } from './run/locked-tree.ts'
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
  // A run stands on its record: once it is served, there is no other store to go on with.
  const use = { create: true, notice, again: () => !serving }
  return useStore(file, use, async (store) => {
    await followMovedProject(store.sql, root, treeIdentityOf(repo, folder))
    const held: LockedTree = {
      ...options,
      repo,
      folder,
      store,
      newest,
      notice,
      begins: () => (serving = true),
    }
    return withTreeLock(store, options, () => serve(held))
  })
}

async function serve(held: LockedTree): Promise<RunResult> {
  makeFoldersPrivate(held, held.notice)
  await enterTree(held)
  await dropInterruptedStages(held)
  if (isOneStageRun(runKindOf(held))) {
    reportLostRows(held, null)
    return runToEnd(held, await prepareStageRun(held))
  }
  const unfinished = await findRunToResume(held)
  reportLostRows(held, unfinished)
  const result =
    unfinished === null
      ? ((await toldNow(held)) ?? (await runToEnd(held, await prepareNewRun(held))))
      : await runToEnd(held, await prepareResumedRun(held, unfinished))
  held.watcher.ended?.(result)
  // Not being able to note it costs no more than telling it once again.
  await tryQuietly(() => markEndReported(held.store.sql, result.run))
  return result
}

/** The end of the last run, if nobody has been told of it; what its process may not have got to is done. */
async function toldNow(held: LockedTree): Promise<RunResult | null> {
  const ended = held.fresh ? null : await findUnreportedEnd({ ...held, kind: runKindOf(held) })
  const outcome = ended?.state.run.outcome ?? null
  if (ended === null || outcome === null) return null
  const { run, state, view } = ended
  held.watcher.already?.(ended)
  await (await openBashFiles(held, { run, clock: systemClock() }))?.close()
  const report = await cleanUpRun(held, run)
  const left = view.orphans.filter(isRunning)
  return { run, outcome, exit: outcome.exit, report, left, state, already: true }
}
