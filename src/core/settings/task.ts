/** How a run works through tasks. */
import { defineRule } from './rule.ts'

export const TASK_SETTINGS = {
  maxRetries: defineRule({
    name: 'task.max_retries',
    kind: { is: 'integer', min: 0 },
    default: 3,
    help: 'How often to retry a task before it fails; a task can set its own number',
    changes: 'live',
  }),
  giveUps: defineRule({
    name: 'task.give_ups',
    kind: { is: 'integer', min: 0 },
    default: 1,
    help: "How often to ask again when an agent says that its task can't be done (within `task.max_retries`)",
    changes: 'live',
  }),
  verify: defineRule({
    name: 'task.verify',
    kind: { is: 'boolean' },
    default: true,
    help: "Have a second agent review each task after its gates pass; it can't overrule a failed gate",
    changes: 'live',
  }),
  failuresMax: defineRule({
    name: 'task.breaker',
    kind: { is: 'integer', min: 0 },
    default: 3,
    help: 'Failed tasks in a row after which the run pauses (0: never)',
    changes: 'live',
  }),
  failed: defineRule({
    name: 'task.failed',
    kind: { is: 'choice', of: ['revert', 'keep'] },
    default: 'revert',
    help: 'Work of a failed task: revert (and save it under a git ref), or keep it in the tree',
    changes: 'live',
  }),
  leaseMs: defineRule({
    name: 'task.lease',
    kind: { is: 'duration', unit: 's', min: 15 },
    default: 120_000,
    help: 'How long a worker without a heartbeat keeps its task',
  }),
} as const
