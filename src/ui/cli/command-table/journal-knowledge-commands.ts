/** Commands for the journal and the knowledge pages. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { JSON_FLAG, LIMIT_FLAG, YES_FLAG } from './shared-flags.ts'

const OF_NOTES = {
  run: { value: 'RUN', help: 'Only notes of this run (an ID or the start of one)' },
  task: { value: 'TASK', help: 'Only notes about this task' },
  limit: { ...LIMIT_FLAG, help: 'Show at most N (default 20)' },
  json: JSON_FLAG,
} as const

export const JOURNAL_LIST = defineCommandRow({
  name: 'list',
  summary: 'List notes, newest first',
  flags: OF_NOTES,
  about: 'Long notes are shortened; --json prints them in full.',
  examples: [
    ['ralph journal list', 'the last 20; same as `ralph journal`'],
    ['ralph journal list --task 4k2m9', 'notes about a task'],
    ['ralph journal list --run k7f3qa --limit 100 --json', 'one run, for scripts'],
  ],
  touches: 'reads',
})

export const JOURNAL_SEARCH = defineCommandRow({
  name: 'search',
  summary: 'Find notes with any of these words, best match first',
  args: { words: { says: 'WORDS', takes: 'some' } },
  flags: OF_NOTES,
  about: `There are no operators, and punctuation is ignored. English words match in other
forms too (test, tests, testing). Chinese, Thai, emoji etc.: only in the newest
4,000 notes.`,
  examples: [
    ['ralph journal search "empty files"', 'notes with either word'],
    ['ralph journal search login --run k7f3qa', 'only in one run'],
  ],
  touches: 'reads',
})

export const JOURNAL_SHOW = defineCommandRow({
  name: 'show',
  summary: 'Show one note in full',
  args: { note: { says: 'NUMBER', takes: 'one' } },
  flags: { json: JSON_FLAG },
  examples: [['ralph journal show 12', 'by its number in the list']],
  touches: 'reads',
})

export const JOURNAL_ADD = defineCommandRow({
  name: 'add',
  summary: 'Add a note for later iterations',
  args: { text: { says: 'TEXT', takes: 'some' } },
  usage: 'TEXT … | -',
  flags: { task: { value: 'TASK', help: 'The task it is about' }, json: JSON_FLAG },
  outside: true,
  about: `Prompts include the notes that fit the task best, and the newest of the same
run. For what every agent must know, use \`ralph knowledge add\`. Prints the
number of the note. A note has at most 65,536 characters.`,
  examples: [
    ['ralph journal add "the parser chokes on empty files"', 'add a note'],
    ['ralph journal add "needs the new schema" --task 4k2m9', 'about one task'],
    ['git log -3 | ralph journal add -', 'from standard input'],
  ],
  touches: 'writes store',
})

const JOURNAL: CommandGroup = {
  name: 'journal',
  summary: 'Notes that agents and people leave for later iterations',
  usual: 'list',
  usage: '[VERB]',
  verbs: [
    defineCommand(JOURNAL_LIST, () => import('../commands/journal.ts'), 'list'),
    defineCommand(JOURNAL_SEARCH, () => import('../commands/journal.ts'), 'search'),
    defineCommand(JOURNAL_SHOW, () => import('../commands/journal.ts'), 'show'),
    defineCommand(JOURNAL_ADD, () => import('../commands/journal.ts'), 'add'),
  ],
  about: `Verbs: list, search, show, add. See \`ralph journal VERB --help\`, and the guide:
\`ralph help memory\`. Notes stay when a run is pruned or a task is deleted.`,
  examples: [
    ['ralph journal', 'list the newest'],
    ['ralph journal search "empty files"', 'find notes'],
    ['ralph journal add "the parser chokes on empty files"', 'add one'],
  ],
  touches: 'writes store',
}

const ENTRY = { says: 'PAGE', takes: 'one' } as const

export const KNOWLEDGE_LIST = defineCommandRow({
  name: 'list',
  summary: 'List pages by title',
  flags: {
    tag: { value: 'TAG', many: true, help: 'Only pages with this tag (repeatable)' },
    limit: LIMIT_FLAG,
    json: JSON_FLAG,
  },
  about: 'Unreadable files are reported on stderr.',
  examples: [
    ['ralph knowledge list', 'same as `ralph knowledge`'],
    ['ralph knowledge list --tag parser --json', 'pages with a tag, for scripts'],
  ],
  touches: 'reads',
})

export const KNOWLEDGE_SHOW = defineCommandRow({
  name: 'show',
  summary: 'Show a page and its links in both directions',
  args: { entry: ENTRY },
  flags: { json: JSON_FLAG },
  examples: [
    ['ralph knowledge show "Parser quirks"', 'by title, in any case'],
    ['ralph knowledge show parser', 'or the start of it, or its file name'],
  ],
  touches: 'reads',
})

export const KNOWLEDGE_ADD = defineCommandRow({
  name: 'add',
  summary: 'Write a page for agents',
  args: { title: { says: 'TITLE', takes: 'some' } },
  usage: 'TITLE --tag TAG (--body TEXT | --from FILE|-)',
  flags: {
    tag: { short: 't', value: 'TAG', many: true, help: 'For tasks that mention TAG (required; repeatable, or a,b)' },
    body: { short: 'b', value: 'TEXT', help: 'The text; [[Title]] links to another page' },
    from: { value: 'FILE', help: 'Read the text from a file (-: standard input)' },
    feature: { value: 'NAME', help: 'Only for tasks of this feature' },
    replace: { help: 'Replace the page with this title; its tags stay' },
    json: JSON_FLAG,
  },
  outside: true,
  about: `A prompt includes a page if the task's title or description contains its tag.
Linked pages are included too. At most 500 words per page. Prints the file name.`,
  examples: [
    ['ralph knowledge add "Parser quirks" --tag parser --body "Skip empty files."', 'a new page'],
    ['ralph knowledge add "Releases" --tag release --from docs/release.md', 'from a file'],
    ['ralph knowledge add "Releases" --tag release --body "Tags only." --replace', 'replace it'],
  ],
  touches: 'holds workspace',
})

export const KNOWLEDGE_EDIT = defineCommandRow({
  name: 'edit',
  summary: 'Edit a page in your editor',
  args: { entry: ENTRY },
  flags: { json: JSON_FLAG },
  outside: true,
  about: `Uses $VISUAL or $EDITOR, and needs a terminal. Ralph checks the result; if it
has a mistake, Ralph reports the line and leaves the page unchanged. To edit a
broken page, pass its file name.`,
  examples: [['ralph knowledge edit "Parser quirks"', 'edit one page']],
  touches: 'holds workspace',
})

export const KNOWLEDGE_RM = defineCommandRow({
  name: 'rm',
  summary: 'Remove a page',
  args: { entry: ENTRY },
  flags: { yes: YES_FLAG, json: JSON_FLAG },
  outside: true,
  about: 'Asks first; without a terminal it needs --yes.',
  examples: [['ralph knowledge rm "Parser quirks"', 'lists the pages that link to it, then asks']],
  touches: 'holds workspace',
})

export const KNOWLEDGE_CHECK = defineCommandRow({
  name: 'check',
  summary: 'Find broken, long and old pages, and dead links',
  flags: { json: JSON_FLAG },
  about: 'Exit code 1 if a page is unreadable; other problems are warnings.',
  examples: [['ralph knowledge check', 'all pages']],
  touches: 'reads',
})

const KNOWLEDGE: CommandGroup = {
  name: 'knowledge',
  summary: "Project notes for agents' prompts (.ralph/knowledge)",
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
  about: `Verbs: list, show, add, edit, rm, check. See \`ralph knowledge VERB --help\`, and
the guide: \`ralph help memory\`. You can also write the files by hand. Commit
them.`,
  examples: [
    ['ralph knowledge', 'list pages'],
    ['ralph knowledge add "Parser quirks" --tag parser --body "Skip empty files."', 'add one'],
    ['ralph inspect prompt 4k2m9', 'which pages a task gets'],
  ],
  touches: 'holds workspace',
}

export const JOURNAL_KNOWLEDGE_COMMANDS: readonly Command[] = [JOURNAL, KNOWLEDGE]
