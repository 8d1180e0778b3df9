/** Writes the report into the project when a run has ended. A failure is reported and does not fail the run. */
import { basename } from 'node:path'
import { messageOf } from '../core/error.ts'
import type { RunId } from '../core/ids.ts'
import type { Report } from '../core/presentation/report.ts'
import { reportMarkdown } from '../core/presentation/report-text.ts'
import { loadQuestionsShown } from '../store/questions.ts'
import { loadReportTasks } from '../store/task/claims-of-run.ts'
import { loadIterationSeries } from '../store/run-views.ts'
import { loadDigest } from '../store/digests.ts'
import type { Sql } from '../store/db/sql.ts'
import { writeWithoutSync } from '../system/files/files.ts'
import { formatLocalDateTime } from '../system/time-formats.ts'
import type { Repo } from '../workspace/repo/find-repo.ts'
import { addGitStats } from '../workspace/snapshot/report-git-stats.ts'
import { removeOldReports, reportFilePath } from '../workspace/report-files.ts'

export interface ReportFileOptions {
  root: string
  repo: Repo
  sql: Sql
  run: RunId
  /** How many reports to keep; the oldest are deleted. */
  keep: number
  notice(text: string): void
}

export interface WrittenReport {
  report: Report
  /** Relative to the project. */
  path: string
}

/** Null: it could not be written. */
export async function writeReportFile(options: ReportFileOptions): Promise<WrittenReport | null> {
  try {
    const report = await gather(options)
    return report === null ? null : { report, path: write(options, report) }
  } catch (error) {
    options.notice(`Could not write the report: ${messageOf(error)}`)
    return null
  }
}

async function gather({ root, sql, run, repo }: ReportFileOptions): Promise<Report | null> {
  const { report: fold } = await loadDigest(sql, run)
  if (fold === null) return null
  const tasks = await loadReportTasks(sql, run)
  return {
    ...(await addGitStats(repo, fold.report)),
    ...(tasks === undefined ? {} : { tasks }),
    series: await loadIterationSeries(sql, run),
    questions: await loadQuestionsShown(sql, root),
  }
}

function write({ root, keep }: ReportFileOptions, report: Report): string {
  const path = reportFilePath(root, report, 'md')
  writeWithoutSync(path, reportMarkdown(report, formatLocalDateTime))
  removeOldReports(root, keep)
  return `.ralph/reports/${basename(path)}`
}
