/** What the record of a run, and of those before it, has told of the bash tool's files when somebody begins to keep them. */
import { foldPast, NO_PAST, type BashPast, type Untold } from '../../compat/bash/run-files-past.ts'
import type { RunId } from '../../domain/ids.ts'
import type { View } from '../../domain/tell/view.ts'
import { rowsSince } from '../../store/record.ts'
import { resetsOf } from '../../store/resets.ts'
import { runEntry } from '../../store/runs.ts'
import { loadView } from '../../store/screens.ts'
import type { Sql } from '../../store/db/sql.ts'
import { keptPast, oldTurns, runBefore, tellingRows } from '../../store/turns.ts'
import { lastCallAt } from '../../store/usage.ts'
import type { LogLinks } from './log-links.ts'

interface Place {
  sql: Sql
  root: string
  run: RunId
}

export interface ToldSoFar {
  past: BashPast
  untold: Untold
  view: View | null
}

/** Runs whose turns of breaker and conversation fill up the histories. */
const RUNS_TOLD = 10

export const NOTHING_TOLD: ToldSoFar = {
  past: NO_PAST,
  untold: { old: { breaker: [], conversation: [] }, resets: { breaker: [], conversation: [] } },
  view: null,
}

/** `links`: told of the rows of an iteration under way. */
export async function toldSoFar(place: Place, links: Pick<LogLinks, 'take'>): Promise<ToldSoFar> {
  const { sql, root, run } = place
  const resets = {
    breaker: await resetsOf(sql, root, 'breaker'),
    conversation: await resetsOf(sql, root, 'conversation'),
  }
  const untold = { old: await oldTurns(sql, root), resets }
  const kept = await keptPast(sql, run)
  let past = kept === null ? await pastBefore(place) : (kept.past as BashPast)
  // What an iteration under way is still owed begins with the row that asked for it.
  const began = Math.min(kept?.seq ?? 0, (await lastCallAt(sql, run)) - 1)
  for await (const row of rowsSince(sql, run, began)) {
    if (row.seq > (kept?.seq ?? 0)) past = foldPast(past, row)
    links.take(row)
  }
  const entry = await runEntry(sql, run)
  return { past, untold, view: entry === null ? null : await loadView(sql, entry) }
}

/** The histories of breaker and conversation go on from run to run. */
async function pastBefore({ sql, root, run }: Place): Promise<BashPast> {
  const before = await runBefore(sql, root, run)
  const kept = before === null ? null : await keptPast(sql, before)
  if (before === null || kept === null)
    return (await tellingRows(sql, root, { runs: RUNS_TOLD, before: run })).reduce(foldPast, NO_PAST)
  let told = kept.past as BashPast
  for await (const row of rowsSince(sql, before, kept.seq)) told = foldPast(told, row)
  return told
}
