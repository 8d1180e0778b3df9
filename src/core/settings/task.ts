/** How a run works through tasks. */
import { defineRule } from './rule.ts'

export const TASK_SETTINGS = {
  maxRetries: defineRule({
    name: 'task.max_retries',
    kind: { is: 'integer', min: 0 },
    default: 3,
    help: 'How often a task is worked on again before it counts as failed; a task may say its own',
    changes: 'live',
  }),
  verify: defineRule({
    name: 'task.verify',
    kind: { is: 'boolean' },
    default: true,
    help: 'A second agent reads what was done for a task, after its gates passed; it can veto but never overrule a red gate',
    changes: 'live',
  }),
  failuresMax: defineRule({
    name: 'task.breaker',
    kind: { is: 'integer', min: 0 },
    default: 3,
    help: 'Tasks failed in a row, none done between, after which the run pauses; 0: never',
    changes: 'live',
  }),
  failed: defineRule({
    name: 'task.failed',
    kind: { is: 'choice', of: ['revert', 'keep'] },
    default: 'revert',
    help: 'A task that failed: put-back takes its work out of the tree and keeps it under a ref; keep leaves it where it is',
    changes: 'live',
  }),
  leaseMs: defineRule({
    name: 'task.lease',
    kind: { is: 'duration', unit: 's', min: 15 },
    default: 120_000,
    help: 'How long a task stays with a worker that gives no sign of life; the engine renews it all the time',
  }),
} as const
