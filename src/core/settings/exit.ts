/** What ends a run, and how failed calls are retried. */
import { HOUR, MINUTE, SECOND } from '../text/value-kind.ts'
import { defineRule } from './rule.ts'

export const EXIT_SETTINGS = {
  testOnly: defineRule({
    name: 'exit.test_only',
    kind: { is: 'integer', min: 1 },
    default: 3,
    help: 'Iterations that only ran tests which end a run',
    changes: 'replay',
  }),
  doneSignals: defineRule({
    name: 'exit.done_signals',
    kind: { is: 'integer', min: 1 },
    default: 2,
    help: 'Replies that claim completion without an explicit exit signal which end a run',
    changes: 'replay',
  }),
  safety: defineRule({
    name: 'exit.safety',
    kind: { is: 'integer', min: 1 },
    default: 5,
    help: 'Exit signals that end a run in any case, as incomplete',
    changes: 'replay',
  }),
  /** Stays null for `auto`: only the run knows whether it has gates. */
  confirm: defineRule({
    name: 'exit.confirm',
    kind: { is: 'integer', min: 1, or: 'auto' },
    default: null,
    help: 'Explicit exit signals needed to end a run; auto: 1 where gates prove it, else 2',
    changes: 'replay',
  }),
  plan: defineRule({
    name: 'exit.plan',
    kind: { is: 'choice', of: ['require', 'ignore'] },
    default: 'require',
    help: 'Whether open boxes in the plan refuse a completion',
    changes: 'replay',
  }),
  denial: defineRule({
    name: 'exit.denial',
    kind: { is: 'choice', of: ['halt', 'threshold', 'continue'], or: 'auto' },
    default: null,
    help: 'What a denied tool does: halt, threshold (told, counted), continue (told); auto: halt in bash projects, else threshold',
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
    help: 'Wait after the first failure of the agent; doubles with each further one',
    changes: 'replay',
  }),
  maxMs: defineRule({
    name: 'retry.max',
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 5 * MINUTE,
    help: 'The longest wait between two tries',
    changes: 'replay',
  }),
  limitWaitMs: defineRule({
    name: 'retry.limit_wait',
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 60 * MINUTE,
    help: 'Wait after a usage limit that names no time of reset',
    changes: 'replay',
  }),
  outageMs: defineRule({
    name: 'retry.outage',
    kind: { is: 'duration', unit: 'm', min: 0 },
    default: 2 * HOUR,
    help: 'How long an outage of all agents is waited out (0: not at all) before the run is left unfinished, exit code 4',
  }),
} as const
