/**
 * What `report` and `undo` need of a run's rows, up to one of them: kept now and then, so that whoever asks folds only the rows since.
 */
import type { WorkerId } from '../ids.ts'
import { foldWorkerTraces, type ChangeTrace } from '../tree/own-change.ts'
import type { Row } from '../state/row.ts'
import { foldReport, type ReportState } from './report.ts'

/** Counted up with every change of what is kept in it; one of another shape is not read, and the record is folded from its beginning. */
export const DIGEST_VERSION = 3

export interface RunDigest {
  shape: typeof DIGEST_VERSION
  /** The last row in it. */
  seq: number
  /** Null: nobody here understands how the record begins. */
  report: ReportState | null
  /** What each worker did to its workspace. */
  traces: Record<WorkerId, ChangeTrace>
}

export const EMPTY_DIGEST: RunDigest = { shape: DIGEST_VERSION, seq: 0, report: null, traces: {} }

/** What nobody here understands changes nothing. */
export function foldDigest(before: RunDigest, row: Row): RunDigest {
  const { shape, report, traces } = before
  const { seq } = row
  try {
    return { shape, seq, report: foldReport(report, row), traces: foldWorkerTraces(traces, row) }
  } catch {
    return { ...before, seq }
  }
}
