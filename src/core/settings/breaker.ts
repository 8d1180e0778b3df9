/** What opens the breaker, and for how long. */
import { MINUTE } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const BREAKER_SETTINGS = {
  noProgress: defineRule({
    name: 'breaker.no_progress',
    kind: { is: 'integer', min: 1 },
    default: 3,
    help: 'Iterations in a row without progress that open the breaker',
    changes: 'live',
  }),
  sameError: defineRule({
    name: 'breaker.same_error',
    kind: { is: 'integer', min: 1 },
    default: 5,
    help: 'Iterations in a row with the same error that open the breaker',
    changes: 'live',
  }),
  denials: defineRule({
    name: 'breaker.denials',
    kind: { is: 'integer', min: 1 },
    default: 2,
    help: 'Iterations in a row with a denied tool that open the breaker',
    changes: 'replay',
  }),
  /** Counts only without progress, twice in a row. */
  outputDecline: defineRule({
    name: 'breaker.output_decline',
    kind: { is: 'integer', min: 0, max: 100 },
    default: 70,
    help: 'Percent by which the agent must say less than before to count as declining; 0: never',
    changes: 'replay',
  }),
  halfOpenAt: defineRule({
    name: 'breaker.half_open',
    kind: { is: 'integer', min: 1 },
    default: 2,
    help: 'Iterations in a row without progress after which the breaker warns the agent',
    changes: 'replay',
  }),
  cooldownMs: defineRule({
    name: 'breaker.cooldown',
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 30 * MINUTE,
    help: 'How long an open breaker stays open before one more try',
    changes: 'replay',
  }),
  autoReset: defineRule({
    name: 'breaker.auto_reset',
    kind: { is: 'boolean' },
    default: false,
    help: 'Close an open breaker at the start of a run without waiting',
    changes: 'replay',
  }),
  wait: defineRule({
    name: 'breaker.wait',
    kind: { is: 'boolean' },
    default: false,
    help: 'Wait for an open breaker to cool down inside the run instead of ending it',
    changes: 'replay',
  }),
} as const
