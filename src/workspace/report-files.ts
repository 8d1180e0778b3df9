/** The folder of a project's reports, `.ralph/reports`, and the names of the files in it. */
import { join } from 'node:path'
import type { Instant, RunId } from '../core/ids.ts'
import { ensureFolder, exists, listFolder, removeIfExists, writeWithoutSync } from '../system/files/files.ts'
import { formatLocalDateTime } from '../system/time-formats.ts'
import { assertNotLink, stateFilePath } from './state-files.ts'

export type ReportFormat = 'md' | 'html'

/** Where the report of a run belongs; names sort by time. Creates the folder. */
export function reportFilePath(
  root: string,
  { run, startedAt }: { run: RunId; startedAt: Instant },
  format: ReportFormat,
): string {
  const folder = assertNotLink(stateFilePath(root, 'reports'))
  ensureFolder(folder)
  // Reports are for the person at this machine; without this the next agent would commit them.
  const ignore = join(folder, '.gitignore')
  if (!exists(ignore)) writeWithoutSync(assertNotLink(ignore), '*\n', { mode: 0o644 })
  const time = formatLocalDateTime(startedAt).replace(' ', '-').replaceAll(':', '')
  return assertNotLink(join(folder, `${time}-${run}.${format}`))
}

/** Deletes the reports of all but the newest runs. */
export function removeOldReports(root: string, keep: number): void {
  const folder = stateFilePath(root, 'reports')
  const files = listFolder(folder).filter((file) => OURS.test(file))
  const runs = [...new Set(files.map(runOf))].toSorted()
  const old = new Set(runs.slice(0, -keep))
  for (const file of files) if (old.has(runOf(file))) removeIfExists(join(folder, file))
}

/** Other files in the folder are not Ralph's. */
const OURS = /^\d{4}-\d\d-\d\d-\d{6}-[0-9a-z]+\.(?:md|html)$/

function runOf(file: string): string {
  return file.replace(/\.[a-z]+$/, '')
}
