/** Writes the HTML page of a run. It replaces an earlier page, and nothing else. */
import { RalphError } from '../../core/error.ts'
import type { Report } from '../../core/presentation/report.ts'
import { exists, writeWithoutSync } from '../../system/files/files.ts'
import { readFilePart } from '../../system/files/read-part.ts'
import { reportFilePath } from '../../workspace/report-files.ts'

/** The generator that a page names in its head, by which Ralph recognizes its own pages. */
export const PAGE_GENERATOR = 'ralph report'

export interface PageTarget {
  root: string
  report: Report
  /** Null: the folder of reports. */
  file: string | null
}

/** Returns the path of the file. */
export function writeReportPage({ root, report, file }: PageTarget, html: string): string {
  const path = file ?? reportFilePath(root, report, 'html')
  if (exists(path) && !isReportPage(path)) {
    throw new RalphError('usage', `${path} exists and is not a report page`, {
      hint: 'Choose another file: ralph report --html --output FILE',
    })
  }
  writeWithoutSync(path, html)
  return path
}

/** The head of a page fits in here. */
const HEAD_BYTES = 1024

function isReportPage(path: string): boolean {
  const head = readFilePart(path, { from: 0, max: HEAD_BYTES })?.bytes.toString('utf8') ?? ''
  return head.includes(`<meta name="generator" content="${PAGE_GENERATOR}">`)
}
