/** How a completion is proven. */
import { defineRule } from './rule.ts'

export const PROOF_SETTINGS = {
  required: defineRule({
    name: 'proof.required',
    kind: { is: 'boolean' },
    default: false,
    help: "Don't accept work as done unless the gates prove it (exit code 5)",
    changes: 'live',
  }),
  rejections: defineRule({
    name: 'proof.rejections',
    kind: { is: 'integer', min: 1 },
    default: 3,
    help: 'Rejected completions in a row that end a run',
    changes: 'live',
  }),
  baseline: defineRule({
    name: 'proof.baseline',
    kind: { is: 'choice', of: ['start', 'off'] },
    default: 'start',
    help: 'Run the gates once before the first iteration, to know which of them fail already',
    changes: 'replay',
  }),
  reruns: defineRule({
    name: 'proof.reruns',
    kind: { is: 'integer', min: 0 },
    default: 1,
    help: 'How often to rerun a failed gate; a pass after a failure must be confirmed by a second pass',
    changes: 'replay',
  }),
  level: defineRule({
    name: 'proof.level',
    kind: { is: 'choice', of: ['full', 'quick'] },
    default: 'full',
    help: 'full: check a completion in a clean room; quick: only run the gates in the working tree (never proves)',
    changes: 'replay',
  }),
  source: defineRule({
    name: 'proof.source',
    kind: { is: 'list' },
    default: [],
    help: 'Globs of the source folders; other files are protected (empty: detect them)',
  }),
  protect: defineRule({
    name: 'proof.protect',
    kind: { is: 'list' },
    default: [],
    help: 'More globs of protected files, in addition to tests and their configuration',
  }),
  mayChange: {
    tests: defineRule({
      name: 'proof.allow_tests',
      kind: { is: 'list' },
      default: [],
      help: 'Globs of tests that agents may add, change, move or delete without your review',
    }),
    protectedFiles: defineRule({
      name: 'proof.allow_protected',
      kind: { is: 'list' },
      default: [],
      help: 'Globs of other protected files (config, scripts, test data) that agents may change without your review',
    }),
  },
  trials: defineRule({
    name: 'proof.trials',
    kind: { is: 'integer', min: 0 },
    default: 12,
    help: 'Gate runs Ralph may spend to find out which protected changes the work needs (0: list all of them)',
    changes: 'replay',
  }),
  copy: defineRule({
    name: 'workspace.copy',
    kind: { is: 'list' },
    default: [],
    help: 'Git-ignored files or folders the gates need, such as `.env`; Ralph copies them to the clean room',
  }),
  quarantine: defineRule({
    name: 'proof.quarantine',
    kind: { is: 'list' },
    default: [],
    help: 'Names or globs of flaky tests; a gate that fails only because of them counts as passed',
    changes: 'replay',
  }),
  /** Null: derived from the lock files; `none` (`NO_SETUP`): no set-up. */
  setup: defineRule({
    name: 'proof.setup',
    kind: { is: 'text', or: 'auto' },
    default: null,
    help: 'Command that installs dependencies in the clean room (`npm ci`); auto: from the lock files; none: no setup',
  }),
  reviewer: defineRule({
    name: 'proof.reviewer',
    kind: { is: 'text', or: 'none' },
    default: null,
    help: "A second agent that reviews each completion; it can reject one, but it can't overrule a failed gate",
  }),
} as const
