/** Opens a run's record and stored state for reading. */
import type { Row } from '../../core/state/row.ts'
import { loadRunState, type StoredRunState } from '../../store/run-state.ts'
import type { RunEntry } from '../../store/runs.ts'
import { withStore } from '../open-store.ts'
import { streamAllRows } from '../../store/record.ts'
import { findRunOrLatest } from './find-run.ts'

export interface OpenRecord {
  entry: RunEntry
  rows: AsyncIterable<Row>
  state: StoredRunState | null
}

/** `named`: an id or the beginning of one; null: the last run of this working tree. */
export function withRecord<T>(
  root: string,
  named: string | null,
  work: (record: OpenRecord) => Promise<T>,
): Promise<T> {
  return withStore(root, async ({ sql }) => {
    const entry = await findRunOrLatest(sql, root, named)
    return work({ entry, rows: streamAllRows(sql, entry.id), state: await loadRunState(sql, entry.id) })
  })
}
