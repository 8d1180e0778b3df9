/**
 * The circuit breaker: opens when nothing moves, so that a stuck agent costs three iterations and not a night.
 * Progress is measured change, newly ticked checkboxes or an accepted completion; the agent's own word never counts.
 */
import type { Instant } from '../ids.ts'
import type { AllowAdvice } from '../agent-output/reply.ts'
import type { BreakerRules } from '../state/rules.ts'

export type BreakerReason = 'no-progress' | 'same-error' | 'denials' | 'output-decline'

/** Each counts iterations in a row. */
export interface BreakerCounts {
  idle: number
  failed: number
  denied: number
  declined: number
}

export type Breaker = { counts: BreakerCounts; opens: number; changedAt: Instant } & (
  | { is: 'closed' }
  | { is: 'half-open'; reason: string }
  /** `said`: the error that it opened at; `allow`: how denied tools are let pass. */
  | { is: 'open'; openedAt: Instant; why: BreakerReason; reason: string; said?: string; allow?: AllowAdvice }
)

/** What one iteration means to the breaker. */
export interface BreakerInput {
  progress: boolean
  /** It asked a person something: neither progress nor a lack of it. */
  question: boolean
  /** It failed, or shows the very errors of the iteration before. */
  error: boolean
  /** What the error says, for the sentence of a breaker that opens. */
  said?: string
  denied: boolean
  /** How denied tools are let pass. */
  allow?: AllowAdvice | undefined
  /** Its output fell by more than the allowed share. */
  declined: boolean
}

const NONE: BreakerCounts = { idle: 0, failed: 0, denied: 0, declined: 0 }

export function closedBreaker(at: Instant): Breaker {
  return { is: 'closed', counts: NONE, opens: 0, changedAt: at }
}

/** The breaker after one more iteration. An open one stays open: only time or a person closes it. */
export function breakerAfterIteration(
  breaker: Breaker,
  moved: BreakerInput,
  rules: BreakerRules,
  at: Instant,
): Breaker {
  if (breaker.is === 'open') return breaker
  const counts = count(breaker.counts, moved)
  const trip = tripped(breaker, moved, counts, rules)
  if (trip !== null) {
    const said = moved.said === undefined || moved.said === '' ? {} : { said: moved.said.slice(0, SAID_MAX) }
    const allow = trip.why !== 'denials' || moved.allow === undefined ? {} : { allow: moved.allow }
    const opened = { changedAt: at, openedAt: at, ...trip, ...said, ...allow }
    return { is: 'open', counts, opens: breaker.opens + 1, ...opened }
  }
  if (breaker.is === 'half-open' && !moved.progress) return { ...breaker, counts }
  if (counts.idle >= rules.halfOpenAt && rules.halfOpenAt > 0) {
    return {
      is: 'half-open',
      counts,
      opens: breaker.opens,
      changedAt: at,
      reason: `${counts.idle} iterations without progress`,
    }
  }
  const changedAt = breaker.is === 'closed' ? breaker.changedAt : at
  return { is: 'closed', counts, opens: breaker.opens, changedAt }
}

function count(counts: BreakerCounts, moved: BreakerInput): BreakerCounts {
  const idle = moved.progress ? 0 : moved.question ? counts.idle : counts.idle + 1
  return {
    idle,
    failed: moved.error ? counts.failed + 1 : 0,
    denied: moved.denied ? counts.denied + 1 : 0,
    declined: moved.declined && !moved.progress ? counts.declined + 1 : 0,
  }
}

/** A single shorter answer says nothing; two in a row without progress do. */
const DECLINES = 2

const SAID_MAX = 200

function tripped(
  before: Breaker,
  moved: BreakerInput,
  counts: BreakerCounts,
  rules: BreakerRules,
): { why: BreakerReason; reason: string } | null {
  const { said = '', progress } = moved
  if (reached(counts.denied, rules.denials)) {
    const what = said === '' ? 'tools were denied' : `${said.slice(0, SAID_MAX)} was denied`
    return { why: 'denials', reason: `${what} in ${inARow(counts.denied)}` }
  }
  // After a cool-down it stands at its threshold: a question or a failed call adds nothing to it, and the trial is still to come.
  if (counts.idle > before.counts.idle && reached(counts.idle, rules.noProgress)) {
    return { why: 'no-progress', reason: `no changes in ${inARow(counts.idle)}` }
  }
  // Progress in a trial closes the breaker, whatever errors came with it.
  const recovers = before.is === 'half-open' && progress
  if (!recovers && reached(counts.failed, rules.sameError)) {
    // The sentence says which error first.
    const which = said === '' ? '' : `: ${said.slice(0, SAID_MAX)}`
    return { why: 'same-error', reason: `the same error in ${inARow(counts.failed)}${which}` }
  }
  if (rules.outputDecline > 0 && counts.declined >= DECLINES) {
    return {
      why: 'output-decline',
      reason: `output fell by more than ${rules.outputDecline}% twice in a row, with no progress`,
    }
  }
  return null
}

function inARow(n: number): string {
  return n === 1 ? 'one iteration' : `${n} iterations in a row`
}

/** A threshold of 0 switches its rule off. */
export function reached(value: number, threshold: number): boolean {
  return threshold > 0 && value >= threshold
}

/** After the cool-down an open breaker lets an iteration try. All counters stay, so one more of what had opened it opens it again,
 *  and progress closes it. A clock that went backwards keeps it open. */
export function halfOpenIfCooledDown(breaker: Breaker, rules: BreakerRules, at: Instant): Breaker {
  if (breaker.is !== 'open') return breaker
  const age = at - breaker.openedAt
  if (age < 0 || age < rules.cooldownMs) return breaker
  const minutes = Math.floor(age / 60_000)
  return {
    is: 'half-open',
    counts: breaker.counts,
    opens: breaker.opens,
    changedAt: at,
    reason: `cooldown over after ${minutes} min`,
  }
}

/** What a new run begins with: an open breaker of an earlier run is reset when the settings say so, else its cool-down counts. */
export function inheritBreaker(breaker: Breaker | null, rules: BreakerRules, at: Instant): Breaker {
  if (breaker === null) return closedBreaker(at)
  if (breaker.is === 'open' && rules.autoReset)
    return { is: 'closed', counts: NONE, opens: breaker.opens, changedAt: at }
  return halfOpenIfCooledDown(breaker, rules, at)
}

/** One line for the next prompt and the screens; null when there is nothing to say. */
export function describeBreaker(breaker: Breaker): string | null {
  return breaker.is === 'closed' ? null : `The breaker is ${breaker.is}: ${breaker.reason}.`
}
