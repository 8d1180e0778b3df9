/** What follows a failed call, by its kind: the only place that decides it for the loop, the screens and the simulator. */
import type { FailureKind } from '../calls/agent-io.ts'

export type RetryPolicy =
  /** The agent cools down until its reset; the next one in the order takes over meanwhile. */
  | 'cooldown'
  /** Waiting cannot cure it: this agent is not asked again in this run. */
  | 'elsewhere'
  /** Says nothing about the work: another agent, or wait with back-off up to `retry.outage`. */
  | 'outage'
  /** The conversation is at fault, not the agent: begin afresh. */
  | 'fresh-conversation'
  /** May come from the work or from the agent: it is tried again, and counts for the breaker. */
  | 'breaker'

const REMEDIES: Record<FailureKind, RetryPolicy> = {
  'usage-limit': 'cooldown',
  'rate-limit': 'cooldown',
  balance: 'elsewhere',
  authentication: 'elsewhere',
  permission: 'elsewhere',
  model: 'elsewhere',
  missing: 'elsewhere',
  network: 'outage',
  server: 'outage',
  'bad-conversation': 'fresh-conversation',
  'context-overflow': 'fresh-conversation',
  // A wrong flag stays wrong, but a conversation can also make a request bad.
  'bad-request': 'breaker',
  crash: 'breaker',
  killed: 'breaker',
  timeout: 'breaker',
  unknown: 'breaker',
}

export function retryPolicyFor(kind: FailureKind): RetryPolicy {
  return REMEDIES[kind]
}

/** Whether the iteration counts against the limits: not if neither the agent nor the work caused the failure. */
export function countsAsAttempt(retryPolicy: RetryPolicy): boolean {
  return retryPolicy === 'fresh-conversation' || retryPolicy === 'breaker'
}

/** What a person can do about an agent that waiting does not help; the vendor's own command if its driver knows one. */
export function failureAdvice(failure: { kind: FailureKind; fix?: string }): string | null {
  return failure.fix ?? CURES[failure.kind] ?? null
}

const CURES: Partial<Record<FailureKind, string>> = {
  balance: 'Top up the account or raise its spending limit.',
  authentication: 'Log in again, or set a valid key.',
  permission: 'Give the account access, or use another one.',
  model: 'Choose another model: --model NAME.',
  missing: 'Install it, or choose another agent: ralph agents.',
}
