/**
 * How fast a run spends, and when at this rate a limit of its budget is reached. Computed from the last
 * iterations that ended: the cost of the first hour says little about the third. A cost that no agent reported is unknown, not zero, so
 * a rate that includes such an iteration is a lower bound, and the time left an upper bound.
 */
import type { Usage } from '../calls/agent-io.ts'
import type { Instant, Millis } from '../ids.ts'
import { countBudgetTokens } from '../admission/budget.ts'
import type { BudgetRules } from '../state/rules.ts'
import type { SpentTotals } from '../calls/spending.ts'

/** The fields of an iteration that the rate needs; `durationMs` is null while it runs. */
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
  /** An agent did not report its usage: the rate is this much or more. */
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
  // Waits, gates and trials between iterations count as time.
  const ms = last.startedAt + (last.durationMs ?? 0) - first.startedAt
  if (ms < SHORTEST_MS) return { usd: null, tokens: null }
  const rate = (used: (usage: Usage) => number | undefined): Rate | null => {
    const told = ended.map(({ usage }) => (usage === null ? undefined : used(usage)))
    const known = told.filter((one) => one !== undefined)
    if (known.length === 0) return null
    const sum = known.reduce((all, one) => all + one, 0)
    return { perHour: (sum * HOUR_MS) / ms, atLeast: known.length < told.length }
  }
  return { usd: rate(({ usd }) => usd), tokens: rate(reportedTokens) }
}

function reportedTokens(usage: Usage): number | undefined {
  return usage.input === undefined && usage.output === undefined ? undefined : countBudgetTokens(usage)
}

/** How long until each limit; null: no limit, or unknown. */
export interface TimeUntilLimits {
  usd: TimeUntilLimit | null
  tokens: TimeUntilLimit | null
  minutes: TimeUntilLimit | null
}

export interface TimeUntilLimit {
  ms: Millis
  /** Some spending is unknown: the limit may be reached sooner. */
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
