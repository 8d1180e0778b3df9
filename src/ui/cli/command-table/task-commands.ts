/** The commands of `ralph task`. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { TASK_LIST } from './quick-commands.ts'
import { JSON_FLAG, LIMIT_FLAG, YES_FLAG } from './shared-flags.ts'

const TASK = { says: 'TASK', takes: 'one', offers: 'tasks' } as const
const OPEN_TASK = { ...TASK, offers: 'open-tasks' } as const

/** Flags of both `task add` and `task update`. */
const SAID = {
  description: { short: 'd', value: 'TEXT', help: 'Details for the agent' },
  parent: { value: 'TASK', help: 'Make it a subtask of this task' },
  feature: { value: 'NAME', help: 'Its feature (name or ID); a new name creates one' },
  priority: { value: 'N', whole: { min: -1_000_000 }, help: 'Priority; lower numbers run first (default 0)' },
  'max-retries': {
    value: 'N',
    whole: { min: 0 },
    help: 'Retries before it fails (default: task.max_retries)',
  },
  'not-before': { value: 'WHEN', help: 'Earliest start: a date (2027-03-01T08:00), or a delay such as 90m, 2h, 3d' },
  check: {
    value: 'COMMAND',
    many: true,
    help: 'Command that must pass for this task, in addition to the gates (repeatable)',
  },
  test: { value: 'GLOB', many: true, help: 'Tests that the agent may change (repeatable)' },
  criterion: { value: 'TEXT', many: true, help: 'Acceptance criterion (repeatable)' },
} as const

export const TASK_TREE = defineCommandRow({
  name: 'tree',
  summary: 'Show tasks as a tree: what is ready, and what waits for what',
  args: { target: { says: 'FEATURE|TASK', takes: 'maybe', offers: 'tasks' } },
  flags: { limit: LIMIT_FLAG, json: JSON_FLAG },
  about: `Shows at most 200 tasks, or --limit; --json prints all of them, in the order of
the tree, each with its \`depth\` and what it \`waits_for\`.`,
  examples: [
    ['ralph task tree', 'same as `ralph task`'],
    ['ralph task tree 4k2m9', 'one task and its subtasks'],
    ['ralph task tree checkout', 'the tasks of a feature'],
  ],
  touches: 'reads',
})

export const TASK_ADD = defineCommandRow({
  name: 'add',
  summary: 'Add a task and print its ID',
  args: { title: { says: 'TITLE', takes: 'many' } },
  usage: 'TITLE … | --from-json FILE|-',
  flags: {
    ...SAID,
    'blocked-by': { value: 'TASK', many: true, help: 'Task that must be done first (repeatable)' },
    id: { value: 'ID', help: 'Use this ID instead of a generated one' },
    'from-json': { value: 'FILE', help: 'Add many tasks: one JSON object per line (-: standard input)' },
    json: JSON_FLAG,
  },
  outside: true,
  about: `A line of --from-json: {"id"?, "title", "description"?, "parent"?, "blockers"?:
[IDs], "feature"?, "priority"?, "max_retries"?, "not_before"?, "checks"?:
[commands], "tests"?: [globs], "criteria"?: [texts]}. Lines may refer to later
lines. If any line is invalid, no task is added.`,
  examples: [
    ['ralph task add "rename photos by date"', 'a task'],
    ['ralph task add "read EXIF" --parent 4k2m9 --check "npm test -- exif"', 'a subtask'],
    ['ralph task add "docs" --blocked-by 4k2m9 --feature photos', 'after another task'],
    ['ralph task add --from-json plan.jsonl', 'many tasks'],
  ],
  touches: 'writes store',
})

export const TASK_CREATE = defineCommandRow({
  name: 'create',
  summary: 'Add a task by answering questions',
  flags: { json: JSON_FLAG },
  outside: true,
  about: 'Needs a terminal; in a script use `ralph task add`.',
  examples: [['ralph task create', 'asks for title, feature, parent and dependencies']],
  touches: 'writes store',
})

export const TASK_SHOW = defineCommandRow({
  name: 'show',
  summary: 'Show one task: dependencies, subtasks and log',
  args: { task: TASK },
  flags: { json: JSON_FLAG },
  examples: [
    ['ralph task show t-4k2m9', 'by its ID'],
    ['ralph task show 4k', 'or the beginning of it'],
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
  summary: 'Change a task',
  args: { task: TASK },
  flags: {
    title: { value: 'TEXT', help: 'New title' },
    ...SAID,
    clear: {
      value: 'FIELD',
      of: CLEARABLE_FIELDS,
      many: true,
      help: `Clear a field: ${CLEARABLE_FIELDS.join(', ')} (repeatable)`,
    },
    json: JSON_FLAG,
  },
  outside: true,
  about: `Changes only the fields you name. --check, --test and --criterion replace all
existing ones. Dependencies: \`ralph task deps\`.`,
  examples: [
    ['ralph task update 4k2m9 --priority -5', 'run it earlier'],
    ['ralph task update 4k2m9 --parent 8x1wq', 'make it a subtask'],
    ['ralph task update 4k2m9 --clear not-before --clear parent', 'no start time, no parent'],
  ],
  touches: 'writes store',
})

export const TASK_DELETE = defineCommandRow({
  name: 'delete',
  summary: 'Delete a task and its subtasks',
  args: { task: TASK },
  flags: {
    unblock: { help: 'Delete it even if other tasks depend on it, and unblock those' },
    yes: YES_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `Asks first; without a terminal it needs --yes. Fails while an agent works on
it, or if other tasks depend on it (see --unblock). A task with a history is
archived with its log: \`ralph task list --archived\`.`,
  examples: [
    ['ralph task delete 4k2m9', 'see what it deletes, then decide'],
    ['ralph task delete 4k2m9 --unblock --yes', 'without asking'],
  ],
  touches: 'writes store',
})

export const TASK_DONE = defineCommandRow({
  name: 'done',
  summary: 'Mark a task done',
  args: { task: OPEN_TASK },
  flags: { yes: YES_FLAG, json: JSON_FLAG },
  outside: true,
  about: `Nothing is verified. If an agent is working on it, Ralph asks before it stops
that agent; without a terminal it needs --yes. If a task has subtasks, mark the
subtasks.`,
  examples: [['ralph task done 4k2m9', 'you did it yourself']],
  touches: 'writes store',
})

export const TASK_FAIL = defineCommandRow({
  name: 'fail',
  summary: 'Mark a task failed',
  args: { task: OPEN_TASK },
  flags: { reason: { short: 'r', value: 'TEXT', help: 'Reason, for its log' }, yes: YES_FLAG, json: JSON_FLAG },
  outside: true,
  about: `Tasks that depend on it stay blocked. If an agent is working on it, Ralph asks
first; without a terminal it needs --yes.`,
  examples: [['ralph task fail 4k2m9 -r "the service is gone"', 'with a reason']],
  touches: 'writes store',
})

export const TASK_RESET = defineCommandRow({
  name: 'reset',
  summary: 'Make a task pending again, with all its retries',
  args: { task: TASK },
  flags: {
    all: { help: 'Reset every subtask, not only failed ones' },
    yes: YES_FLAG,
    json: JSON_FLAG,
  },
  outside: true,
  about: `Parents, feature and dependent tasks are updated too. Its log stays. If it has
subtasks, it resets the failed ones, or all with --all. If an agent is working
on it, Ralph asks first; without a terminal it needs --yes.`,
  examples: [
    ['ralph task reset 4k2m9', 'retry it'],
    ['ralph task reset 8x1wq --all', 'redo all its subtasks'],
  ],
  touches: 'writes store',
})

export const TASK_LOG = defineCommandRow({
  name: 'log',
  summary: 'Show the log of a task, or add a note',
  args: { task: TASK },
  flags: { message: { short: 'm', value: 'TEXT', help: 'Add this note' }, limit: LIMIT_FLAG, json: JSON_FLAG },
  about: 'Oldest first; --limit shows the newest. Works for archived tasks too.',
  examples: [
    ['ralph task log 4k2m9', 'what happened, and why it failed'],
    ['ralph task log 4k2m9 -m "the parser is in src/exif.ts"', 'add a note'],
  ],
  touches: 'writes store',
})

const EDGE_ARGS = {
  blocker: { says: 'BLOCKER', takes: 'one', offers: 'tasks' },
  blocked: { says: 'BLOCKED', takes: 'one', offers: 'tasks' },
} as const

export const TASK_DEPS_ADD = defineCommandRow({
  name: 'add',
  summary: 'Make BLOCKED wait for BLOCKER',
  args: EDGE_ARGS,
  flags: { json: JSON_FLAG },
  outside: true,
})

export const TASK_DEPS_RM = defineCommandRow({
  name: 'rm',
  summary: 'Remove that dependency',
  args: EDGE_ARGS,
  flags: { json: JSON_FLAG },
  outside: true,
})

export const TASK_DEPS_LIST = defineCommandRow({
  name: 'list',
  summary: 'List what a task waits for, and what waits for it',
  args: { task: TASK },
  flags: { json: JSON_FLAG },
})

const DEPS: CommandGroup = {
  name: 'deps',
  summary: 'Dependencies between tasks',
  usage: 'add|rm BLOCKER BLOCKED | list TASK',
  verbs: [
    defineCommand(TASK_DEPS_ADD, () => import('../commands/task/edit.ts'), 'addDep'),
    defineCommand(TASK_DEPS_RM, () => import('../commands/task/edit.ts'), 'removeDep'),
    defineCommand(TASK_DEPS_LIST, () => import('../commands/task/show.ts'), 'deps'),
  ],
  about: `Circular dependencies are refused. A task waits for its blockers and its
parents' blockers; a parent waits for its subtasks.`,
  examples: [
    ['ralph task deps add 4k2m9 8x1wq', '8x1wq waits for 4k2m9'],
    ['ralph task deps rm 4k2m9 8x1wq', 'remove that dependency'],
    ['ralph task deps list 8x1wq', 'what it waits for, and what waits for it'],
  ],
  touches: 'writes store',
}

const TASKS: CommandGroup = {
  name: 'task',
  summary: 'List, add and change tasks and their dependencies',
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
  about: `Verbs: tree, add, create, list, show, update, delete, done, fail, reset, log,
deps.
See \`ralph task VERB --help\`, and the guide: \`ralph help tasks\`.
TASK is an ID or its beginning, with or without \`t-\`.`,
  examples: [
    ['ralph task', 'all tasks as a tree'],
    ['ralph task add "rename photos by date"', 'add one'],
    ['ralph task list --ready', 'what can start now'],
    ['ralph task deps add 4k2m9 8x1wq', '8x1wq waits for 4k2m9'],
    ['ralph run', 'run them'],
  ],
  touches: 'writes store',
}

export const SKIP = defineCommandRow({
  name: 'skip',
  summary: 'Mark a task failed and move on to the next one',
  args: { task: OPEN_TASK },
  flags: { json: JSON_FLAG },
  outside: true,
  about: `Stops the agent that works on it. Tasks that depend on it stay blocked. To retry
it: \`ralph task reset TASK\`.`,
  examples: [['ralph skip 4k2m9', 'give up on this one']],
  touches: 'writes store',
})

export const TASK_COMMANDS: readonly Command[] = [TASKS]
export const SKIP_COMMAND: Command = defineCommand(SKIP, () => import('../commands/task/mark.ts'), 'skip')
