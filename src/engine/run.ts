/**
 * One engine for one working tree: takes hold of it, begins a run or takes up the one that was cut off, serves it to its end,
 * and lets go. Everything a person sees of it goes through the watcher.
 */
import { join } from 'node:path'
import { kindOf } from '../domain/state/kind.ts'
import { followMove } from '../store/db/moved.ts'
import { readNewest } from '../store/db/newest.ts'
import { useStore } from '../store/db/use.ts'
import { ifPossible } from '../store/db/writers.ts'
import { markTold } from '../store/told.ts'
import { realClock } from '../system/clock.ts'
import { isRunning } from '../system/process/process-table.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, treeOf } from '../workspace/repo/repository-at.ts'
import { endedUntold } from './before/already.ts'
import { closeToOthers } from './before/privacy.ts'
import { arrive, tellLoss } from './circle/arrive.ts'
import { whileHolding } from './circle/hold.ts'
import { begin, beginStage } from './run/begin.ts'
import { cleanUp } from './run/clean-up.ts'
import { dropInterrupted } from './run/drop-interrupted.ts'
import type { HeldTree } from './run/held-tree.ts'
import { openProjected } from './run/listeners.ts'
import type { RunOptions, RunResult } from './run/options.ts'
import { serveToEnd } from './run/serve-to-end.ts'
import { takeUp } from './run/take-up.ts'
import { runToTakeUp } from './run/unfinished.ts'

export async function serveRun(options: RunOptions): Promise<RunResult> {
  const { root, watcher } = options
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  const file = join(folder, 'ralph.db')
  const newest = readNewest(file)
  const notice = (text: string): void => watcher.notice?.(text)
  let serving = false
  // A run stands on its record: once it is served, there is no other store to go on with.
  const use = { create: true, notice, again: () => !serving }
  return useStore(file, use, async (store) => {
    await followMove(store.sql, root, treeOf(repo, folder))
    const held: HeldTree = { ...options, repo, folder, store, newest, notice, begins: () => (serving = true) }
    return whileHolding(store, options, () => serve(held))
  })
}

async function serve(held: HeldTree): Promise<RunResult> {
  closeToOthers(held, held.notice)
  await arrive(held)
  await dropInterrupted(held)
  if (held.verify !== undefined) {
    tellLoss(held, null)
    return serveToEnd(held, await beginStage(held, held.verify))
  }
  const unfinished = await runToTakeUp(held)
  tellLoss(held, unfinished)
  const result =
    unfinished === null
      ? ((await toldNow(held)) ?? (await serveToEnd(held, await begin(held))))
      : await serveToEnd(held, await takeUp(held, unfinished))
  held.watcher.ended?.(result)
  // Not being able to note it costs no more than telling it once again.
  await ifPossible(() => markTold(held.store.sql, result.run))
  return result
}

/** The end of the last run, if nobody has been told of it; what its process may not have got to is done. */
async function toldNow(held: HeldTree): Promise<RunResult | null> {
  const ended = held.fresh ? null : await endedUntold({ ...held, kind: kindOf(held) })
  const outcome = ended?.house.run.outcome ?? null
  if (ended === null || outcome === null) return null
  const { run, house, view } = ended
  held.watcher.already?.(ended)
  await (await openProjected(held, { run, clock: realClock() }))?.close()
  const report = await cleanUp(held, run)
  const left = view.orphans.filter(isRunning)
  return { run, outcome, exit: outcome.exit, report, left, house, already: true }
}
