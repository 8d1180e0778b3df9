/** Whether a run was taken back since. */
import type { Instant, RunId } from '../../core/ids.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findUndo } from '../../store/undos.ts'

export interface Undone {
  at: Instant
  /** What brings the run back. */
  command: string
}

/** Null: it stands. */
export async function undoneSince(sql: Sql, run: RunId): Promise<Undone | null> {
  const undo = await findUndo(sql, run)
  return undo === null ? null : { at: undo.at, command: `ralph undo --undo ${run}` }
}
