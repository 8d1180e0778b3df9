/** The commands of `ralph task`. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { TASK_LIST } from './quick-commands.ts'
import { JSON_FLAG, LIMIT_FLAG } from './shared-flags.ts'

const TASK = { says: 'TASK', takes: 'one', offers: 'tasks' } as const
const YES_FLAG = { short: 'y', help: 'Do not ask' } as const

/** Flags of both `task add` and `task update`. */
const SAID = {
  description: { short: 'd', value: 'TEXT', help: 'More than the title can say' },
  parent: { value: 'TASK', help: 'The task it is a part of' },
  feature: { value: 'NAME', help: 'The feature it belongs to, by name or id; a new name makes one' },
  priority: { value: 'N', whole: { min: -1_000_000 }, help: 'Lower comes first (default 0)' },
  'max-retries': {
    value: 'N',
    whole: { min: 0 },
    help: 'How often it may be worked on again (default: task.max_retries)',
  },
  'not-before': { value: 'WHEN', help: 'Not ready before 2027-03-01T08:00, or so long from now: 90m, 2h, 3d' },
  check: {
    value: 'COMMAND',
    many: true,
    help: 'Must succeed for this task to count, besides the gates; again for more',
  },
  test: { value: 'GLOB', many: true, help: 'Tests that it may change; again for more' },
  criterion: { value: 'TEXT', many: true, help: 'What must be true of it in the end; again for more' },
} as const

export const TASK_TREE = defineCommandRow({
  name: 'tree',
  summary: 'The tree, with what is ready and what waits for what',
  args: { target: { says: 'FEATURE|TASK', takes: 'maybe', offers: 'tasks' } },
  flags: { limit: LIMIT_FLAG, json: JSON_FLAG },
  about: `At most 200 tasks are shown unless --limit says otherwise; --json has them all. A feature's name counts before the beginning of a task's id.
With --json: a list in the order of the tree, each task with its \`depth\` and what it \`waits_for\`.`,
  examples: [
    ['ralph task tree', 'all of them; `ralph task` alone does the same'],
    ['ralph task tree 4k2m9', 'one task and what is below it'],
    ['ralph task tree checkout', 'the tasks of a feature'],
  ],
  touches: 'reads',
})

export const TASK_ADD = defineCommandRow({
  name: 'add',
  summary: 'Add a task; prints its id',
  args: { title: { says: 'TITLE', takes: 'many' } },
  usage: 'TITLE … | --from-json FILE|-',
  flags: {
    ...SAID,
    'blocked-by': { value: 'TASK', many: true, help: 'A task that must be done before it; again for more' },
    id: { value: 'ID', help: 'Its id, instead of one that is drawn' },
    'from-json': { value: 'FILE', help: 'Many at once, one JSON object a line; - reads the pipe' },
    json: JSON_FLAG,
  },
  outside: true,
  about: `A line of --from-json: {"id"?, "title", "description"?, "parent"?, "blockers"?: [ids], "feature"?, "priority"?, "max_retries"?, "not_before"?,
"checks"?: [commands], "tests"?: [globs], "criteria"?: [texts]}. Parents and blockers may stand on a later line or be there already. All lines or
none: a mistake is told with its line, and nothing is added.`,
  examples: [
    ['ralph task add "rename photos by date"', 'the simplest'],
    [
      'ralph task add "read EXIF" --parent 4k2m9 --check "npm test -- exif"',
      'a part of another, with a check of its own',
    ],
    ['ralph task add "docs" --blocked-by 4k2m9 --feature photos', 'after another one'],
    ['ralph task add --from-json plan.jsonl', 'many at once'],
  ],
  touches: 'writes store',
})

export const TASK_CREATE = defineCommandRow({
  name: 'create',
  summary: 'Add a task by answering questions',
  flags: { json: JSON_FLAG },
  outside: true,
  about: 'On a terminal only; in a script: ralph task add.',
  examples: [['ralph task create', 'asks what it is, what it belongs to and what comes before it']],
  touches: 'writes store',
})

export const TASK_SHOW = defineCommandRow({
  name: 'show',
  summary: 'One task from near: what it waits for, who waits for it, and what was said about it',
  args: { task: TASK },
  flags: { json: JSON_FLAG },
  examples: [
    ['ralph task show t-4k2m9', 'by its id'],
    ['ralph task show 4k', 'or as much of it as no other one begins with'],
  ],
  touches: 'reads',
})

/** The values of `--clear`. */
export const CLEARABLE_FIELDS = [
  'description',
  'parent',
  'feature',
  'max-retries',
  'not-before',
  'checks',
  'tests',
  'criteria',
] as const

export const TASK_UPDATE = defineCommandRow({
  name: 'update',
  summary: 'Change what a task says, and where it belongs',
  args: { task: TASK },
  flags: {
    title: { value: 'TEXT', help: 'Its title' },
    ...SAID,
    clear: {
      value: 'FIELD',
      of: CLEARABLE_FIELDS,
      many: true,
      help: `Take away what it says: ${CLEARABLE_FIELDS.join(', ')}; again for more`,
    },
    json: JSON_FLAG,
  },
  outside: true,
  about: `Only what is named changes. --check, --test and --criterion replace those that it has. Who must be done before it: ralph task deps.`,
  examples: [
    ['ralph task update 4k2m9 --priority -5', 'before the others'],
    ['ralph task update 4k2m9 --parent 8x1wq', 'to another place in the tree'],
    ['ralph task update 4k2m9 --clear not-before --clear parent', 'at once, and on its own'],
  ],
  touches: 'writes store',
})

export const TASK_DELETE = defineCommandRow({
  name: 'delete',
  summary: 'Delete a task and all below it',
  args: { task: TASK },
  flags: {
    unblock: { help: 'Also if others wait for it: they wait for it no longer' },
    yes: YES_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `Asks first; without a terminal it wants --yes. Refused while somebody works on it, and if others wait for it, unless --unblock. A task that was
worked on is archived: its log stays, and it is in no list but \`ralph task list --archived\`.`,
  examples: [
    ['ralph task delete 4k2m9', 'see what goes, then decide'],
    ['ralph task delete 4k2m9 --unblock --yes', 'without a question, releasing who waits for it'],
  ],
  touches: 'writes store',
})

export const TASK_DONE = defineCommandRow({
  name: 'done',
  summary: 'Say that a task is done',
  args: { task: TASK },
  flags: { yes: YES_FLAG, json: JSON_FLAG },
  outside: true,
  about: `Without any proof: yours is the word that counts. Whoever works on it loses it; that is asked about, and without a terminal it wants --yes.
A task with children is what they are: mark those.`,
  examples: [['ralph task done 4k2m9', 'you did it yourself; what waited for it is ready']],
  touches: 'writes store',
})

export const TASK_FAIL = defineCommandRow({
  name: 'fail',
  summary: 'Say that a task failed',
  args: { task: TASK },
  flags: { reason: { short: 'r', value: 'TEXT', help: 'Why; kept in its log' }, yes: YES_FLAG, json: JSON_FLAG },
  outside: true,
  about:
    'What depends on it stays blocked. Whoever works on it loses it; that is asked about, and without a terminal it wants --yes.',
  examples: [['ralph task fail 4k2m9 -r "the service is gone"', 'not worth another try']],
  touches: 'writes store',
})

export const TASK_RESET = defineCommandRow({
  name: 'reset',
  summary: 'Have a task done again, as if nothing had been tried',
  args: { task: TASK },
  flags: {
    all: { help: 'Of a task with children: whatever is below it, not only what failed' },
    yes: YES_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `Pending again, with all its retries; parents, feature and what depends on it follow by themselves. Its log stays. Of a task with children:
those below it that failed, or with --all every one of them. Whoever works on it loses it; that is asked about, and without a terminal it
wants --yes.`,
  examples: [
    ['ralph task reset 4k2m9', 'have it tried again'],
    ['ralph task reset 8x1wq --all', 'all below it, from the beginning'],
  ],
  touches: 'writes store',
})

export const TASK_LOG = defineCommandRow({
  name: 'log',
  summary: 'What was said about a task, or a note to it',
  args: { task: TASK },
  flags: { message: { short: 'm', value: 'TEXT', help: 'Add this note' }, limit: LIMIT_FLAG, json: JSON_FLAG },
  about: 'The oldest first; of --limit the newest. Also of tasks that were deleted and have a history.',
  examples: [
    ['ralph task log 4k2m9', 'why it failed, what agents and people said'],
    ['ralph task log 4k2m9 -m "the parser is in src/exif.ts"', 'a note that stays with it'],
  ],
  touches: 'writes store',
})

const EDGE_ARGS = {
  blocker: { says: 'BLOCKER', takes: 'one', offers: 'tasks' },
  blocked: { says: 'BLOCKED', takes: 'one', offers: 'tasks' },
} as const

export const TASK_DEPS_ADD = defineCommandRow({
  name: 'add',
  summary: 'BLOCKER must be done before BLOCKED',
  args: EDGE_ARGS,
  flags: { json: JSON_FLAG },
  outside: true,
})

export const TASK_DEPS_RM = defineCommandRow({
  name: 'rm',
  summary: 'BLOCKED waits for BLOCKER no longer',
  args: EDGE_ARGS,
  flags: { json: JSON_FLAG },
  outside: true,
})

export const TASK_DEPS_LIST = defineCommandRow({
  name: 'list',
  summary: 'What a task waits for, and what waits for it',
  args: { task: TASK },
  flags: { json: JSON_FLAG },
})

const DEPS: CommandGroup = {
  name: 'deps',
  summary: 'Which task must be done before which',
  verbs: [
    defineCommand(TASK_DEPS_ADD, () => import('../commands/task/edit.ts'), 'addDep'),
    defineCommand(TASK_DEPS_RM, () => import('../commands/task/edit.ts'), 'removeDep'),
    defineCommand(TASK_DEPS_LIST, () => import('../commands/task/show.ts'), 'deps'),
  ],
  about: `A task that would wait for itself is refused, with the way round: a task waits for its blockers, a parent for its children, and a child for
the blockers of all above it.`,
  examples: [
    ['ralph task deps add 4k2m9 8x1wq', '4k2m9 first, then 8x1wq'],
    ['ralph task deps rm 4k2m9 8x1wq', 'no longer'],
    ['ralph task deps list 8x1wq', 'what it waits for, and what waits for it'],
  ],
  touches: 'writes store',
}

const TASKS: CommandGroup = {
  name: 'task',
  summary: 'Tasks: what there is to do, what is ready, and what waits for what',
  usual: 'tree',
  usage: '[VERB]',
  verbs: [
    defineCommand(TASK_TREE, () => import('../commands/task/show.ts'), 'tree'),
    defineCommand(TASK_ADD, () => import('../commands/task/edit.ts'), 'add'),
    defineCommand(TASK_CREATE, () => import('../commands/task/create.ts')),
    defineCommand(TASK_LIST, () => import('../commands/task/list.ts')),
    defineCommand(TASK_SHOW, () => import('../commands/task/show.ts'), 'show'),
    defineCommand(TASK_UPDATE, () => import('../commands/task/edit.ts'), 'update'),
    defineCommand(TASK_DELETE, () => import('../commands/task/mark.ts'), 'remove'),
    defineCommand(TASK_DONE, () => import('../commands/task/mark.ts'), 'done'),
    defineCommand(TASK_FAIL, () => import('../commands/task/mark.ts'), 'fail'),
    defineCommand(TASK_RESET, () => import('../commands/task/mark.ts'), 'reset'),
    defineCommand(TASK_LOG, () => import('../commands/task/show.ts'), 'log'),
    DEPS,
  ],
  about: `Verbs: tree, add, create, list, show, update, delete, done, fail, reset, log, deps. Each has a help of its own: ralph task add --help.
TASK is an id, or as much of one as no other task begins with; the \`t-\` may be left out.`,
  examples: [
    ['ralph task', 'the tree, what is ready, and what waits for what'],
    ['ralph task add "rename photos by date"', 'one more'],
    ['ralph task list --ready', 'what can be worked on now'],
    ['ralph task deps add 4k2m9 8x1wq', 'this one before that one'],
    ['ralph run', 'have them done'],
  ],
  touches: 'writes store',
}

export const SKIP = defineCommandRow({
  name: 'skip',
  summary: 'Give a task up: it fails now, and the run goes on with the next',
  args: { task: TASK },
  flags: { json: JSON_FLAG },
  outside: true,
  about: `Whoever works on it ends. What depends on it is blocked until it is done after all: ralph task reset has it tried again.`,
  examples: [['ralph skip 4k2m9', 'not worth the money; the next one, please']],
  touches: 'writes store',
})

export const TASK_COMMANDS: readonly Command[] = [TASKS]
export const SKIP_COMMAND: Command = defineCommand(SKIP, () => import('../commands/task/mark.ts'), 'skip')
