/**
 * What the bash tool's flags `--status` and `--circuit-status` printed, which its users' scripts read. The first is its `status.json`
 * made afresh from the record, because the file may be of another moment; where no run of ours is known, its own files hold.
 */
import { breakerWord, runFiles, type Times } from '../../compat/bash/run-files.ts'
import { foldPast, NO_PAST, type BashPast } from '../../compat/bash/run-files-past.ts'
import type { Breaker } from '../../domain/admission/breaker.ts'
import { carryOver } from '../../domain/admission/breaker.ts'
import { hourStart } from '../../domain/admission/quota.ts'
import { RalphError } from '../../domain/error.ts'
import { json } from '../../domain/text/json.ts'
import type { RunId } from '../../domain/ids.ts'
import type { BreakerRules } from '../../domain/state/rules.ts'
import { stripControl } from '../../domain/text/text.ts'
import { houseFrom } from '../../domain/state/upgrade.ts'
import type { View } from '../../domain/tell/view.ts'
import { holderOf } from '../../store/holder.ts'
import { rowsSince } from '../../store/record.ts'
import { loadState } from '../../store/state.ts'
import { loadView } from '../../store/screens.ts'
import { keptPast } from '../../store/turns.ts'
import { latestRun } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { lastCallAt, usageSince } from '../../store/usage.ts'
import { realClock } from '../../system/clock.ts'
import { localSeconds, utcSeconds } from '../../system/local-time.ts'
import { bashFile } from '../../sources/bash-state.ts'
import { keptOf } from '../steer/breaker-and-conversation.ts'
import { withStore } from '../store-at.ts'

const TIMES: Times = { utc: utcSeconds, local: localSeconds }

/** The text of `status.json`; null: nothing has run here, with neither tool. */
export async function oldStatus(root: string): Promise<string | null> {
  const made = await ofLastRun(root, async (sql, run, { view, past }) => {
    const saved = await loadState(sql, run)
    if (saved === null || view === null) return null
    const at = realClock().at()
    const used = await usageSince(sql, hourStart(at))
    const served = (await holderOf(sql, root)) !== null
    const broken = !served && view.outcome === null && view.is !== 'paused'
    const house = houseFrom(saved, run)
    return runFiles(past, { view, house, used, at, lastWords: '', broken, times: TIMES })['status.json']
  })
  return made ?? leftStatus(root)
}

/** What the bash tool left, as it would print it. */
function leftStatus(root: string): string | null {
  const text = bashFile(root, 'status.json')
  if (text === undefined) return null
  const value = parsed(text)
  return `${stripControl(value === null ? text : JSON.stringify(value, null, 2)).trimEnd()}\n`
}

/** The bash tool's panel of its breaker, value by value. */
export interface OldCircuit {
  state: ReturnType<typeof breakerWord>
  reason: string
  idle: number
  lastProgress: number
  /** Null: no iteration is known. */
  iteration: number | null
  opens: number
}

/** As there: looking at it lets an open one cool down first, so it shows what the next start will find. */
export async function oldCircuit(root: string, rules: BreakerRules): Promise<OldCircuit> {
  const { breaker: kept, unfinished, at } = await keptOf(root)
  const breaker: Breaker = unfinished && kept !== null ? kept : carryOver(kept, rules, at)
  const loops =
    (await ofLastRun(root, async (_sql, _run, { past }) => ({
      lastProgress: past.lastProgress,
      iteration: past.iteration,
    }))) ?? leftLoops(root)
  return {
    state: breakerWord(breaker),
    reason: breaker.is === 'closed' ? '' : breaker.reason,
    idle: breaker.counts.idle,
    opens: breaker.opens,
    ...loops,
  }
}

function leftLoops(root: string): Pick<OldCircuit, 'lastProgress' | 'iteration'> {
  const file = parsed(bashFile(root, '.circuit_breaker_state') ?? '') as Record<string, unknown> | null
  const [last, now] = [file?.['last_progress_loop'], file?.['current_loop']]
  return {
    lastProgress: typeof last === 'number' ? last : 0,
    iteration: typeof now === 'number' ? now : null,
  }
}

interface Told {
  view: View | null
  past: BashPast
}

/** Null: nothing has run here yet. */
async function ofLastRun<T>(
  root: string,
  work: (sql: Sql, run: RunId, told: Told) => Promise<T>,
): Promise<T | null> {
  try {
    return await withStore(root, async ({ sql }) => {
      const last = await latestRun(sql, root)
      if (last === null) return null
      const view = await loadView(sql, last)
      return work(sql, last.id, { view, past: await pastOf(sql, last.id, view) })
    })
  } catch (error) {
    if (error instanceof RalphError && error.code === 'no-run') return null
    throw error
  }
}

/** Where its files are not written, nobody keeps it. Then it is told as far as it is printed here, which the last call is enough for. */
async function pastOf(sql: Sql, run: RunId, view: View | null): Promise<BashPast> {
  const kept = await keptPast(sql, run)
  let past = kept === null ? { ...NO_PAST, lastProgress: lastProgressIn(view) } : (kept.past as BashPast)
  for await (const row of rowsSince(sql, run, kept?.seq ?? (await lastCallAt(sql, run)) - 1))
    past = foldPast(past, row)
  return past
}

/** As the breaker of the bash tool sees it: files or commits, not boxes. */
function lastProgressIn(view: View | null): number {
  const moved = view?.iterations.findLast(
    ({ change }) => change !== null && (change.files > 0 || change.commits.length > 0),
  )
  return moved?.n ?? 0
}

function parsed(text: string): object | null {
  const value = json(text)
  return typeof value === 'object' ? value : null
}
