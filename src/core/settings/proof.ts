/** How a completion is proven. */
import { defineRule } from './rule.ts'

export const PROOF_SETTINGS = {
  required: defineRule({
    name: 'proof.required',
    kind: { is: 'boolean' },
    default: false,
    help: 'Work that no gate proves does not count as done (exit code 5)',
    changes: 'live',
  }),
  rejections: defineRule({
    name: 'proof.rejections',
    kind: { is: 'integer', min: 1 },
    default: 3,
    help: 'Refused completions in a row that end a run',
    changes: 'live',
  }),
  baseline: defineRule({
    name: 'proof.baseline',
    kind: { is: 'choice', of: ['start', 'off'] },
    default: 'start',
    help: 'Run the gates once before the first iteration, so that nobody is blamed for what was red already',
    changes: 'replay',
  }),
  reruns: defineRule({
    name: 'proof.reruns',
    kind: { is: 'integer', min: 0 },
    default: 1,
    help: 'How often a failed gate is run again; a pass after a failure needs a second one in a row',
    changes: 'replay',
  }),
  level: defineRule({
    name: 'proof.level',
    kind: { is: 'choice', of: ['full', 'quick'] },
    default: 'full',
    help: 'full: a completion is judged by trial in a clean room; quick: the gates in the working tree, which prove nothing',
    changes: 'replay',
  }),
  source: defineRule({
    name: 'proof.source',
    kind: { is: 'list' },
    default: [],
    help: 'Globs of the source folders: code in them is work, the rest judges it. Empty: found in the project',
  }),
  protect: defineRule({
    name: 'proof.protect',
    kind: { is: 'list' },
    default: [],
    help: 'More globs of files that judge the work, besides the usual places of tests and their configuration',
  }),
  mayChange: {
    tests: defineRule({
      name: 'proof.allow_tests',
      kind: { is: 'list' },
      default: [],
      help: 'Globs of tests that may be changed, moved, deleted or added even where the work passes only with that',
    }),
    protectedFiles: defineRule({
      name: 'proof.allow_protected',
      kind: { is: 'list' },
      default: [],
      help: 'The same for whatever judges the work: globs of configuration, scripts, test data, tools',
    }),
  },
  trials: defineRule({
    name: 'proof.trials',
    kind: { is: 'integer', min: 0 },
    default: 12,
    help: 'Runs of the gates that the search for the changes a completion needs may take; 0: none, all are named',
    changes: 'replay',
  }),
  copy: defineRule({
    name: 'workspace.copy',
    kind: { is: 'list' },
    default: [],
    help: 'Files and folders that git ignores and the gates need, such as `.env`: the clean room gets them as the run found them',
  }),
  quarantine: defineRule({
    name: 'proof.quarantine',
    kind: { is: 'list' },
    default: [],
    help: 'Names (globs) of tests known to be flaky: a gate that fails only by them counts as passed',
    changes: 'replay',
  }),
  /** Null: derived from the lock files; `none` (`NO_SETUP`): no set-up. */
  setup: defineRule({
    name: 'proof.setup',
    kind: { is: 'text', or: 'auto' },
    default: null,
    help: 'The command that brings the tools into the clean room (`npm ci`); auto: found by the lock files, none: no set-up',
  }),
  reviewer: defineRule({
    name: 'proof.reviewer',
    kind: { is: 'text', or: 'none' },
    default: null,
    help: 'An agent that must agree that the work is done; it reads only, and can veto but never overrule a red gate',
  }),
} as const
