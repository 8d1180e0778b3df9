/** Commands that set up a project and its plan. */
import { defineCommand, defineCommandRow, type Command } from '../framework/command.ts'
import { FEATURE_COMMANDS } from './feature-commands.ts'
import { JOURNAL_KNOWLEDGE_COMMANDS } from './journal-knowledge-commands.ts'
import { TASK_COMMANDS } from './task-commands.ts'
import { FOLDER_ARG, JSON_FLAG, TRUST_FLAG } from './shared-flags.ts'
import { LOOP } from './run-commands.ts'

export const INIT = defineCommandRow({
  name: 'init',
  summary: 'Make this repository a project: prompt, plan, settings and detected gates',
  args: { folder: FOLDER_ARG },
  usage: '[FOLDER | "what I want"]',
  flags: {
    task: { value: 'TEXT', help: 'What to build: written into prompt and plan while nobody else has' },
    from: { value: 'SOURCE', help: 'Import tasks into the plan: beads, github or prd' },
    prd: { value: 'FILE', help: 'The document for --from prd; absent: the first that looks like one' },
    label: { value: 'LABEL', help: 'Only issues with this label (--from github)' },
    limit: { value: 'N', help: 'At most so many tasks (default 50; 0: all)' },
    agent: { value: 'NAMES', help: 'Who works, in the order in which they take over (default: the first installed)' },
    'project-type': { value: 'TYPE', help: 'In place of what is detected: python, rust, generic …' },
    'project-name': { value: 'NAME', help: 'In place of what the manifest says' },
    github: { help: 'Write workflows: tests, an assistant and two reviews' },
    yes: { short: 'y', help: 'Take the detected answers without asking' },
    force: { help: 'Write the files again; yours are kept beside them' },
    fresh: LOOP.flags.fresh,
    json: JSON_FLAG,
  },
  about: `A file that is there stays as it is, unless --force or nobody has written into it. In a project that is set up already nothing
happens: exit 0, and \`already\` is true in --json. Gates are found by reading files; nothing is started. Those that are slow by their
kind (end-to-end, integration and mutation tests) are only offered. Without a terminal nothing is asked, and the answers are told.
With what you want in place of a folder (more words than one), an agent drafts PROMPT.md and fix_plan.md where nobody has written them yet: it asks
you what it cannot know, as ralph feature create does, and the same command goes on with it. Exit code 4: not drafted, or stopped.`,
  examples: [
    ['ralph init', 'asks what it cannot know'],
    ['ralph init --task "a command that renames photos by date"', 'says what to build'],
    ['ralph init "a command that renames photos by date"', 'an agent asks, and writes prompt and plan'],
    ['ralph init --yes --json', 'for scripts'],
    ['ralph init --from github --label ralph-task', 'the plan from open issues'],
    ['ralph init --github', 'with workflows for GitHub'],
  ],
  touches: 'holds workspace',
})

export const IMPORT = defineCommandRow({
  name: 'import',
  summary: 'Turn a requirements document or a GitHub issue into prompt, plan and specification',
  args: { file: { says: 'FILE', takes: 'maybe', offers: 'files' }, folder: FOLDER_ARG },
  flags: {
    'no-agent': { help: 'Read the document without an agent' },
    agent: { value: 'NAME', help: 'The agent that reads it (default: the first installed)' },
    force: { help: 'Replace your prompt and plan; yours are kept beside them' },
    'github-issue': { value: 'N', help: 'Import this issue' },
    'github-search': { value: 'WORDS', help: 'Choose among the issues that this search finds' },
    'github-label': { value: 'A,B', help: 'that have all these labels' },
    'github-title': { value: 'PATTERN', help: 'whose whole title matches; * stands for anything' },
    'github-assignee': { value: 'WHO', help: 'assigned to a login, @me or none' },
    'github-milestone': { value: 'TITLE', help: 'of this milestone' },
    'github-state': { value: 'STATE', of: ['open', 'closed', 'all'], help: 'open (default), closed or all' },
    'exclude-label': { value: 'A,B', help: 'without any of these labels' },
    select: {
      value: 'HOW',
      of: ['first', 'priority', 'interactive'],
      help: 'Of several: first (the oldest), priority (P0 … P9) or interactive',
    },
    'include-comments': { help: "The discussion too; it is anybody's text" },
    repo: { value: 'OWNER/NAME', help: 'Another repository than the one of this folder' },
    'dry-run': { help: 'Only show which issues match and which would be taken' },
    trust: TRUST_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `An agent reads the document in an empty folder of its own, and what it makes is checked before it is taken over. Where no
agent is installed a simple reader makes the plan from boxes, lists or headings, and says so. Markdown and text; not PDF, not Word.`,
  examples: [
    ['ralph import docs/prd.md', 'into this project'],
    ['ralph import prd.md --no-agent', 'the same every time, without a call'],
    ['ralph import --github-issue 42', 'an issue'],
    ['ralph import --github-label bug --select priority --dry-run', 'which one would it be?'],
  ],
  touches: 'holds workspace',
})

export const MIGRATE = defineCommandRow({
  name: 'migrate',
  summary: 'Move the oldest layout (PROMPT.md at the top) into .ralph/, and take over the tasks of the Rust tool',
  args: { folder: FOLDER_ARG },
  flags: { json: JSON_FLAG },
  outside: true,
  about: `Everything that is moved is copied to .ralph_backup_<time> first.
Tasks, dependencies, logs, features and journal of .ralph/progress.db are taken over once, all or nothing, with a report of what was mapped and
what was left out; that file is never changed. \`ralph run\` and \`ralph task\` do the same when they first come upon it.`,
  examples: [['ralph migrate', 'this project']],
  touches: 'holds workspace',
})

export const PLAN_COMMANDS: readonly Command[] = [
  ...FEATURE_COMMANDS,
  ...TASK_COMMANDS,
  ...JOURNAL_KNOWLEDGE_COMMANDS,
  defineCommand(INIT, () => import('../commands/project/init.ts')),
  defineCommand(IMPORT, () => import('../commands/import/import.ts')),
  defineCommand(MIGRATE, () => import('../commands/project/migrate.ts')),
]
