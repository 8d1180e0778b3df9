/** After the end of a run: its report is left, and what is older than the user keeps goes. */
import { RalphError } from '../../core/error.ts'
import type { RunId } from '../../core/ids.ts'
import { pruneRuns, pruneOneStageRuns, type PruneTarget } from '../../listeners/prune.ts'
import { writeReportFile, type WrittenReport } from '../../listeners/report-file.ts'

interface Leaving extends PruneTarget {
  notice: (text: string) => void
}

/** A run of one stage leaves no report, and as many of them stay as runs do. */
export async function cleanUpOneStageRun(leaving: Leaving, run: RunId): Promise<null> {
  await clearAway(leaving, () => pruneOneStageRuns(leaving, run))
  return null
}

/** Cut off, it leaves the rest to the next run. */
export async function cleanUpRun(leaving: Leaving, run: RunId): Promise<WrittenReport | null> {
  const { root, repo, store, settings, notice } = leaving
  const keep = settings.values['keep.runs']
  const report = await writeReportFile({ root, repo, sql: store.sql, run, keep, notice })
  await clearAway(leaving, () => pruneRuns(leaving, run))
  return report
}

/** What was to go can go another time: the run has ended, and its end is the news. */
async function clearAway(leaving: Leaving, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (leaving.repo.by?.signal.aborted === true) return
    if (!(error instanceof RalphError) || error.code === 'store-damaged') throw error
    leaving.notice(`What is older than you keep was not cleared away: ${error.message}`)
  }
}
