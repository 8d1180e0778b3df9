/** Calls and tokens per wall-clock hour. What was used is read from the usage table, so it holds over restarts and worktrees. */
import type { Instant } from '../ids.ts'
import type { QuotaRules } from '../state/rules.ts'

export const HOUR_MS = 3_600_000

/** Used since the start of the hour, by every run of the project. */
export interface HourlyUsage {
  calls: number
  tokens: number
}

export type QuotaCheck = { admitted: true } | { admitted: false; until: Instant; why: string }

/** Everything used at or after this instant counts. Entries from the future (a clock set back) count too: a jump never refills. */
export function hourStart(at: Instant): Instant {
  return at - (at % HOUR_MS)
}

export function checkQuota(used: HourlyUsage, limits: QuotaRules, at: Instant): QuotaCheck {
  const until = hourStart(at) + HOUR_MS
  if (limits.callsPerHour > 0 && used.calls >= limits.callsPerHour) {
    return { admitted: false, until, why: `${used.calls} of ${limits.callsPerHour} calls used this hour` }
  }
  if (limits.tokensPerHour > 0 && used.tokens >= limits.tokensPerHour) {
    return { admitted: false, until, why: `${used.tokens} of ${limits.tokensPerHour} tokens used this hour` }
  }
  return { admitted: true }
}
