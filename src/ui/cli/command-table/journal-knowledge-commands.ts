/** Commands for the journal and the knowledge pages. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { JSON_FLAG, LIMIT_FLAG } from './shared-flags.ts'

const OF_NOTES = {
  run: { value: 'RUN', help: 'Of this run, by its id or the beginning of one' },
  task: { value: 'TASK', help: 'About this task' },
  limit: { ...LIMIT_FLAG, help: 'At most so many (default 20)' },
  json: JSON_FLAG,
} as const

export const JOURNAL_LIST = defineCommandRow({
  name: 'list',
  summary: 'Notes, the newest first',
  flags: OF_NOTES,
  about: 'Of a long note its beginning; --json has all of it.',
  examples: [
    ['ralph journal list', 'the last twenty; `ralph journal` alone does the same'],
    ['ralph journal list --task 4k2m9', 'what was noted about a task'],
    ['ralph journal list --run k7f3qa --limit 100 --json', 'of one run, for a program'],
  ],
  touches: 'reads',
})

export const JOURNAL_SEARCH = defineCommandRow({
  name: 'search',
  summary: 'Notes with any of these words, the best match first',
  args: { words: { says: 'WORDS', takes: 'some' } },
  flags: OF_NOTES,
  about: `Any text is a fair question: nothing in it is an operator, and punctuation counts for nothing. English words are found in their other forms too
(test, tests, testing), all others as they are written, also inside writings without spaces. Of those the newest 4,000 notes are looked through.`,
  examples: [
    ['ralph journal search "empty files"', 'either word'],
    ['ralph journal search login --run k7f3qa', 'in one run'],
  ],
  touches: 'reads',
})

export const JOURNAL_SHOW = defineCommandRow({
  name: 'show',
  summary: 'One note, whole',
  args: { note: { says: 'NUMBER', takes: 'one' } },
  flags: { json: JSON_FLAG },
  examples: [['ralph journal show 12', 'by the number that lists have']],
  touches: 'reads',
})

export const JOURNAL_ADD = defineCommandRow({
  name: 'add',
  summary: 'Leave a note for the iterations that follow',
  args: { text: { says: 'TEXT', takes: 'some' } },
  usage: 'TEXT … | -',
  flags: { task: { value: 'TASK', help: 'It is about this task' }, json: JSON_FLAG },
  outside: true,
  about: `At most 65,536 characters; what an agent must know for good is better kept as knowledge (ralph knowledge add). An agent gets what fits its task best, beside
the newest of its own run. Prints the number of the note.`,
  examples: [
    ['ralph journal add "the parser chokes on empty files"', 'found again by its words'],
    ['ralph journal add "needs the new schema" --task 4k2m9', 'about a task'],
    ['git log -3 | ralph journal add -', 'what comes in on the pipe'],
  ],
  touches: 'writes store',
})

const JOURNAL: CommandGroup = {
  name: 'journal',
  summary: 'Notes that iterations and people leave for later ones',
  usual: 'list',
  usage: '[VERB]',
  verbs: [
    defineCommand(JOURNAL_LIST, () => import('../commands/journal.ts'), 'list'),
    defineCommand(JOURNAL_SEARCH, () => import('../commands/journal.ts'), 'search'),
    defineCommand(JOURNAL_SHOW, () => import('../commands/journal.ts'), 'show'),
    defineCommand(JOURNAL_ADD, () => import('../commands/journal.ts'), 'add'),
  ],
  about: `Verbs: list, search, show, add. Each has a help of its own: ralph journal search --help. Notes stay when a run is pruned or a task deleted.`,
  examples: [
    ['ralph journal', 'the newest notes'],
    ['ralph journal search "empty files"', 'what was learnt about it'],
    ['ralph journal add "the parser chokes on empty files"', 'one more'],
  ],
  touches: 'writes store',
}

const ENTRY = { says: 'ENTRY', takes: 'one' } as const

export const KNOWLEDGE_LIST = defineCommandRow({
  name: 'list',
  summary: 'What is known, by name',
  flags: {
    tag: { value: 'TAG', many: true, help: 'Only with this tag; again for more' },
    limit: LIMIT_FLAG,
    json: JSON_FLAG,
  },
  about: 'Files that cannot be read are told on stderr, each with its line.',
  examples: [
    ['ralph knowledge list', 'all of it; `ralph knowledge` alone does the same'],
    ['ralph knowledge list --tag parser --json', 'what has a tag, for a program'],
  ],
  touches: 'reads',
})

export const KNOWLEDGE_SHOW = defineCommandRow({
  name: 'show',
  summary: 'One entry, with what it links to and what links to it',
  args: { entry: ENTRY },
  flags: { json: JSON_FLAG },
  examples: [
    ['ralph knowledge show "Parser quirks"', 'by its title, in whichever capitals'],
    ['ralph knowledge show parser', 'or its beginning, or the name of its file'],
  ],
  touches: 'reads',
})

export const KNOWLEDGE_ADD = defineCommandRow({
  name: 'add',
  summary: 'Write down what agents should know',
  args: { title: { says: 'TITLE', takes: 'some' } },
  usage: 'TITLE --tag TAG (--body TEXT | --from FILE|-)',
  flags: {
    tag: { short: 't', value: 'TAG', many: true, help: 'By which it is found; at least one, or a list: a,b' },
    body: { short: 'b', value: 'TEXT', help: 'What is known; [[Title]] links to another entry' },
    from: { value: 'FILE', help: 'The same from a file; - reads the pipe' },
    feature: { value: 'NAME', help: 'Belongs to the tasks of this feature' },
    replace: { help: 'In place of an entry with this title; its tags stay' },
    json: JSON_FLAG,
  },
  outside: true,
  about: `At most 500 words and 8,000 characters: a page. A task is told what has a tag that its title or description names, and what that links to. Prints the file.`,
  examples: [
    ['ralph knowledge add "Parser quirks" --tag parser --body "Empty files are no files."', 'a new one'],
    ['ralph knowledge add "Releases" --tag release --from docs/release.md', 'from a file'],
    ['ralph knowledge add "Releases" --tag release --body "Tags only." --replace', 'in place of it'],
  ],
  touches: 'holds workspace',
})

export const KNOWLEDGE_EDIT = defineCommandRow({
  name: 'edit',
  summary: 'Open an entry in your editor',
  args: { entry: ENTRY },
  flags: { json: JSON_FLAG },
  outside: true,
  about: `In $VISUAL, else $EDITOR, on a terminal. What it leaves is looked at: a mistake is told with its line, and the file stays as it is. One that is
broken is named by its file.`,
  examples: [['ralph knowledge edit "Parser quirks"', 'then look at it: ralph knowledge check']],
  touches: 'holds workspace',
})

export const KNOWLEDGE_RM = defineCommandRow({
  name: 'rm',
  summary: 'Remove an entry',
  args: { entry: ENTRY },
  flags: { yes: { short: 'y', help: 'Do not ask' }, json: JSON_FLAG },
  outside: true,
  about: 'Asks first; without a terminal it wants --yes.',
  examples: [['ralph knowledge rm "Parser quirks"', 'see what links to it, then decide']],
  touches: 'holds workspace',
})

export const KNOWLEDGE_CHECK = defineCommandRow({
  name: 'check',
  summary: 'What is broken, leads nowhere, is too long or old',
  flags: { json: JSON_FLAG },
  about: 'Exit code 1 if a file cannot be read as an entry; the others are only told.',
  examples: [['ralph knowledge check', 'all files of it']],
  touches: 'reads',
})

const KNOWLEDGE: CommandGroup = {
  name: 'knowledge',
  summary: 'What the project knows: pages in .ralph/knowledge that agents are told',
  usual: 'list',
  usage: '[VERB]',
  verbs: [
    defineCommand(KNOWLEDGE_LIST, () => import('../commands/knowledge.ts'), 'list'),
    defineCommand(KNOWLEDGE_SHOW, () => import('../commands/knowledge.ts'), 'show'),
    defineCommand(KNOWLEDGE_ADD, () => import('../commands/knowledge.ts'), 'add'),
    defineCommand(KNOWLEDGE_EDIT, () => import('../commands/knowledge.ts'), 'edit'),
    defineCommand(KNOWLEDGE_RM, () => import('../commands/knowledge.ts'), 'rm'),
    defineCommand(KNOWLEDGE_CHECK, () => import('../commands/knowledge.ts'), 'check'),
  ],
  about: `Verbs: list, show, add, edit, rm, check. Each has a help of its own: ralph knowledge add --help. The files are yours: write them by hand, commit them.`,
  examples: [
    ['ralph knowledge', 'all of it, by name'],
    ['ralph knowledge add "Parser quirks" --tag parser --body "Empty files are no files."', 'one more'],
    ['ralph inspect prompt 4k2m9', 'what of it a task would be told'],
  ],
  touches: 'holds workspace',
}

export const JOURNAL_KNOWLEDGE_COMMANDS: readonly Command[] = [JOURNAL, KNOWLEDGE]
