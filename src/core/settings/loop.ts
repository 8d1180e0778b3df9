/** Which prompt is sent, which plan is counted, how many iterations, and who commits. */
import { defineRule } from './rule.ts'

export const LOOP_SETTINGS = {
  prompt: defineRule({
    name: 'loop.prompt',
    kind: { is: 'text' },
    default: '.ralph/PROMPT.md',
    help: 'Prompt file for every iteration, relative to the project',
  }),
  plan: defineRule({
    name: 'loop.plan',
    kind: { is: 'text', or: 'none' },
    default: '.ralph/fix_plan.md',
    help: 'Plan file with the items to do, relative to the project',
  }),
  iterationsMax: defineRule({
    name: 'loop.max_iterations',
    kind: { is: 'integer', min: 0, or: 'auto' },
    default: null,
    help: 'Iterations per run (0: no limit; auto: 20, or unlimited in projects of older tools)',
    // A loop may never end by itself, and it costs money. Projects of the bash tool keep its behaviour: no limit (ADR 10).
    auto: { ours: 20, bash: 0, rust: 0 },
    changes: 'live',
  }),
  pauseMs: defineRule({
    name: 'loop.pause',
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 0,
    help: 'Pause between two iterations',
    changes: 'live',
  }),
  commit: defineRule({
    name: 'loop.commit',
    kind: { is: 'choice', of: ['agent', 'iteration'] },
    default: 'agent',
    help: 'Who commits: the agent, or Ralph after each iteration that changed something',
    changes: 'replay',
  }),
  commitRequired: defineRule({
    name: 'commits.require',
    kind: { is: 'boolean' },
    default: false,
    help: 'Reject a completion while files are uncommitted (if the agent commits)',
  }),
  optionalSections: defineRule({
    name: 'loop.optional_sections',
    kind: { is: 'list' },
    default: ['Optional', 'Future', 'Future Enhancements', 'Nice to Have'],
    help: "Plan headings whose open items don't block completion",
  }),
} as const
