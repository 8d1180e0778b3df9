/** Adds a run's report to the page that GitHub Actions shows under a step. */
import { messageOf } from '../../core/error.ts'
import type { Report } from '../../core/presentation/report.ts'
import { reportMarkdown } from '../../core/presentation/report-text.ts'
import { appendLine } from '../../system/files/files.ts'
import { formatLocalDateTime } from '../../system/time-formats.ts'

/** Returns the error message, or null. */
export function appendStepSummary(file: string, report: Report): string | null {
  try {
    appendLine(file, reportMarkdown(report, formatLocalDateTime))
    return null
  } catch (error) {
    return messageOf(error)
  }
}
