/** The history for the bash tool's files, from the record of the run and of earlier ones. */
import {
  foldBashHistory,
  EMPTY_BASH_HISTORY,
  type BashHistory,
  type UnrecordedTransitions,
} from '../../compat/bash/fold-history.ts'
import type { RunId } from '../../core/ids.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import { streamRowsAfter } from '../../store/record.ts'
import { listResets } from '../../store/resets.ts'
import { getRunEntry } from '../../store/runs.ts'
import { loadRunView } from '../../store/run-views.ts'
import type { Sql } from '../../store/db/sql.ts'
import { loadBashHistory, loadBashTransitions, previousRunOf, loadTransitionRows } from '../../store/transitions.ts'
import { lastCallSeq } from '../../store/usage.ts'
import type { LogLinker } from './log-linker.ts'

interface Place {
  sql: Sql
  root: string
  run: RunId
}

export interface BashFilesHistory {
  past: BashHistory
  unrecorded: UnrecordedTransitions
  view: RunView | null
}

/** Number of runs whose transitions fill the histories of breaker and conversation. */
const RUNS_TOLD = 10

export const NO_BASH_FILES_HISTORY: BashFilesHistory = {
  past: EMPTY_BASH_HISTORY,
  unrecorded: { old: { breaker: [], conversation: [] }, resets: { breaker: [], conversation: [] } },
  view: null,
}

/** `links`: gets the rows of a running iteration. */
export async function loadBashFilesHistory(place: Place, links: Pick<LogLinker, 'take'>): Promise<BashFilesHistory> {
  const { sql, root, run } = place
  const resets = {
    breaker: await listResets(sql, root, 'breaker'),
    conversation: await listResets(sql, root, 'conversation'),
  }
  const unrecorded = { old: await loadBashTransitions(sql, root), resets }
  const kept = await loadBashHistory(sql, run)
  let past = kept === null ? await pastBefore(place) : (kept.past as BashHistory)
  // A running iteration needs its link from the row that requested it.
  const began = Math.min(kept?.seq ?? 0, (await lastCallSeq(sql, run)) - 1)
  for await (const row of streamRowsAfter(sql, run, began)) {
    if (row.seq > (kept?.seq ?? 0)) past = foldBashHistory(past, row)
    links.take(row)
  }
  const entry = await getRunEntry(sql, run)
  return { past, unrecorded, view: entry === null ? null : await loadRunView(sql, entry) }
}

/** The histories of breaker and conversation continue from run to run. */
async function pastBefore({ sql, root, run }: Place): Promise<BashHistory> {
  const before = await previousRunOf(sql, root, run)
  const kept = before === null ? null : await loadBashHistory(sql, before)
  if (before === null || kept === null)
    return (await loadTransitionRows(sql, root, { runs: RUNS_TOLD, before: run })).reduce(
      foldBashHistory,
      EMPTY_BASH_HISTORY,
    )
  let told = kept.past as BashHistory
  for await (const row of streamRowsAfter(sql, before, kept.seq)) told = foldBashHistory(told, row)
  return told
}
