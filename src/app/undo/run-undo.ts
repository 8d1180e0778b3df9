/** Whether a run was undone. */
import type { Instant, RunId } from '../../core/ids.ts'
import type { Sql } from '../../store/db/sql.ts'
import { findUndo } from '../../store/undos.ts'

export interface RunUndo {
  at: Instant
  /** The command that restores the run. */
  command: string
}

/** Null: it was not undone. */
export async function findUndoOf(sql: Sql, run: RunId): Promise<RunUndo | null> {
  const undo = await findUndo(sql, run)
  return undo === null ? null : { at: undo.at, command: `ralph undo --undo ${run}` }
}
