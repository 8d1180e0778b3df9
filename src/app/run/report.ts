/** The report of a run, from its record, with the change sizes that git still has. */
import type { Report } from '../../core/presentation/report.ts'
import { reportMarkdown } from '../../core/presentation/report-text.ts'
import { RalphError } from '../../core/error.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { loadUnfinishedRun, type RunEntry } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { formatLocalDateTime } from '../../system/time-formats.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { addGitStats } from '../../workspace/snapshot/report-git-stats.ts'
import { withStoreAndFolders } from '../open-store.ts'
import { loadQuestionsShown } from '../../store/questions.ts'
import { loadReportTasks } from '../../store/task/claims-of-run.ts'
import { loadIterationSeries } from '../../store/run-views.ts'
import { loadDigest } from '../../store/digests.ts'
import { findFeatureAfterRun } from './feature-after-run.ts'
import { findRunOrLatest } from './find-run.ts'
import { currentOutcome } from './current-outcome.ts'
import { findUndoOf } from '../undo/run-undo.ts'

/** `named`: an id or the beginning of one; null: the last run of this working tree. */
export function reportFor(root: string, named: string | null): Promise<{ report: Report; markdown: string }> {
  return withStoreAndFolders(root, async ({ sql }, { repo }) => {
    const report = await readReport(sql, await findRunOrLatest(sql, root, named), repo)
    return { report, markdown: reportMarkdown(report, formatLocalDateTime) }
  })
}

export async function readReport(
  sql: Sql,
  { id: run, workspace }: Pick<RunEntry, 'id' | 'workspace'>,
  repo: Repo,
): Promise<Report> {
  const { report: fold } = await loadDigest(sql, run)
  if (fold === null) {
    throw new RalphError('store-newer', `the record of run ${run} cannot be read by this version of Ralph`, {
      hint: 'A newer Ralph probably wrote it. Update Ralph.',
    })
  }
  const tasks = await loadReportTasks(sql, run)
  const report = {
    ...(await addGitStats(repo, fold.report)),
    ...(tasks === undefined ? {} : { tasks }),
    series: await loadIterationSeries(sql, run),
    questions: await loadQuestionsShown(sql, workspace),
  }
  const ended = fold.report.outcome
  const outcome = ended === null ? null : await currentOutcome(sql, { run, workspace, outcome: ended, at: report.at })
  const undone = await findUndoOf(sql, run)
  if (undone === null && outcome === null)
    return (await isServed(sql, { run, workspace })) ? { ...report, outcome, served: true } : { ...report, outcome }
  if (undone === null) {
    const since = await findFeatureAfterRun(sql, { root: workspace, start: fold.start, outcome })
    return { ...report, outcome, ...(since === null ? {} : { since }) }
  }
  const taken = `reverted on ${formatLocalDateTime(undone.at).slice(0, 16)}`
  return { ...report, outcome, undone, remarks: [taken, ...report.remarks] }
}

/** The process that locks the working tree runs its unfinished run. */
async function isServed(sql: Sql, { run, workspace }: { run: RunEntry['id']; workspace: string }): Promise<boolean> {
  return (await lockOwnerOf(sql, workspace)) !== null && (await loadUnfinishedRun(sql, workspace))?.id === run
}
