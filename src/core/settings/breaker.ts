/** What opens the breaker, and for how long. */
import { MINUTE } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const BREAKER_SETTINGS = {
  noProgress: defineRule({
    name: 'breaker.no_progress',
    kind: { is: 'integer', min: 1 },
    default: 3,
    help: 'Iterations in a row without progress that open the circuit breaker',
    changes: 'live',
  }),
  sameError: defineRule({
    name: 'breaker.same_error',
    kind: { is: 'integer', min: 1 },
    default: 5,
    help: 'Iterations in a row with the same error that open the circuit breaker',
    changes: 'live',
  }),
  denials: defineRule({
    name: 'breaker.denials',
    kind: { is: 'integer', min: 1 },
    default: 2,
    help: 'Iterations in a row with a denied tool that open the circuit breaker',
    changes: 'replay',
  }),
  /** Counts only without progress, twice in a row. */
  outputDecline: defineRule({
    name: 'breaker.output_decline',
    kind: { is: 'integer', min: 0, max: 100 },
    default: 70,
    help: "Drop in the agent's output, in percent, that counts as declining (0: never)",
    changes: 'replay',
  }),
  halfOpenAt: defineRule({
    name: 'breaker.half_open',
    kind: { is: 'integer', min: 1 },
    default: 2,
    help: 'Iterations in a row without progress after which Ralph warns the agent',
    changes: 'replay',
  }),
  cooldownMs: defineRule({
    name: 'breaker.cooldown',
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 30 * MINUTE,
    help: 'How long the circuit breaker stays open before the next try',
    changes: 'replay',
  }),
  autoReset: defineRule({
    name: 'breaker.auto_reset',
    kind: { is: 'boolean' },
    default: false,
    help: 'Close an open circuit breaker when a run starts',
    changes: 'replay',
  }),
  wait: defineRule({
    name: 'breaker.wait',
    kind: { is: 'boolean' },
    default: false,
    help: 'Wait for an open circuit breaker to cool down instead of ending the run',
    changes: 'replay',
  }),
} as const
