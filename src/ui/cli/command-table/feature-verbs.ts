/** Commands that list, show, accept, delete or reopen features. */
import { defineCommand, defineCommandRow, type Command } from '../framework/command.ts'
import { FEATURE_DOCUMENTS } from '../../../core/features/documents.ts'
import { JSON_FLAG, TRUST_FLAG, YES_FLAG } from './shared-flags.ts'

const FEATURE = { says: 'FEATURE', takes: 'one', offers: 'features' } as const

export const FEATURE_LIST = defineCommandRow({
  name: 'list',
  summary: 'List features with their documents and progress',
  flags: { json: JSON_FLAG },
  about: `Includes drafts that came with the repository; they have no tasks until you
accept them.`,
  examples: [['ralph feature list', 'same as `ralph feature`']],
  touches: 'reads',
})

export const FEATURE_SHOW = defineCommandRow({
  name: 'show',
  summary: 'Show one feature in detail, and the next step',
  args: { feature: FEATURE },
  flags: { json: JSON_FLAG },
  about: `Tasks that are not accepted yet are shown as a tree, with the problems found.
With --json: its \`documents\` and the \`draft\` (tasks, problems, and what
accepting it would change).`,
  examples: [
    ['ralph feature show checkout', 'by name or ID'],
    ['ralph feature show checkout --json', 'for scripts'],
  ],
  touches: 'reads',
})

export const FEATURE_ACCEPT = defineCommandRow({
  name: 'accept',
  summary: 'Review the drafted tasks of a feature and add them',
  args: { feature: FEATURE },
  flags: {
    yes: { short: 'y', help: "Don't prompt: accept unless there is an error" },
    trust: TRUST_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `Shows tasks.json as a tree, with problems, the commands that would run as
checks, and the tests that may change. Then you accept it, edit it or decide
later. All tasks are added, or none. Without a terminal it needs --yes, and
--trust for new commands. Accepting a changed document again adds new tasks,
updates open ones and deletes missing ones; finished tasks stay.
Exit code 1: the document has errors, or changed while you reviewed it.`,
  examples: [
    ['ralph feature accept checkout', 'review, then decide'],
    ['ralph feature accept checkout --yes --trust', 'in a script'],
  ],
  touches: 'writes store',
})

export const FEATURE_DELETE = defineCommandRow({
  name: 'delete',
  summary: 'Delete a feature and its unfinished tasks',
  args: { feature: FEATURE },
  flags: {
    unblock: { help: 'Delete it even if other tasks depend on its tasks, and unblock those' },
    yes: YES_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `Asks first; without a terminal it needs --yes. Fails while an agent works on
one of its tasks. Finished tasks stay, without a feature; started ones are
archived. Its documents move to .ralph/features/.deleted.`,
  examples: [
    ['ralph feature delete checkout', 'see what it deletes, then decide'],
    ['ralph feature delete checkout --unblock --yes', 'without asking'],
  ],
  touches: 'holds workspace',
})

export const FEATURE_REOPEN = defineCommandRow({
  name: 'reopen',
  summary: 'Reopen a feature for drafting, and choose what to rewrite',
  args: { feature: FEATURE },
  flags: {
    from: {
      value: 'DOCUMENT',
      of: FEATURE_DOCUMENTS,
      help: `Rewrite this document and the ones after it: ${FEATURE_DOCUMENTS.join(', ')}`,
    },
    json: JSON_FLAG,
  },
  outside: true,
  about: `Makes it a draft again; \`ralph feature create FEATURE\` continues it. Ralph saves
the old document with the time in its name. The tasks stay until you accept
another draft.`,
  examples: [
    ['ralph feature reopen checkout --from tasks', 'same spec and plan, new tasks'],
    ['ralph feature reopen checkout --from spec', 'from scratch'],
  ],
  touches: 'holds workspace',
})

export const FEATURE_VERBS: readonly Command[] = [
  defineCommand(FEATURE_LIST, () => import('../commands/feature/features.ts'), 'list'),
  defineCommand(FEATURE_SHOW, () => import('../commands/feature/features.ts'), 'show'),
  defineCommand(FEATURE_ACCEPT, () => import('../commands/feature/features.ts'), 'accept'),
  defineCommand(FEATURE_DELETE, () => import('../commands/feature/features.ts'), 'remove'),
  defineCommand(FEATURE_REOPEN, () => import('../commands/feature/features.ts'), 'reopen'),
]
