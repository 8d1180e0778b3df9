/** What may be spent: per clock hour, and in all. */
import { MINUTE } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const QUOTA_SETTINGS = {
  callsPerHour: defineRule({
    name: 'quota.calls_per_hour',
    kind: { is: 'integer', min: 0 },
    default: 100,
    help: 'Iterations per clock hour (0: no limit)',
    changes: 'live',
  }),
  tokensPerHour: defineRule({
    name: 'quota.tokens_per_hour',
    kind: { is: 'integer', min: 0 },
    default: 0,
    help: 'Input and output tokens per clock hour (0: no limit)',
    changes: 'live',
  }),
} as const

/** Null: no limit. */
export const BUDGET_SETTINGS = {
  usd: defineRule({
    name: 'budget.usd',
    kind: { is: 'number', min: 0.01, or: 'none' },
    default: null,
    help: "Spending limit per run in US dollars; estimated from tokens if the agent doesn't report cost",
    changes: 'live',
  }),
  tokens: defineRule({
    name: 'budget.tokens',
    kind: { is: 'integer', min: 1, or: 'none' },
    default: null,
    help: 'Token limit per run: new input (cached or not) and output',
    changes: 'live',
  }),
  minutes: defineRule({
    name: 'budget.minutes',
    kind: { is: 'duration', unit: 'm', min: 1, or: 'none' },
    default: null,
    help: 'Time limit per run',
    per: MINUTE,
    changes: 'live',
  }),
  reserveUsd: defineRule({
    name: 'budget.reserve',
    kind: { is: 'number', min: 0 },
    default: 1,
    help: 'US dollars to reserve for the next iteration until Ralph knows what one costs',
    changes: 'replay',
  }),
} as const
