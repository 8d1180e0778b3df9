/**
 * What `report` and `undo` need of a run's rows, up to one of them: saved from time to time, so that readers fold only the rows since.
 */
import type { WorkerId } from '../ids.ts'
import { foldWorkerTraces, type ChangeTrace } from '../tree/own-change.ts'
import type { Row } from '../state/row.ts'
import { foldReport, type ReportState } from './report.ts'

/** Incremented with every change of the shape; a digest of another shape is ignored, and the record is folded from its beginning. */
export const DIGEST_VERSION = 4

export interface RunDigest {
  shape: typeof DIGEST_VERSION
  /** The last row in it. */
  seq: number
  /** Null: this version does not understand the beginning of the record. */
  report: ReportState | null
  /** What each worker did to its workspace. */
  traces: Record<WorkerId, ChangeTrace>
}

export const EMPTY_DIGEST: RunDigest = { shape: DIGEST_VERSION, seq: 0, report: null, traces: {} }

/** A row that this version does not understand changes nothing. */
export function foldDigest(before: RunDigest, row: Row): RunDigest {
  const { shape, report, traces } = before
  const { seq } = row
  try {
    return { shape, seq, report: foldReport(report, row), traces: foldWorkerTraces(traces, row) }
  } catch {
    return { ...before, seq }
  }
}
