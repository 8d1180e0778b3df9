/**
 * What `ralph set` may change while a run goes on. Everything else is fixed when the run starts, so that an agent that
 * edits a settings file changes nothing.
 */
import { HOUR, MINUTE, readValue, sayValue, type Kind, type Value, type ValueOf } from '../text/kind.ts'
import type { Rules } from './rules.ts'
import { suggest } from '../text/suggest.ts'

export type RulesChange = { rules: Rules; said: string } | { problem: string }

/** Puts one new value into the rules of a run, or says why it cannot be. */
export function change(rules: Rules, key: string, text: string): RulesChange {
  const rule = CHANGEABLE[key]
  if (!Object.hasOwn(CHANGEABLE, key) || rule === undefined) return { problem: notChangeable(key) }
  const reading = readValue(rule.kind, text.trim(), 'words')
  if (!reading.ok) return { problem: `${key}: ${reading.problem}` }
  const was = sayValue(rule.kind, rule.get(rules))
  const now = sayValue(rule.kind, reading.value)
  if (was === now) return { rules, said: `${key} is ${now} already` }
  return { rules: rule.put(rules, reading.value), said: `${key} is now ${now} (was ${was})` }
}

interface Changeable {
  kind: Kind
  get(rules: Rules): Value
  put(rules: Rules, value: Value): Rules
}

/** Names and bounds are those of the settings of the same name. */
export const CHANGEABLE: Readonly<Record<string, Changeable>> = {
  'agent.model': changeable('agent', {
    kind: { is: 'text', or: 'default' },
    get: (agent) => agent.model,
    put: (agent, model) => ({ ...agent, model }),
  }),
  'agent.effort': changeable('agent', {
    kind: { is: 'text', or: 'default' },
    get: (agent) => agent.effort,
    put: (agent, effort) => ({ ...agent, effort }),
  }),
  'agent.timeout': changeable('agent', {
    kind: { is: 'duration', unit: 'm', min: 0, max: 168 * HOUR },
    get: (agent) => agent.limits.wallMs,
    put: (agent, wallMs) => ({ ...agent, limits: { ...agent.limits, wallMs } }),
  }),
  'agent.idle': changeable('agent', {
    kind: { is: 'duration', unit: 'm', min: 0 },
    get: (agent) => agent.limits.idleMs,
    put: (agent, idleMs) => ({ ...agent, limits: { ...agent.limits, idleMs } }),
  }),
  'loop.max_iterations': changeable('loop', {
    kind: { is: 'integer', min: 0 },
    get: (loop) => loop.iterationsMax,
    put: (loop, iterationsMax) => ({
      ...loop,
      iterationsMax,
      ...(loop.once === true ? { once: false } : {}),
    }),
  }),
  'loop.pause': changeable('loop', {
    kind: { is: 'duration', unit: 's', min: 0 },
    get: (loop) => loop.pauseMs,
    put: (loop, pauseMs) => ({ ...loop, pauseMs }),
  }),
  'quota.calls_per_hour': changeable('quota', {
    kind: { is: 'integer', min: 0 },
    get: (quota) => quota.callsPerHour,
    put: (quota, callsPerHour) => ({ ...quota, callsPerHour }),
  }),
  'quota.tokens_per_hour': changeable('quota', {
    kind: { is: 'integer', min: 0 },
    get: (quota) => quota.tokensPerHour,
    put: (quota, tokensPerHour) => ({ ...quota, tokensPerHour }),
  }),
  'budget.usd': changeable('budget', {
    kind: { is: 'number', min: 0.01, or: 'none' },
    get: (budget) => budget.usd,
    put: (budget, usd) => ({ ...budget, usd }),
  }),
  'budget.tokens': changeable('budget', {
    kind: { is: 'integer', min: 1, or: 'none' },
    get: (budget) => budget.tokens,
    put: (budget, tokens) => ({ ...budget, tokens }),
  }),
  'budget.minutes': changeable('budget', {
    kind: { is: 'duration', unit: 'm', min: 1, or: 'none' },
    get: (budget) => (budget.minutes === null ? null : Math.round(budget.minutes * MINUTE)),
    put: (budget, ms) => ({ ...budget, minutes: ms === null ? null : ms / MINUTE }),
  }),
  'breaker.no_progress': changeable('breaker', {
    kind: { is: 'integer', min: 1 },
    get: (breaker) => breaker.noProgress,
    put: (breaker, noProgress) => ({ ...breaker, noProgress }),
  }),
  'breaker.same_error': changeable('breaker', {
    kind: { is: 'integer', min: 1 },
    get: (breaker) => breaker.sameError,
    put: (breaker, sameError) => ({ ...breaker, sameError }),
  }),
  'proof.required': changeable('proof', {
    kind: { is: 'boolean' },
    get: (proof) => proof.required,
    put: (proof, required) => ({ ...proof, required }),
  }),
  'proof.refusals': changeable('proof', {
    kind: { is: 'integer', min: 1 },
    get: (proof) => proof.refusals,
    put: (proof, refusals) => ({ ...proof, refusals }),
  }),
}

/** Ties one field of one group of rules to its kind; `readValue` keeps the promise that the value fits the kind. */
function changeable<Group extends keyof Rules, const K extends Kind>(
  group: Group,
  field: {
    kind: K
    get(rules: Rules[Group]): NoInfer<ValueOf<K>>
    put(rules: Rules[Group], value: NoInfer<ValueOf<K>>): Rules[Group]
  },
): Changeable {
  return {
    kind: field.kind,
    get: (rules) => field.get(rules[group]) as Value,
    put: (rules, value) => ({ ...rules, [group]: field.put(rules[group], value as ValueOf<K>) }),
  }
}

function notChangeable(key: string): string {
  const near = suggest(key, Object.keys(CHANGEABLE))
  const meant = near === null ? '' : ` Did you mean ${near}?`
  return `${key} cannot be changed during a run.${meant} These can: ${Object.keys(CHANGEABLE).join(', ')}`
}
