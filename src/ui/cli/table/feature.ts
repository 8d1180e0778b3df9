/** Features: how an idea becomes tasks. */
import type { Command, Noun } from '../frame/command.ts'
import { FEATURE_VERBS } from './feature-papers.ts'

const FEATURE: Noun = {
  name: 'feature',
  summary: 'How an idea becomes tasks',
  usual: 'list',
  usage: '[VERB]',
  verbs: [...FEATURE_VERBS],
  page: {
    group: 'plan',
    about: `Verbs: list, show, accept, delete, reopen. Each has a help of its own: ralph feature accept --help.
FEATURE is a name or an id. Its papers lie in .ralph/features/NAME: spec.md, plan.md, and tasks.json, which becomes its tasks when you accept it.`,
    examples: [
      ['ralph feature', 'all of them'],
      ['ralph feature show checkout', 'one from near'],
      ['ralph feature accept checkout', 'look at the drafted tasks, and add them'],
    ],
    touches: 'holds workspace',
  },
}

export const FEATURE_COMMANDS: readonly Command[] = [FEATURE]
