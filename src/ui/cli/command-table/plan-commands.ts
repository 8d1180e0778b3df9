/** Commands that set up a project and its plan. */
import { defineCommand, defineCommandRow, type Command } from '../framework/command.ts'
import { FEATURE_COMMANDS } from './feature-commands.ts'
import { JOURNAL_KNOWLEDGE_COMMANDS } from './journal-knowledge-commands.ts'
import { TASK_COMMANDS } from './task-commands.ts'
import { FOLDER_ARG, JSON_FLAG, TRUST_FLAG } from './shared-flags.ts'
import { LOOP } from './run-commands.ts'

export const INIT = defineCommandRow({
  name: 'init',
  summary: 'Set up Ralph in this repository: prompt, plan, gates, settings',
  args: { folder: FOLDER_ARG },
  usage: '[FOLDER | "what I want"]',
  flags: {
    task: { value: 'TEXT', help: 'What to build; Ralph puts it in the new prompt and plan' },
    from: { value: 'SOURCE', help: 'Import tasks into the plan: beads, github or prd' },
    prd: { value: 'FILE', help: 'Document for --from prd (default: the first file that looks like a PRD)' },
    label: { value: 'LABEL', help: 'With --from github: only issues with this label' },
    limit: { value: 'N', help: 'Import at most N tasks (default 50; 0: all)' },
    agent: { value: 'NAMES', help: 'Agent, followed by its fallbacks (default: the first installed)' },
    'project-type': { value: 'TYPE', help: 'Project type instead of the detected one: python, rust, generic …' },
    'project-name': { value: 'NAME', help: 'Project name instead of the detected one' },
    github: { help: 'Also write GitHub workflows: tests, an assistant and two reviews' },
    yes: { short: 'y', help: "Don't prompt; use the detected answers" },
    force: { help: 'Overwrite existing files, and keep copies' },
    fresh: LOOP.flags.fresh,
    json: JSON_FLAG,
  },
  about: `Keeps files you have edited, unless you pass --force. Ralph detects gates by
reading files and runs nothing; slow ones (end-to-end, integration, mutation
tests) are only suggested. Without a terminal it doesn't prompt; it prints the
defaults it used. With a description instead of a folder, an agent asks you
questions and drafts PROMPT.md and fix_plan.md. After an interruption, the same
command continues.
Exit code 4: stopped, or nothing was drafted.`,
  examples: [
    ['ralph init', 'asks a few questions'],
    ['ralph init --task "a command that renames photos by date"', 'with a goal'],
    ['ralph init "a command that renames photos by date"', 'an agent drafts the plan'],
    ['ralph init --yes --json', 'in a script'],
    ['ralph init --from github --label ralph-task', 'plan from open issues'],
    ['ralph init --github', 'with GitHub workflows'],
  ],
  touches: 'holds workspace',
})

export const IMPORT = defineCommandRow({
  name: 'import',
  summary: 'Turn a document or a GitHub issue into a prompt and a plan',
  args: { file: { says: 'FILE', takes: 'maybe', offers: 'files' }, folder: FOLDER_ARG },
  flags: {
    'no-agent': { help: 'Convert the document without an agent' },
    agent: { value: 'NAME', help: 'Agent that reads the document (default: the first installed)' },
    force: { help: 'Replace your prompt and plan, and keep copies of them' },
    'github-issue': { value: 'N', help: 'Import this issue' },
    'github-search': { value: 'WORDS', help: 'Choose from the issues this search finds' },
    'github-label': { value: 'A,B', help: 'Choose from issues with all these labels' },
    'github-title': { value: 'PATTERN', help: '… whose title matches PATTERN (* matches anything)' },
    'github-assignee': { value: 'WHO', help: '… assigned to this user: a login, @me or none' },
    'github-milestone': { value: 'TITLE', help: '… of this milestone' },
    'github-state': { value: 'STATE', of: ['open', 'closed', 'all'], help: '… that are open (default), closed or all' },
    'exclude-label': { value: 'A,B', help: '… without any of these labels' },
    select: {
      value: 'HOW',
      of: ['first', 'priority', 'interactive'],
      help: 'How to choose one of several: first (oldest), priority (P0 to P9) or interactive',
    },
    'include-comments': { help: 'Include comments (anybody can write those)' },
    repo: { value: 'OWNER/NAME', help: 'Repository of the issue (default: this one)' },
    'dry-run': { help: 'Show which issues match and which one would be imported' },
    trust: TRUST_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `An agent reads the document in an empty folder, and Ralph checks the result
before it writes anything. With no agent installed, a built-in reader makes the
plan from checkboxes, lists or headings. Reads Markdown and text, not PDF or
Word.`,
  examples: [
    ['ralph import docs/prd.md', 'into this project'],
    ['ralph import prd.md --no-agent', 'without an agent'],
    ['ralph import --github-issue 42', 'a GitHub issue'],
    ['ralph import --github-label bug --select priority --dry-run', 'show which one it would import'],
  ],
  touches: 'holds workspace',
})

export const MIGRATE = defineCommandRow({
  name: 'migrate',
  summary: "Move an old layout into .ralph/, and import Rust Ralph's tasks",
  args: { folder: FOLDER_ARG },
  flags: { json: JSON_FLAG },
  outside: true,
  about: `Moves PROMPT.md and similar files from the top folder, and keeps a copy in
.ralph_backup_<time>. Imports tasks, dependencies, logs, features and journal of
.ralph/progress.db once, all or nothing, and reports what it left out; the file
itself stays unchanged. \`ralph run\` and \`ralph task\` import it too.
Guides: \`ralph help migration\`, \`ralph help migration-rust\`.`,
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
