/**
 * How fast a run spends, and when at this rate a limit of its budget is reached. Reckoned from the iterations that have ended, the
 * last ones only: what the first hour cost says little about the third. A cost that nobody told is unknown and never nothing, so a
 * rate with such an iteration in it is a least one, and a time left is a most one.
 */
import type { Usage } from '../calls/agent-io.ts'
import type { Instant, Millis } from '../ids.ts'
import { tokensOf } from '../admission/budget.ts'
import type { BudgetRules } from '../state/rules.ts'
import type { SpentTotals } from '../calls/spending.ts'

/** As much of an iteration as tells how fast it went; null durations are iterations under way. */
export interface IterationSpending {
  startedAt: Instant
  durationMs: Millis | null
  usage: Usage | null
}

/** Per hour. Null: unknown. */
export interface SpendingRate {
  usd: Rate | null
  tokens: Rate | null
}

export interface Rate {
  perHour: number
  /** Somebody did not tell what it used: it is this much or more. */
  atLeast: boolean
}

/** Enough for an average, few enough to follow what changed. */
const RECENT = 10
/** A rate per hour from a few seconds says nothing. */
const SHORTEST_MS = 60_000
const HOUR_MS = 3_600_000

export function spendingRateOf(iterations: readonly IterationSpending[]): SpendingRate {
  const ended = iterations.filter((one) => one.durationMs !== null).slice(-RECENT)
  const first = ended[0]
  const last = ended.at(-1)
  if (first === undefined || last === undefined) return { usd: null, tokens: null }
  // Waits, gates and trials between them are part of how fast it goes.
  const ms = last.startedAt + (last.durationMs ?? 0) - first.startedAt
  if (ms < SHORTEST_MS) return { usd: null, tokens: null }
  const rate = (used: (usage: Usage) => number | undefined): Rate | null => {
    const told = ended.map(({ usage }) => (usage === null ? undefined : used(usage)))
    const known = told.filter((one) => one !== undefined)
    if (known.length === 0) return null
    const sum = known.reduce((all, one) => all + one, 0)
    return { perHour: (sum * HOUR_MS) / ms, atLeast: known.length < told.length }
  }
  return { usd: rate(({ usd }) => usd), tokens: rate(tellsTokens) }
}

function tellsTokens(usage: Usage): number | undefined {
  return usage.input === undefined && usage.output === undefined ? undefined : tokensOf(usage)
}

/** How long until each limit that is set; null: nobody can tell. */
export interface TimeUntilLimits {
  usd: TimeUntilLimit | null
  tokens: TimeUntilLimit | null
  minutes: TimeUntilLimit | null
}

export interface TimeUntilLimit {
  ms: Millis
  /** Something unknown was spent, or is being spent: it may be over sooner. */
  atMost: boolean
}

export function timeUntilLimits(
  spendingRate: SpendingRate,
  { spent, spentMs, budget }: { spent: SpentTotals; spentMs: Millis; budget: BudgetRules },
): TimeUntilLimits {
  const until = (max: number | null, used: number, rate: Rate | null): TimeUntilLimit | null => {
    if (max === null) return null
    const left = Math.max(0, max - used)
    if (left === 0) return { ms: 0, atMost: false }
    if (rate === null || rate.perHour === 0) return null
    return { ms: (left / rate.perHour) * HOUR_MS, atMost: rate.atLeast || spent.unknown > 0 }
  }
  return {
    usd: until(budget.usd, spent.usd, spendingRate.usd),
    tokens: until(budget.tokens, spent.tokens, spendingRate.tokens),
    minutes: budget.minutes === null ? null : { ms: Math.max(0, budget.minutes * 60_000 - spentMs), atMost: false },
  }
}
