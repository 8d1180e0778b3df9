/** Which agent works next when some of them are at their limit, and how long to wait when all are. */
import type { FailureKind } from '../agent.ts'
import type { Instant, Millis } from '../ids.ts'
import type { RetryRules } from '../rules.ts'

/** Agents at their limit, and until when. */
export type Limited = Record<string, Instant>

export type Choice = { agent: string } | { agent: null; until: Instant }

/** The first agent in the user's order that is free. An agent whose reset has passed is free again, so the first one is
 *  tried again by itself after its reset. */
export function chooseAgent(order: string[], limited: Limited, at: Instant): Choice {
  const free = order.find((name) => (limited[name] ?? 0) <= at)
  if (free !== undefined) return { agent: free }
  return { agent: null, until: Math.min(...order.map((name) => limited[name] ?? at)) }
}

const LIMITS: ReadonlySet<FailureKind> = new Set<FailureKind>(['usage-limit', 'rate-limit', 'quota'])

export function isLimit(kind: FailureKind): boolean {
  return LIMITS.has(kind)
}

/** When a limited agent may be tried again: as announced, else the long wait. A mere rate limit backs off instead, and so does a
 *  limit whose announced reset has passed already: it should be over, but the vendor's clock may not be ours. */
export function limitedUntil(
  limit: { kind: FailureKind; resetsAt?: Instant; failures: number },
  rules: RetryRules,
  at: Instant,
): Instant {
  if (limit.resetsAt !== undefined && limit.resetsAt > at) return limit.resetsAt
  if (limit.resetsAt !== undefined || limit.kind === 'rate-limit') return at + backOff(limit.failures, rules)
  return at + rules.limitWaitMs
}

/** 5 s, 10 s, 20 s … up to five minutes. */
export function backOff(failures: number, rules: RetryRules): Millis {
  return Math.min(rules.maxMs, rules.firstMs * 2 ** Math.max(0, Math.min(failures, 30) - 1))
}
