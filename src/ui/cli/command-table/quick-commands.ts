/** The rows of the commands that have a bundle of their own (`quick/`): each of them loads this whole file at its start. */
import { TASK_SORT_KEYS } from '../../../core/tasks/sort-keys.ts'
import { SHOWN_STATUSES } from '../../../core/tasks/task.ts'
import { defineCommandRow } from '../framework/command.ts'
import { JSON_FLAG, LIMIT_FLAG } from './shared-flags.ts'

export const STATUS = defineCommandRow({
  name: 'status',
  summary: 'What is going on, or how the last run ended',
  flags: { json: JSON_FLAG, verbose: { short: 'v', help: 'Also ask the agents whether they are there' } },
  examples: [
    ['ralph status', 'at a glance'],
    ['ralph status --json', 'for programs'],
  ],
  touches: 'reads',
})

export const RUNS = defineCommandRow({
  name: 'runs',
  summary: 'What has run here, newest first',
  flags: {
    limit: { short: 'n', value: 'N', whole: { min: 1 }, help: 'How many (default 20)' },
    all: { help: 'Include runs of ralph verify and ralph import' },
    json: JSON_FLAG,
  },
  examples: [['ralph runs', 'the last twenty, with outcome and cost']],
  touches: 'reads',
})

export const STATS = defineCommandRow({
  name: 'stats',
  summary: 'What the runs came to: iterations, success, proofs, time, tokens, cost',
  flags: {
    by: {
      value: 'WHAT',
      of: ['run', 'day', 'agent', 'model', 'task', 'feature'],
      help: 'run, day, agent, model, task or feature (default run)',
    },
    csv: { help: 'For a spreadsheet' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph stats --by day', 'a line a day'],
    ['ralph stats --by task', 'what each task cost'],
    ['ralph stats --by agent --csv', 'for a spreadsheet'],
  ],
  touches: 'reads',
})

export const TASK_LIST = defineCommandRow({
  name: 'list',
  summary: 'Tasks in a list, filtered and sorted',
  flags: {
    ready: { help: 'Only what can be worked on now' },
    status: {
      value: 'STATUS',
      of: SHOWN_STATUSES,
      many: true,
      help: 'pending, blocked, in_progress, done or failed; again for more',
    },
    feature: { value: 'NAME', help: 'Of this feature, by name or id' },
    parent: { value: 'TASK', help: 'Children of this one' },
    under: { value: 'TASK', help: 'This one and all below it' },
    standalone: { help: 'Of no feature' },
    search: { value: 'TEXT', help: 'With this in id, title or description' },
    archived: { help: 'Those that were deleted and have a history, instead' },
    all: { help: 'Every task; also what is meant when nothing is said' },
    sort: {
      value: 'BY',
      of: TASK_SORT_KEYS,
      help: 'priority (default), order (of arrival), status, created, updated or title',
    },
    limit: LIMIT_FLAG,
    json: JSON_FLAG,
  },
  about: `Filters add up. A task is ready when it is pending, has no children, its time has come, and nothing unfinished stands before it or before a
task above it; blocked, when something does. With --json: a list with the keys of the Rust tool, and ours after them.`,
  examples: [
    ['ralph task list', 'all of them, in the order in which they would be done'],
    ['ralph task list --ready --limit 5', 'what comes next'],
    ['ralph task list --status failed', 'what failed'],
    ['ralph task list --feature checkout --status blocked --json', 'for a program'],
  ],
  touches: 'reads',
})
