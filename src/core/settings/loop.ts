/** Which prompt is sent, which plan is counted, how many iterations, and who commits. */
import { defineRule } from './rule.ts'

export const LOOP_SETTINGS = {
  prompt: defineRule({
    name: 'loop.prompt',
    kind: { is: 'text' },
    default: '.ralph/PROMPT.md',
    help: 'The prompt file, sent in every iteration; relative to the project',
  }),
  plan: defineRule({
    name: 'loop.plan',
    kind: { is: 'text', or: 'none' },
    default: '.ralph/fix_plan.md',
    help: 'The plan whose boxes are counted; relative to the project',
  }),
  iterationsMax: defineRule({
    name: 'loop.max_iterations',
    kind: { is: 'integer', min: 0, or: 'auto' },
    default: null,
    help: 'Iterations after which a run ends; 0: no limit; auto: 20 with a .ralph.toml of ours, none in projects of older tools',
    // A loop may never end by itself, and it costs money. Projects of the bash tool keep its behaviour: no limit (ADR 10).
    auto: { ours: 20, bash: 0, rust: 0 },
    changes: 'live',
  }),
  pauseMs: defineRule({
    name: 'loop.pause',
    kind: { is: 'duration', unit: 's', min: 0 },
    default: 0,
    help: 'Rest between two iterations',
    changes: 'live',
  }),
  commit: defineRule({
    name: 'loop.commit',
    kind: { is: 'choice', of: ['agent', 'iteration'] },
    default: 'agent',
    help: 'Who commits: the agent alone, or Ralph after each iteration that changed something',
    changes: 'replay',
  }),
  commitRequired: defineRule({
    name: 'commits.require',
    kind: { is: 'boolean' },
    default: false,
    help: 'Where the agent commits: a completion is refused while files are in no commit',
  }),
  optionalSections: defineRule({
    name: 'loop.optional_sections',
    kind: { is: 'list' },
    default: ['Optional', 'Future', 'Future Enhancements', 'Nice to Have'],
    help: 'Headings of the plan whose open boxes do not keep a run from being complete',
  }),
} as const
