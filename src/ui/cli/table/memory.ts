/** What is remembered: notes, which iterations leave for later ones, and knowledge, which the project keeps. */
import { command, row, type Command, type Noun } from '../frame/command.ts'
import { JSON_FLAG, LIMIT_FLAG } from './shared.ts'

const OF_NOTES = {
  run: { value: 'RUN', help: 'Of this run, by its id or the beginning of one' },
  task: { value: 'TASK', help: 'About this task' },
  limit: { ...LIMIT_FLAG, help: 'At most so many (default 20)' },
  json: JSON_FLAG,
} as const

export const JOURNAL_LIST = row({
  name: 'list',
  summary: 'Notes, the newest first',
  flags: OF_NOTES,
  page: {
    group: 'plan',
    about: 'Of a long note its beginning; --json has all of it.',
    examples: [
      ['ralph journal list', 'the last twenty; `ralph journal` alone does the same'],
      ['ralph journal list --task 4k2m9', 'what was noted about a task'],
      ['ralph journal list --run k7f3qa --limit 100 --json', 'of one run, for a program'],
    ],
    touches: 'reads',
  },
})

export const JOURNAL_SEARCH = row({
  name: 'search',
  summary: 'Notes with any of these words, the best match first',
  args: { words: { says: 'WORDS', takes: 'some' } },
  flags: OF_NOTES,
  page: {
    group: 'plan',
    about: `Any text is a fair question: nothing in it is an operator, and punctuation counts for nothing. Words are found in their other forms too (test, tests,
testing), and inside writings without spaces. Of those the newest 4,000 notes are looked through.`,
    examples: [
      ['ralph journal search "empty files"', 'either word; with both comes first'],
      ['ralph journal search login --run k7f3qa', 'in one run'],
    ],
    touches: 'reads',
  },
})

export const JOURNAL_SHOW = row({
  name: 'show',
  summary: 'One note, whole',
  args: { note: { says: 'NUMBER', takes: 'one' } },
  flags: { json: JSON_FLAG },
  page: {
    group: 'plan',
    examples: [['ralph journal show 12', 'by the number that lists have']],
    touches: 'reads',
  },
})

export const JOURNAL_ADD = row({
  name: 'add',
  summary: 'Leave a note for the iterations that follow',
  args: { text: { says: 'TEXT', takes: 'some' } },
  usage: 'TEXT … | -',
  flags: { task: { value: 'TASK', help: 'It is about this task' }, json: JSON_FLAG },
  outside: true,
  page: {
    group: 'plan',
    about: `At most 65,536 characters; what an agent must know for good is better kept as knowledge (ralph knowledge add). An agent gets what fits its task best, beside
the newest of its own run. Prints the number of the note.`,
    examples: [
      ['ralph journal add "the parser chokes on empty files"', 'found again by its words'],
      ['ralph journal add "needs the new schema" --task 4k2m9', 'about a task'],
      ['git log -3 | ralph journal add -', 'what comes in on the pipe'],
    ],
    touches: 'writes store',
  },
})

const JOURNAL: Noun = {
  name: 'journal',
  summary: 'Notes that iterations and people leave for later ones',
  usual: 'list',
  usage: '[VERB]',
  verbs: [
    command(JOURNAL_LIST, () => import('../commands/journal/list.ts')),
    command(JOURNAL_SEARCH, () => import('../commands/journal/search.ts')),
    command(JOURNAL_SHOW, () => import('../commands/journal/show.ts')),
    command(JOURNAL_ADD, () => import('../commands/journal/add.ts')),
  ],
  page: {
    group: 'plan',
    about: `Verbs: list, search, show, add. Each has a help of its own: ralph journal search --help. Notes stay when a run is pruned or a task deleted.`,
    examples: [
      ['ralph journal', 'the newest notes'],
      ['ralph journal search "empty files"', 'what was learnt about it'],
      ['ralph journal add "the parser chokes on empty files"', 'one more'],
    ],
    touches: 'writes store',
  },
}

export const MEMORY_COMMANDS: readonly Command[] = [JOURNAL]
