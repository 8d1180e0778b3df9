/** Commands that list, show, accept, delete or reopen features. */
import { defineCommand, defineCommandRow, type Command } from '../framework/command.ts'
import { FEATURE_DOCUMENTS } from '../../../core/features/documents.ts'
import { JSON_FLAG, TRUST_FLAG } from './shared-flags.ts'

const FEATURE = { says: 'FEATURE', takes: 'one', offers: 'features' } as const

export const FEATURE_LIST = defineCommandRow({
  name: 'list',
  summary: 'Features, how their tasks stand and which papers they have',
  flags: { json: JSON_FLAG },
  about: 'Papers that came with the repository are listed too, with no tasks until they are accepted.',
  examples: [['ralph feature list', 'all of them; `ralph feature` alone does the same']],
  touches: 'reads',
})

export const FEATURE_SHOW = defineCommandRow({
  name: 'show',
  summary: 'One feature from near: its papers, what is wrong with them, and what to do next',
  args: { feature: FEATURE },
  flags: { json: JSON_FLAG },
  about: `A document that is not accepted as it lies there is shown as a tree, with what the critic says.
With --json: \`papers\`, and of such a document its \`draft\`: tasks, problems, findings and what accepting it would change.`,
  examples: [
    ['ralph feature show checkout', 'by its name or id'],
    ['ralph feature show checkout --json', 'for a program'],
  ],
  touches: 'reads',
})

export const FEATURE_ACCEPT = defineCommandRow({
  name: 'accept',
  summary: 'Look at the drafted tasks of a feature, and add them',
  args: { feature: FEATURE },
  flags: {
    yes: { short: 'y', help: 'Do not ask: accept it unless the critic finds an error' },
    trust: TRUST_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `Shows .ralph/features/FEATURE/tasks.json as a tree, with what the critic says, the commands that would be run as checks and the tests that may be changed. Then
you accept it, edit it in $VISUAL or $EDITOR, or leave it. All of its tasks are added, or none. Without a terminal it wants --yes, and commands
that nobody trusted want --trust, as everywhere.
A second time nothing is added. A document that changed since then adds what is new, changes what is not done, and deletes what it no longer
has; what is done stays. Exit code 1 for a document with errors, or one that changed while you looked at it.`,
  examples: [
    ['ralph feature accept checkout', 'look, then decide'],
    ['ralph feature accept checkout --yes --trust', 'in a script'],
  ],
  touches: 'writes store',
})

export const FEATURE_DELETE = defineCommandRow({
  name: 'delete',
  summary: 'Delete a feature with its tasks that are not done',
  args: { feature: FEATURE },
  flags: {
    unblock: { help: 'Also if tasks of others wait for one of its: they wait no longer' },
    yes: { short: 'y', help: 'Do not ask' },
    json: JSON_FLAG,
  },
  outside: true,
  about: `Asks first; without a terminal it wants --yes. Refused while somebody works on one of its tasks. Tasks that are done stay, without a feature; of the others
those that were worked on are archived. Its papers are moved to .ralph/features/.deleted.`,
  examples: [
    ['ralph feature delete checkout', 'see what goes, then decide'],
    ['ralph feature delete checkout --unblock --yes', 'without a question'],
  ],
  touches: 'holds workspace',
})

export const FEATURE_REOPEN = defineCommandRow({
  name: 'reopen',
  summary: 'Draft a feature further; with --from write papers anew',
  args: { feature: FEATURE },
  flags: {
    from: {
      value: 'PAPER',
      of: FEATURE_DOCUMENTS,
      help: `Write this paper anew, and those that follow from it: ${FEATURE_DOCUMENTS.join(', ')}`,
    },
    json: JSON_FLAG,
  },
  outside: true,
  about: `It is a draft again, and \`ralph feature create FEATURE\` goes on with it. What is written anew is kept beside itself, under a name with the time. Its tasks
stay as they are until another document is accepted.`,
  examples: [
    ['ralph feature reopen checkout --from tasks', 'the same spec and plan, other tasks'],
    ['ralph feature reopen checkout --from spec', 'from the beginning'],
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
