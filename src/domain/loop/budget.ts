/**
 * Money, tokens and minutes in all. An iteration reserves before it starts and settles after it ended; what an agent does not
 * tell is said to be unknown and, where a money limit is set, reckoned at the reservation: a limit that cannot be measured
 * must err on the cheap side.
 */
import type { Usage } from '../agent.ts'
import type { Awake, Millis, WorkerId } from '../ids.ts'
import type { BudgetRules } from '../rules.ts'

export interface Budget {
  /** Settled, as the vendors told. */
  usd: number
  tokens: number
  /** Reckoned for iterations whose cost nobody told. */
  reckonedUsd: number
  unknown: number
  /** Costs of the last iterations, newest last: the next one may cost what the dearest of them did. */
  recentUsd: number[]
  reserved: Record<WorkerId, number>
}

const RECENT = 3

export const EMPTY_BUDGET: Budget = {
  usd: 0,
  tokens: 0,
  reckonedUsd: 0,
  unknown: 0,
  recentUsd: [],
  reserved: {},
}

export type Reservation =
  | { ok: true; usd: number }
  | { ok: false; limit: 'cost_limit' | 'token_limit' | 'time_limit'; why: string }

/** What the next iteration must set aside, or which limit forbids it. */
export function reserve(budget: Budget, rules: BudgetRules, spentMs: Millis): Reservation {
  // A budget below the usual reservation must still allow a first iteration.
  const first = rules.usd === null ? rules.reserveUsd : Math.min(rules.reserveUsd, rules.usd)
  const usd = budget.recentUsd.length > 0 ? Math.max(...budget.recentUsd) : first
  if (rules.minutes !== null && spentMs >= rules.minutes * 60_000) {
    return { ok: false, limit: 'time_limit', why: `the run has had its ${rules.minutes} minutes` }
  }
  if (rules.tokens !== null && budget.tokens >= rules.tokens) {
    return { ok: false, limit: 'token_limit', why: `${budget.tokens} of ${rules.tokens} tokens are spent` }
  }
  if (rules.usd !== null && committedUsd(budget) + usd > rules.usd) {
    const left = Math.max(0, rules.usd - committedUsd(budget))
    return {
      ok: false,
      limit: 'cost_limit',
      why: `${money(left)} of ${money(rules.usd)} is left and the next iteration may cost ${money(usd)}`,
    }
  }
  return { ok: true, usd }
}

export function withReservation(budget: Budget, worker: WorkerId, usd: number): Budget {
  return { ...budget, reserved: { ...budget.reserved, [worker]: usd } }
}

/** Gives the reservation back and books what the iteration really used. `usage` null: nobody told. */
export function settle(budget: Budget, rules: BudgetRules, worker: WorkerId, usage: Usage | null): Budget {
  const { [worker]: reserved = 0, ...others } = budget.reserved
  const tokens = usage === null ? 0 : tokensOf(usage)
  const settled = { ...budget, reserved: others, tokens: budget.tokens + tokens }
  if (usage?.usd === undefined) {
    return {
      ...settled,
      unknown: budget.unknown + 1,
      reckonedUsd: budget.reckonedUsd + (rules.usd === null ? 0 : reserved),
    }
  }
  return {
    ...settled,
    usd: budget.usd + usage.usd,
    recentUsd: [...budget.recentUsd, usage.usd].slice(-RECENT),
  }
}

/** What an agent may still spend in flight: the limit less all that is settled and reserved by others. */
export function leftInFlight(
  budget: Budget,
  rules: BudgetRules,
  worker: WorkerId,
): { usd: number | null; tokens: number | null } {
  const own = budget.reserved[worker] ?? 0
  return {
    usd: rules.usd === null ? null : Math.max(0, rules.usd - (committedUsd(budget) - own)),
    tokens: rules.tokens === null ? null : Math.max(0, rules.tokens - budget.tokens),
  }
}

/** The wall limit of an iteration is also the run's remaining time, so that minutes hold in flight too. */
export function wallWithin(wallMs: Millis, rules: BudgetRules, spentMs: Awake): Millis {
  if (rules.minutes === null) return wallMs
  const left = Math.max(1, rules.minutes * 60_000 - spentMs)
  return wallMs === 0 ? left : Math.min(wallMs, left)
}

function committedUsd(budget: Budget): number {
  return Object.values(budget.reserved).reduce((sum, usd) => sum + usd, budget.usd + budget.reckonedUsd)
}

/** Input and output tokens; cached and reasoning ones are parts or discounts that vendors count differently. */
export function tokensOf(usage: Usage): number {
  return (usage.input ?? 0) + (usage.output ?? 0)
}

export function money(usd: number): string {
  return `$${usd.toFixed(2)}`
}
