/** What may be spent: per clock hour, and in all. */
import { MINUTE } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const QUOTA_SETTINGS = {
  callsPerHour: defineRule({
    name: 'quota.calls_per_hour',
    kind: { is: 'integer', min: 0 },
    default: 100,
    help: 'Iterations that may be started per clock hour; 0: no limit',
    changes: 'live',
  }),
  tokensPerHour: defineRule({
    name: 'quota.tokens_per_hour',
    kind: { is: 'integer', min: 0 },
    default: 0,
    help: 'Tokens (input and output) that may be used per clock hour; 0: no limit',
    changes: 'live',
  }),
} as const

/** Null: no limit. */
export const BUDGET_SETTINGS = {
  usd: defineRule({
    name: 'budget.usd',
    kind: { is: 'number', min: 0.01, or: 'none' },
    default: null,
    help: 'Money a run may spend, in US dollars; estimated from tokens where the agent does not tell it',
    changes: 'live',
  }),
  tokens: defineRule({
    name: 'budget.tokens',
    kind: { is: 'integer', min: 1, or: 'none' },
    default: null,
    help: 'Tokens a run may use: fresh input, stored in a cache or not, and output',
    changes: 'live',
  }),
  minutes: defineRule({
    name: 'budget.minutes',
    kind: { is: 'duration', unit: 'm', min: 1, or: 'none' },
    default: null,
    help: 'Time a run may take',
    per: MINUTE,
    changes: 'live',
  }),
  reserveUsd: defineRule({
    name: 'budget.reserve',
    kind: { is: 'number', min: 0 },
    default: 1,
    help: 'US dollars set aside for an iteration while nothing is known about what one costs',
    changes: 'replay',
  }),
} as const
