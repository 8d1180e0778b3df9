/**
 * Money, tokens and minutes in all. An iteration reserves before it starts, is measured while it works as far as its agent tells,
 * and settles after it ended; what an agent does not tell is said to be unknown and, where a money limit is set, reckoned at the
 * reservation: a limit that cannot be measured must err on the cheap side.
 */
import type { Usage } from './agent.ts'
import { dollars } from '../text/amounts.ts'
import type { Awake, Millis, WorkerId } from '../ids.ts'
import type { BudgetRules } from '../run/rules.ts'

export interface Budget {
  /** Settled, as the vendors told it or as what they told costs. */
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
      why: `${dollars(left)} of ${dollars(rules.usd)} is left and the next iteration may cost ${dollars(usd)}`,
    }
  }
  return { ok: true, usd }
}

export function withReservation(budget: Budget, worker: WorkerId, usd: number): Budget {
  return { ...budget, reserved: { ...budget.reserved, [worker]: usd } }
}

/** What an iteration came to. `usage` null: nobody told. */
export interface Bill {
  usage: Usage | null
  /** We were gone before it ended: its log tells what it used until then, and nobody knows what came after. */
  cutOff: boolean
}

/**
 * Gives the reservation back and books what the iteration used. Of one that was cut off, what its log told is spent for certain;
 * up to its reservation the rest may have been spent unseen, so where money is limited the larger of the two counts.
 */
export function settle(
  budget: Budget,
  rules: BudgetRules,
  worker: WorkerId,
  { usage, cutOff }: Bill,
): Budget {
  const { [worker]: reserved = 0, ...others } = budget.reserved
  const usd = usage?.usd
  const unseen = usd === undefined ? reserved : cutOff ? Math.max(0, reserved - usd) : 0
  return {
    usd: budget.usd + (usd ?? 0),
    tokens: budget.tokens + (usage === null ? 0 : tokensOf(usage)),
    reckonedUsd: budget.reckonedUsd + (rules.usd === null ? 0 : unseen),
    unknown: budget.unknown + (usd === undefined ? 1 : 0),
    // A part says little about what a whole one costs.
    recentUsd: usd === undefined || cutOff ? budget.recentUsd : [...budget.recentUsd, usd].slice(-RECENT),
    reserved: others,
  }
}

/** What an agent may still use in flight; null: as much as it likes. */
export interface Allowance {
  usd: number | null
  tokens: number | null
}

/** The limit less all that is settled and reserved by others. */
export function leftInFlight(budget: Budget, rules: BudgetRules, worker: WorkerId): Allowance {
  const own = budget.reserved[worker] ?? 0
  return {
    usd: rules.usd === null ? null : Math.max(0, rules.usd - (committedUsd(budget) - own)),
    tokens: rules.tokens === null ? null : Math.max(0, rules.tokens - budget.tokens),
  }
}

/** How many tenths of its allowance an agent has used; at ten it is gone. */
export function tenthsOf(usage: Usage, left: Allowance): number {
  const share = Math.max(shareOf(usage.usd ?? 0, left.usd), shareOf(tokensOf(usage), left.tokens))
  return Math.min(10, Math.floor(10 * share))
}

function shareOf(used: number, left: number | null): number {
  if (left === null) return 0
  return left === 0 ? 1 : used / left
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

/**
 * What counts against a token budget, in flight and settled alike: input that was read for the first time, stored in a cache or
 * not, and output, with reasoning in it. Claude stores nearly all of its input, so without cache writes its budget would measure
 * nothing. Cache reads are left out: the same text is read again with every message, and they would be a hundred times the rest.
 */
export function tokensOf(usage: Usage): number {
  return (usage.input ?? 0) + (usage.cacheWrite ?? 0) + (usage.output ?? 0)
}
