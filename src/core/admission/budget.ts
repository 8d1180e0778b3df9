/**
 * Money, tokens and minutes in all, shared by every worker of the run. A call reserves before it starts, its reservation grows with what it
 * spends in flight, as far as its agent reports it, and it is settled after its end. A cost that an agent does not report is unknown and, if
 * a money limit is set, estimated at what a call is likely to cost, so that the limit still holds.
 */
import type { Usage } from '../calls/agent-io.ts'
import { formatDollars } from '../text/format-amounts.ts'
import type { AwakeMs, Millis, WorkerId } from '../ids.ts'
import type { BudgetRules } from '../state/rules.ts'

export interface BudgetState {
  /** Settled, as the vendors told it or as what they told costs. */
  usd: number
  tokens: number
  /** Estimated for calls of unknown cost. */
  estimatedUsd: number
  unknown: number
  /** Costs of the last calls, newest last: the next one reserves as much as the most expensive of them. */
  recentUsd: number[]
  recentTokens: number[]
  /** Reserved for the calls in progress. */
  reserved: Record<WorkerId, number>
  reservedTokens: Record<WorkerId, number>
}

const RECENT = 3

export const UNSPENT_BUDGET: BudgetState = {
  usd: 0,
  tokens: 0,
  estimatedUsd: 0,
  unknown: 0,
  recentUsd: [],
  recentTokens: [],
  reserved: {},
  reservedTokens: {},
}

export type ReservationResult =
  | { ok: true; usd: number; tokens: number }
  | { ok: false; limit: 'cost_limit' | 'token_limit' | 'time_limit'; why: string }

/** What the next call must reserve, or which limit forbids it. */
export function computeReservation(budget: BudgetState, rules: BudgetRules, spentMs: Millis): ReservationResult {
  if (rules.minutes !== null && spentMs >= rules.minutes * 60_000) {
    return { ok: false, limit: 'time_limit', why: `the run used its ${rules.minutes} minutes` }
  }
  const tokens = Math.max(0, ...budget.recentTokens)
  const remainingTokens = leftOf(rules.tokens, committedTokens(budget))
  if (remainingTokens !== null && (remainingTokens <= 0 || tokens > remainingTokens)) {
    return { ok: false, limit: 'token_limit', why: whyTokens(budget, rules, tokens) }
  }
  const usd = likelyUsd(budget, rules)
  const remainingUsd = leftOf(rules.usd, committedUsd(budget))
  if (rules.usd !== null && remainingUsd !== null && usd > remainingUsd) {
    return {
      ok: false,
      limit: 'cost_limit',
      why: `${formatDollars(remainingUsd)} of ${formatDollars(rules.usd)} is left and the next iteration may cost ${formatDollars(usd)}`,
    }
  }
  return { ok: true, usd: Math.max(usd, stepOf(remainingUsd)), tokens: Math.max(tokens, stepOf(remainingTokens)) }
}

/** What a call may cost, by the last ones. */
function likelyUsd({ recentUsd }: BudgetState, rules: BudgetRules): number {
  if (recentUsd.length > 0) return Math.max(...recentUsd)
  // A budget below the usual reservation must still allow a first call.
  return rules.usd === null ? rules.reserveUsd : Math.min(rules.reserveUsd, rules.usd)
}

function whyTokens(budget: BudgetState, rules: BudgetRules, tokens: number): string {
  if (budget.tokens >= (rules.tokens ?? 0)) return `${budget.tokens} of ${rules.tokens} tokens are spent`
  const left = leftOf(rules.tokens, committedTokens(budget))
  return `${left} of ${rules.tokens} tokens are left and the next iteration may use ${tokens}`
}

function leftOf(limit: number | null, committed: number): number | null {
  return limit === null ? null : Math.max(0, limit - committed)
}

/** What an agent may use until its next report: it reports each tenth of its allowance. */
function stepOf(allowed: number | null): number {
  return allowed === null ? 0 : allowed / 10
}

export function withReservation(
  budget: BudgetState,
  worker: WorkerId,
  { usd, tokens }: { usd: number; tokens: number },
): BudgetState {
  return {
    ...budget,
    reserved: { ...budget.reserved, [worker]: usd },
    reservedTokens: { ...budget.reservedTokens, [worker]: tokens },
  }
}

/** Releases a worker's reservation. */
export function withoutReservation(budget: BudgetState, worker: WorkerId): BudgetState {
  const { [worker]: _usd, ...reserved } = budget.reserved
  const { [worker]: _tokens, ...reservedTokens } = budget.reservedTokens
  return { ...budget, reserved, reservedTokens }
}

/**
 * Reserves what an agent in flight has used so far and what it may use until its next report: otherwise several workers would
 * each be given nearly the whole budget. At its own allowance it is ended, so nothing more is reserved.
 */
export function growReservation(
  budget: BudgetState,
  worker: WorkerId,
  used: Usage,
  allowed: RemainingBudget,
): BudgetState {
  const grown = (reserved = 0, spent: number, limit: number | null): number =>
    limit === null ? reserved : Math.max(reserved, spent, Math.min(limit, spent + stepOf(limit)))
  return withReservation(budget, worker, {
    usd: grown(budget.reserved[worker], used.usd ?? 0, allowed.usd),
    tokens: grown(budget.reservedTokens[worker], countBudgetTokens(used), allowed.tokens),
  })
}

/** Spent and reserved money exceed the limit. */
export function isOverdrawn(budget: BudgetState, rules: BudgetRules): boolean {
  const over = (limit: number | null, committed: number): boolean => limit !== null && committed > limit + ROUNDING
  return over(rules.usd, committedUsd(budget)) || over(rules.tokens, committedTokens(budget))
}

/** Tolerance for sums of fractions. */
const ROUNDING = 1e-6

/** What a call used. `usage` null: unknown. */
export interface CallUsage {
  usage: Usage | null
  /** Ralph's process ended before the call did: its log shows what it used until then; the rest is unknown. */
  cutOff: boolean
}

/**
 * Gives the reservation back and books what the call used. Of one that was cut off, what its log told is spent for certain; up to what a
 * call is likely to cost the rest may have been spent unseen, so where money is limited the larger of the two counts.
 */
export function bookUsage(
  budget: BudgetState,
  rules: BudgetRules,
  worker: WorkerId,
  { usage, cutOff }: CallUsage,
): BudgetState {
  const others = withoutReservation(budget, worker)
  const usd = usage?.usd
  const tokens = usage === null ? 0 : countBudgetTokens(usage)
  const likely = budget.reserved[worker] === undefined ? 0 : likelyUsd(budget, rules)
  const unseen = usd === undefined ? likely : cutOff ? Math.max(0, likely - usd) : 0
  return {
    ...others,
    usd: budget.usd + (usd ?? 0),
    tokens: budget.tokens + tokens,
    estimatedUsd: budget.estimatedUsd + (rules.usd === null ? 0 : unseen),
    unknown: budget.unknown + (usd === undefined ? 1 : 0),
    // The cost of an interrupted call says little about a whole one.
    recentUsd: usd === undefined || cutOff ? budget.recentUsd : [...budget.recentUsd, usd].slice(-RECENT),
    recentTokens: tokens === 0 || cutOff ? budget.recentTokens : [...budget.recentTokens, tokens].slice(-RECENT),
  }
}

/** What an agent may still use in flight; null: as much as it likes. */
export interface RemainingBudget {
  usd: number | null
  tokens: number | null
}

/** The limit less all that is settled and reserved by others. */
export function computeRemainingBudget(budget: BudgetState, rules: BudgetRules, worker: WorkerId): RemainingBudget {
  const others = withoutReservation(budget, worker)
  return { usd: leftOf(rules.usd, committedUsd(others)), tokens: leftOf(rules.tokens, committedTokens(others)) }
}

/** How many tenths of its allowance an agent has used; at ten it is used up. */
export function spentTenths(usage: Usage, left: RemainingBudget): number {
  const share = Math.max(shareOf(usage.usd ?? 0, left.usd), shareOf(countBudgetTokens(usage), left.tokens))
  return Math.min(10, Math.floor(10 * share))
}

function shareOf(used: number, left: number | null): number {
  if (left === null) return 0
  return left === 0 ? 1 : used / left
}

/** The wall limit of an iteration is also the run's remaining time, so that minutes hold in flight too. */
export function capWallTime(wallMs: Millis, rules: BudgetRules, spentMs: AwakeMs): Millis {
  if (rules.minutes === null) return wallMs
  const left = Math.max(1, rules.minutes * 60_000 - spentMs)
  return wallMs === 0 ? left : Math.min(wallMs, left)
}

function committedUsd(budget: BudgetState): number {
  return Object.values(budget.reserved).reduce((sum, usd) => sum + usd, budget.usd + budget.estimatedUsd)
}

function committedTokens(budget: BudgetState): number {
  return Object.values(budget.reservedTokens).reduce((sum, tokens) => sum + tokens, budget.tokens)
}

/**
 * What counts against a token budget, in flight and settled alike: input that was read for the first time, stored in a cache or
 * not, and output, with reasoning in it. Claude stores nearly all of its input, so without cache writes its budget would measure
 * nothing. Cache reads are left out: the same text is read again with every message, and they would be a hundred times the rest.
 */
export function countBudgetTokens(usage: Usage): number {
  return (usage.input ?? 0) + (usage.cacheWrite ?? 0) + (usage.output ?? 0)
}
