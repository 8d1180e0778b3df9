/**
 * Prints what the bash tool's flags `--status` and `--circuit-status` printed, since its users' scripts parse it. `status.json` is
 * built from the record, because the file may be out of date; without a run in the store, the bash tool's own files are read.
 */
import { breakerStateName, stateFileTexts, type TimeFormatter } from '../../compat/bash/state-files.ts'
import {
  foldBashHistory,
  lastIterationOf,
  EMPTY_BASH_HISTORY,
  type BashHistory,
} from '../../compat/bash/fold-history.ts'
import type { Breaker } from '../../core/admission/breaker.ts'
import { inheritBreaker } from '../../core/admission/breaker.ts'
import { hourStart } from '../../core/admission/quota.ts'
import { jsonOrNull } from '../../core/text/json.ts'
import type { RunId } from '../../core/ids.ts'
import type { BreakerRules } from '../../core/state/rules.ts'
import { stripControl } from '../../core/text/sanitize.ts'
import { upgradeState } from '../../core/state/upgrade.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import { lockOwnerOf } from '../../store/lock.ts'
import { streamRowsAfter } from '../../store/record.ts'
import { loadRunState } from '../../store/run-state.ts'
import { loadRunView } from '../../store/run-views.ts'
import { loadBashHistory } from '../../store/transitions.ts'
import { loadLatestRun } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lastCallSeq, usageSince } from '../../store/usage.ts'
import { systemClock } from '../../system/clock.ts'
import { formatLocalDateTime, formatUtcDateTime } from '../../system/time-formats.ts'
import { readBashStateFile } from '../../sources/bash-state.ts'
import { loadBreakerAndConversation } from '../steer/breaker-and-conversation.ts'
import { withStoreIfAny } from '../open-store.ts'

const TIMES: TimeFormatter = { utc: formatUtcDateTime, local: formatLocalDateTime }

/** The text of `status.json`; null: neither Ralph nor the bash tool has run here. */
export async function bashStatusJson(root: string): Promise<string | null> {
  const made = await withLastRun(root, async (sql, run, { view, past }) => {
    const saved = await loadRunState(sql, run)
    if (saved === null || view === null) return null
    const at = systemClock().at()
    const used = await usageSince(sql, hourStart(at))
    const served = (await lockOwnerOf(sql, root)) !== null
    const broken = !served && view.outcome === null && view.is !== 'paused'
    const state = upgradeState(saved, run)
    return stateFileTexts(past, { view, state, used, at, lastMessage: '', broken, times: TIMES })['status.json']
  })
  return made ?? readBashStatusFile(root)
}

/** The status file of the bash tool, as it would print it. */
function readBashStatusFile(root: string): string | null {
  const text = readBashStateFile(root, 'status.json')
  if (text === undefined) return null
  const value = parsed(text)
  return `${stripControl(value === null ? text : JSON.stringify(value, null, 2)).trimEnd()}\n`
}

/** The bash tool's panel of its breaker, value by value. */
export interface BashCircuitStatus {
  state: ReturnType<typeof breakerStateName>
  reason: string
  idle: number
  lastProgress: number
  /** Null: no iteration is known. */
  iteration: number | null
  opens: number
}

/** Like the bash tool, it first lets an open breaker cool down, so it shows what the next start will find. */
export async function bashCircuitStatus(root: string, rules: BreakerRules): Promise<BashCircuitStatus> {
  const { breaker: kept, unfinished, at } = await loadBreakerAndConversation(root)
  const breaker: Breaker = unfinished && kept !== null ? kept : inheritBreaker(kept, rules, at)
  const loops =
    (await withLastRun(root, async (_sql, _run, { past }) => ({
      lastProgress: past.lastProgress,
      iteration: lastIterationOf(past),
    }))) ?? readBashLoopNumbers(root)
  return {
    state: breakerStateName(breaker),
    reason: breaker.is === 'closed' ? '' : breaker.reason,
    idle: breaker.counts.idle,
    opens: breaker.opens,
    ...loops,
  }
}

function readBashLoopNumbers(root: string): Pick<BashCircuitStatus, 'lastProgress' | 'iteration'> {
  const file = parsed(readBashStateFile(root, '.circuit_breaker_state') ?? '') as Record<string, unknown> | null
  const [last, now] = [file?.['last_progress_loop'], file?.['current_loop']]
  return { lastProgress: typeof last === 'number' ? last : 0, iteration: typeof now === 'number' ? now : null }
}

interface LastRunFacts {
  view: RunView | null
  past: BashHistory
}

/** Null: nothing has run here yet. */
function withLastRun<T>(
  root: string,
  work: (sql: Sql, run: RunId, told: LastRunFacts) => Promise<T>,
): Promise<T | null> {
  return withStoreIfAny(root, async ({ sql }) => {
    const last = await loadLatestRun(sql, root)
    if (last === null) return null
    const view = await loadRunView(sql, last)
    return work(sql, last.id, { view, past: await pastOf(sql, last.id, view) })
  })
}

/** The history is stored only while the bash files are written. Otherwise the rows since the last call are enough for this output. */
async function pastOf(sql: Sql, run: RunId, view: RunView | null): Promise<BashHistory> {
  const kept = await loadBashHistory(sql, run)
  let past = kept === null ? { ...EMPTY_BASH_HISTORY, lastProgress: lastProgressIn(view) } : (kept.past as BashHistory)
  for await (const row of streamRowsAfter(sql, run, kept?.seq ?? (await lastCallSeq(sql, run)) - 1))
    past = foldBashHistory(past, row)
  return past
}

/** Progress as the breaker of the bash tool counts it: files or commits, not checkboxes. */
function lastProgressIn(view: RunView | null): number {
  const moved = view?.iterations.findLast(
    ({ change }) => change !== null && (change.files > 0 || change.commits.length > 0),
  )
  return moved?.n ?? 0
}

function parsed(text: string): object | null {
  const value = jsonOrNull(text)
  return typeof value === 'object' ? value : null
}
