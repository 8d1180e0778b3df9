/** What the record of a run, and of those before it, has told of the bash tool's files when somebody begins to keep them. */
import {
  foldHistory,
  EMPTY_HISTORY,
  type BashHistory,
  type UnrecordedTransitions,
} from '../../compat/bash/history.ts'
import type { RunId } from '../../core/ids.ts'
import type { RunView } from '../../core/presentation/view.ts'
import { streamRowsAfter } from '../../store/record.ts'
import { listResets } from '../../store/resets.ts'
import { getRunEntry } from '../../store/runs.ts'
import { loadView } from '../../store/run-views.ts'
import type { Sql } from '../../store/db/sql.ts'
import { loadHistory, loadBashTransitions, previousRunOf, transitionRows } from '../../store/transitions.ts'
import { lastCallSeq } from '../../store/usage.ts'
import type { LogLinks } from './log-links.ts'

interface Place {
  sql: Sql
  root: string
  run: RunId
}

export interface PastProjections {
  past: BashHistory
  unrecorded: UnrecordedTransitions
  view: RunView | null
}

/** Runs whose turns of breaker and conversation fill up the histories. */
const RUNS_TOLD = 10

export const NO_PAST_PROJECTIONS: PastProjections = {
  past: EMPTY_HISTORY,
  unrecorded: { old: { breaker: [], conversation: [] }, resets: { breaker: [], conversation: [] } },
  view: null,
}

/** `links`: told of the rows of an iteration under way. */
export async function readPastProjections(
  place: Place,
  links: Pick<LogLinks, 'take'>,
): Promise<PastProjections> {
  const { sql, root, run } = place
  const resets = {
    breaker: await listResets(sql, root, 'breaker'),
    conversation: await listResets(sql, root, 'conversation'),
  }
  const unrecorded = { old: await loadBashTransitions(sql, root), resets }
  const kept = await loadHistory(sql, run)
  let past = kept === null ? await pastBefore(place) : (kept.past as BashHistory)
  // What an iteration under way is still owed begins with the row that asked for it.
  const began = Math.min(kept?.seq ?? 0, (await lastCallSeq(sql, run)) - 1)
  for await (const row of streamRowsAfter(sql, run, began)) {
    if (row.seq > (kept?.seq ?? 0)) past = foldHistory(past, row)
    links.take(row)
  }
  const entry = await getRunEntry(sql, run)
  return { past, unrecorded, view: entry === null ? null : await loadView(sql, entry) }
}

/** The histories of breaker and conversation go on from run to run. */
async function pastBefore({ sql, root, run }: Place): Promise<BashHistory> {
  const before = await previousRunOf(sql, root, run)
  const kept = before === null ? null : await loadHistory(sql, before)
  if (before === null || kept === null)
    return (await transitionRows(sql, root, { runs: RUNS_TOLD, before: run })).reduce(
      foldHistory,
      EMPTY_HISTORY,
    )
  let told = kept.past as BashHistory
  for await (const row of streamRowsAfter(sql, before, kept.seq)) told = foldHistory(told, row)
  return told
}
