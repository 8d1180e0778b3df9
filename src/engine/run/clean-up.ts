/** After the end of a run: writes its report and prunes old runs. */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { pruneRuns, pruneOneStageRuns, type PruneTarget } from '../../listeners/prune.ts'
import { writeReportFile, type WrittenReport } from '../../listeners/report-file.ts'

interface CleanUpContext extends PruneTarget {
  notice: (text: string) => void
}

/** A run of one stage has no report. The same limit applies to these runs. */
export async function cleanUpOneStageRun(leaving: CleanUpContext, run: RunId): Promise<null> {
  await pruneQuietly(leaving, () => pruneOneStageRuns(leaving, run))
  return null
}

/** If interrupted, the next run does the rest. */
export async function writeReportAndPrune(leaving: CleanUpContext, run: RunId): Promise<WrittenReport | null> {
  const { root, repo, store, settings, notice } = leaving
  const keep = settings.values['keep.runs']
  const report = await writeReportFile({ root, repo, sql: store.sql, run, keep, notice })
  await pruneQuietly(leaving, () => pruneRuns(leaving, run))
  return report
}

/** Pruning may fail: the run has ended, and the next run prunes again. */
async function pruneQuietly(leaving: CleanUpContext, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (leaving.repo.by?.signal.aborted === true) return
    if (!(error instanceof RalphError) || error.code === 'store-damaged') throw error
    leaving.notice(`Old runs could not be deleted: ${error.message}`)
  }
}
