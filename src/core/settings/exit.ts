/** What ends a run, and how failed calls are retried. */
import { HOUR, MINUTE, SECOND } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const EXIT_SETTINGS = {
  testOnly: defineRule({
    name: 'exit.test_only',
    kind: { is: 'integer', min: 1 },
    default: 3,
    help: 'Iterations in a row that only ran tests, after which the run ends',
    changes: 'replay',
  }),
  doneSignals: defineRule({
    name: 'exit.done_signals',
    kind: { is: 'integer', min: 1 },
    default: 2,
    help: 'Replies that claim completion without an exit signal, after which the run ends',
    changes: 'replay',
  }),
  safety: defineRule({
    name: 'exit.safety',
    kind: { is: 'integer', min: 1 },
    default: 5,
    help: 'Exit signals after which a run always ends (as incomplete)',
    changes: 'replay',
  }),
  /** Stays null for `auto`: only the run knows whether it has gates. */
  confirm: defineRule({
    name: 'exit.confirm',
    kind: { is: 'integer', min: 1, or: 'auto' },
    default: null,
    help: 'Exit signals needed to end a run (auto: 1 with gates, 2 without)',
    changes: 'replay',
  }),
  plan: defineRule({
    name: 'exit.plan',
    kind: { is: 'choice', of: ['require', 'ignore'] },
    default: 'require',
    help: 'Whether open plan items block completion',
    changes: 'replay',
  }),
  denial: defineRule({
    name: 'exit.denial',
    kind: { is: 'choice', of: ['halt', 'threshold', 'continue'], or: 'auto' },
    default: null,
    help: 'On a denied tool: halt, threshold (warn, count) or continue (warn); auto: halt for bash Ralph, else threshold',
    // In projects of the bash tool a denied tool ends the run, as the bash tool does (ADR 22).
    auto: { ours: 'threshold', bash: 'halt', rust: 'threshold' },
    changes: 'replay',
  }),
} as const

export const RETRY_SETTINGS = {
  firstMs: defineRule({
    name: 'retry.first',
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 5 * SECOND,
    help: "Wait after the agent's first failure; doubles with each further one",
    changes: 'replay',
  }),
  maxMs: defineRule({
    name: 'retry.max',
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 5 * MINUTE,
    help: 'Longest wait between two tries',
    changes: 'replay',
  }),
  limitWaitMs: defineRule({
    name: 'retry.limit_wait',
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 60 * MINUTE,
    help: "Wait after a usage limit if the agent doesn't report a reset time",
    changes: 'replay',
  }),
  outageMs: defineRule({
    name: 'retry.outage',
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 2 * HOUR,
    help: "How long to wait if every agent is down (0: don't wait); then the run stops with exit code 4",
  }),
} as const
