/** Which agent is called next while some cool down or cannot be reached, and how long to wait when all do. */
import type { LimitKind } from '../calls/agent-io.ts'
import type { AwakeMs, Instant, Millis, Now } from '../ids.ts'
import type { RetryRules, Rules } from '../state/rules.ts'

/** Why an agent is not asked for a while. Kept until it answers again, so that the back-off grows. */
export type Cooldown = {
  /** When it may be tried again. */
  until: Instant
  /** Failed calls in a row that led here. */
  tries: number
} & (
  | { is: LimitKind }
  /** Awake time counts: a laptop that slept for a night was in no outage. */
  | { is: 'outage'; why: string; since: Instant; sinceUp: AwakeMs; untilUp: AwakeMs }
)

type Outage = Extract<Cooldown, { is: 'outage' }>

/** By credential: agents of one account share its cooldown. */
export type Cooldowns = Record<string, Cooldown>

/** The account that an agent's calls go to; by itself each has its own. */
export function credentialOf(rules: Pick<Rules, 'agent'>, agent: string): string {
  return rules.agent.credentials?.[agent] ?? agent
}

/** The same by the agents' names. */
export function cooldownsByAgent(
  run: { rules: Pick<Rules, 'agent'>; cooldowns: Cooldowns },
  agents: string[],
): Cooldowns {
  return Object.fromEntries(
    agents.flatMap((agent) => {
      const rest = run.cooldowns[credentialOf(run.rules, agent)]
      return rest === undefined ? [] : [[agent, rest]]
    }),
  )
}

export type AgentChoice = { agent: string } | { agent: null; until: Instant }

/** The first agent in the user's order that is free. An agent whose reset has passed is free again, so the first one is
 *  tried again by itself after its reset. */
export function chooseAgent(order: string[], cooldowns: Cooldowns, now: Now): AgentChoice {
  const free = order.find((name) => isCooldownOver(cooldowns[name], now))
  if (free !== undefined) return { agent: free }
  return { agent: null, until: Math.min(...order.map((name) => cooldowns[name]?.until ?? now.at)) }
}

export function isCooldownOver(rest: Cooldown | undefined, now: Now): boolean {
  if (rest === undefined || rest.until <= now.at) return true
  return rest.is === 'outage' && rest.untilUp <= now.up
}

/** When a limited agent may be tried again: as announced, else the long wait. A mere rate limit backs off instead, and so does a
 *  limit whose announced reset has passed already: it should be over, but the vendor's clock may not be ours. */
export function cooldownForLimit(
  limit: { kind: LimitKind; resetsAt?: Instant },
  before: Cooldown | undefined,
  rules: RetryRules,
  at: Instant,
): Cooldown {
  const tries = before?.is === limit.kind ? before.tries + 1 : 1
  const rest = (until: Instant): Cooldown => ({ is: limit.kind, until, tries })
  if (limit.resetsAt !== undefined && limit.resetsAt > at) return rest(limit.resetsAt)
  if (limit.resetsAt !== undefined || limit.kind === 'rate-limit') return rest(at + backOffDelay(tries, rules))
  return rest(at + rules.limitWaitMs)
}

/** One more call that did not get through. */
export function cooldownForOutage(why: string, before: Cooldown | undefined, rules: RetryRules, now: Now): Outage {
  const known = before?.is === 'outage' ? before : { since: now.at, sinceUp: now.up, tries: 0 }
  const tries = known.tries + 1
  const delay = backOffDelay(tries, rules)
  return {
    is: 'outage',
    why,
    since: known.since,
    sinceUp: known.sinceUp,
    until: now.at + delay,
    untilUp: now.up + delay,
    tries,
  }
}

export function withoutOutageCooldowns(cooldowns: Cooldowns): Cooldowns {
  return Object.fromEntries(Object.entries(cooldowns).filter(([, rest]) => rest.is !== 'outage'))
}

/** Since when no agent can be reached, and when the next one is tried. */
export interface TotalOutage extends Pick<Outage, 'since' | 'sinceUp'> {
  nextUp: AwakeMs
}

/** Null: an agent can be reached, or only waits for its reset. */
export function findTotalOutage(order: string[], cooldowns: Cooldowns): TotalOutage | null {
  const outages = order.map((name) => cooldowns[name]).filter((rest) => rest?.is === 'outage')
  if (outages.length < order.length) return null
  const last = outages.reduce((a, b) => (b.sinceUp > a.sinceUp ? b : a))
  return { since: last.since, sinceUp: last.sinceUp, nextUp: Math.min(...outages.map((one) => one.untilUp)) }
}

/** 5 s, 10 s, 20 s … up to five minutes. */
export function backOffDelay(failures: number, rules: RetryRules): Millis {
  return Math.min(rules.maxMs, rules.firstMs * 2 ** Math.max(0, Math.min(failures, 30) - 1))
}

/** "claude hit its usage limit; codex cannot be reached (overloaded)". */
export function describeCooldowns(order: string[], cooldowns: Cooldowns): string {
  return order.map((name) => `${name} ${describeCooldown(cooldowns[name])}`).join('; ')
}

function describeCooldown(rest: Cooldown | undefined): string {
  switch (rest?.is) {
    case 'usage-limit':
      return 'hit its usage limit'
    case 'rate-limit':
      return 'is rate-limited'
    case 'outage':
      return `cannot be reached (${rest.why})`
    case undefined:
      return 'is available'
  }
}
