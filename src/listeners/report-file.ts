/** Leaves the morning report in the project when a run has ended. A report that cannot be written is told, and spoils nothing. */
import { join } from 'node:path'
import { messageOf } from '../domain/error.ts'
import type { RunId } from '../domain/ids.ts'
import type { Report } from '../domain/tell/report.ts'
import { reportMarkdown } from '../domain/tell/report-words.ts'
import { tasksOfRun } from '../store/task/claims-of-run.ts'
import { digestOf } from '../store/digests.ts'
import type { Sql } from '../store/db/sql.ts'
import { ensureFolder, exists, listFolder, removeIfThere, writeLoose } from '../system/files/files.ts'
import { localSeconds } from '../system/local-time.ts'
import type { Repo } from '../workspace/repo/repository-at.ts'
import { measured } from '../workspace/snapshot/measure-report.ts'
import { notALink, runFilePath } from '../workspace/run-files.ts'

export interface ReportOptions {
  root: string
  repo: Repo
  sql: Sql
  run: RunId
  /** How many reports stay; the oldest go. */
  keep: number
  notice(text: string): void
}

export interface LeftReport {
  report: Report
  /** Relative to the project. */
  path: string
}

/** Null: it could not be written. */
export async function leaveReport(options: ReportOptions): Promise<LeftReport | null> {
  try {
    const report = await gather(options)
    return report === null ? null : { report, path: write(options, report) }
  } catch (error) {
    options.notice(`The report was not written: ${messageOf(error)}`)
    return null
  }
}

async function gather({ sql, run, repo }: ReportOptions): Promise<Report | null> {
  const { report: fold } = await digestOf(sql, run)
  if (fold === null) return null
  const tasks = await tasksOfRun(sql, run)
  return { ...(await measured(repo, fold.report)), ...(tasks === undefined ? {} : { tasks }) }
}

function write({ root, keep }: ReportOptions, report: Report): string {
  const folder = notALink(runFilePath(root, 'reports'))
  ensureFolder(folder)
  // Reports are for the person at this machine; without this the next agent would commit them.
  const ignore = join(folder, '.gitignore')
  if (!exists(ignore)) writeLoose(notALink(ignore), '*\n', { mode: 0o644 })
  const name = `${localSeconds(report.startedAt).replace(' ', '-').replaceAll(':', '')}-${report.run}.md`
  writeLoose(notALink(join(folder, name)), reportMarkdown(report, localSeconds))
  const old = listFolder(folder)
    .filter((file) => OURS.test(file))
    .slice(0, -keep)
  for (const file of old) removeIfThere(join(folder, file))
  return `.ralph/reports/${name}`
}

/** Names sort by time; whatever else lies there is not ours to remove. */
const OURS = /^\d{4}-\d\d-\d\d-\d{6}-[0-9a-z]+\.md$/
