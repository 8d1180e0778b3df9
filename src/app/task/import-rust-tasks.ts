/** Imports the tasks of a project of the Rust tool from its `.ralph/progress.db` once; that file is not changed. */
import { join } from 'node:path'
import { RUST_TABLES, convertRustDatabase, type RustImportReport } from '../../sources/rust-db/rust-progress-db.ts'
import { describeImportCounts } from '../../sources/rust-db/rust-import-report.ts'
import { messageOf, RalphError } from '../../core/error.ts'
import type { Instant } from '../../core/ids.ts'
import { parseObject } from '../../core/text/json.ts'
import { importRustData, readRustTables, allTaskIds } from '../../store/task/rust-tool-import.ts'
import { loadRustImportReport } from '../../store/task/rust-import-state.ts'
import { isoTime, systemClock } from '../../system/clock.ts'
import { withStore } from '../open-store.ts'
import { hasRustTasks, RUST_DATABASE } from './rust-tasks.ts'
import type { StoreLocation } from './task-store.ts'

export interface RustImportResult {
  /** Relative to the root. */
  file: string
  /** When, as ISO time. */
  at: string
  /** False: they were imported before, and nothing was changed. */
  isNew: boolean
  /** How many of what, as text. */
  amounts: string
  report: RustImportReport
}

/** Null: there is nothing to import. */
export async function importRustTasks({ root, notice }: StoreLocation): Promise<RustImportResult | null> {
  if (!hasRustTasks(root)) return null
  const file = join(root, RUST_DATABASE)
  const before = await loadEarlierImport(root)
  if (before !== null) return before
  const at = systemClock().at()
  const taken = (await nullWithoutStore(() => withStore(root, ({ sql }) => allTaskIds(sql)))) ?? []
  const { report, ...work } = convertRustDatabase(await readRustTables(file, RUST_TABLES), at, taken)
  if (report.tasks + report.features + report.notes === 0) {
    refuseUnreadable(file, report)
    return null
  }
  const told = JSON.stringify({ at, report })
  const isNew = await withStore(root, ({ sql }) => importRustData(sql, work, { at, told }), { create: true, notice })
  return isNew ? rustImportResult({ at, report }, { isNew }) : loadEarlierImport(root)
}

/** No row is a task or a feature as the Rust tool stored them: the file is another tool's, or of an unknown version. */
function refuseUnreadable(file: string, { version, left }: RustImportReport): void {
  const rows = left.filter(({ is }) => is === 'task-unreadable' || is === 'feature-unreadable')
  if (rows.length === 0) return
  const words = rows.map((remark) => remark.words).join(', ')
  throw new RalphError('bad-file', `${file} cannot be read: it contains only ${words} (version ${version})`, {
    hint: 'Nothing was imported, and the file was not changed. If it does not belong to Rust Ralph, move it away.',
  })
}

/**
 * The same for a command that needs tasks but is not about the import: prints a notice if there were any, and continues without them
 * if the file cannot be read.
 */
export async function importPendingRustTasks(location: StoreLocation): Promise<void> {
  try {
    const took = await importRustTasks(location)
    if (took?.isNew === true) location.notice(importNotice(took))
  } catch (error) {
    if (!(error instanceof RalphError) || (error.code !== 'bad-file' && error.code !== 'store-busy')) throw error
    location.notice(`The tasks of Rust Ralph were not imported: ${messageOf(error)}. ${error.hint ?? ''}`.trim())
  }
}

function importNotice({ file, amounts, report }: RustImportResult): string {
  const isWhole = report.mapped.length + report.left.length === 0
  const more = isWhole ? '' : ' Details: ralph migrate.'
  return `Imported ${amounts} from Rust Ralph. Ralph did not change ${file} and will not read it again.${more}`
}

function rustImportResult(
  { at, report }: { at: Instant; report: RustImportReport },
  { isNew }: { isNew: boolean },
): RustImportResult {
  return { file: RUST_DATABASE, at: isoTime(at), isNew, amounts: describeImportCounts(report), report }
}

async function loadEarlierImport(root: string): Promise<RustImportResult | null> {
  const kept = await nullWithoutStore(() => withStore(root, ({ sql }) => loadRustImportReport(sql)))
  const read = kept === null ? null : parseObject(kept)
  if (read === null) return null
  return rustImportResult(read as unknown as { at: Instant; report: RustImportReport }, { isNew: false })
}

/** Null if there is no store, or it was lost; the command that creates a new one reports that. */
async function nullWithoutStore<T>(ask: () => Promise<T | null>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof RalphError && (error.code === 'no-run' || error.code === 'store-lost')) return null
    throw error
  }
}
