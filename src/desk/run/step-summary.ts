/** Adds a run's report to the page that GitHub Actions shows under a step. */
import { messageOf } from '../../domain/error.ts'
import type { Report } from '../../domain/tell/report.ts'
import { reportMarkdown } from '../../domain/tell/report-words.ts'
import { appendLine } from '../../system/files/files.ts'
import { localSeconds } from '../../system/local-time.ts'

/** What went wrong, or null. */
export function appendStepSummary(file: string, report: Report): string | null {
  try {
    appendLine(file, reportMarkdown(report, localSeconds))
    return null
  } catch (error) {
    return messageOf(error)
  }
}
