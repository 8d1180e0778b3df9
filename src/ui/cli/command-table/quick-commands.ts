/** The rows of the commands that have a bundle of their own (`quick/`): each of them loads this whole file at its start. */
import { TASK_SORT_KEYS } from '../../../core/tasks/sort-keys.ts'
import { SHOWN_STATUSES } from '../../../core/tasks/task.ts'
import { defineCommandRow } from '../framework/command.ts'
import { JSON_FLAG, LIMIT_FLAG } from './shared-flags.ts'

export const STATUS = defineCommandRow({
  name: 'status',
  summary: 'Show the current run, or how the last one ended',
  flags: { json: JSON_FLAG, verbose: { short: 'v', help: 'Also check which agents are installed' } },
  examples: [
    ['ralph status', 'for people'],
    ['ralph status --json', 'for scripts'],
  ],
  touches: 'reads',
})

export const RUNS = defineCommandRow({
  name: 'runs',
  summary: 'List runs, newest first',
  flags: {
    limit: { short: 'n', value: 'N', whole: { min: 1 }, help: 'Show at most N (default 20)' },
    all: { help: 'Include runs of ralph verify and ralph import' },
    json: JSON_FLAG,
  },
  examples: [['ralph runs', 'the last 20, with outcome and cost']],
  touches: 'reads',
})

export const STATS = defineCommandRow({
  name: 'stats',
  summary: 'Totals across runs: iterations, proven work, time, tokens, cost',
  flags: {
    by: {
      value: 'WHAT',
      of: ['run', 'day', 'agent', 'model', 'task', 'feature'],
      help: 'Group by run (default), day, agent, model, task or feature',
    },
    csv: { help: 'Print CSV' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph stats --by day', 'one line per day'],
    ['ralph stats --by task', 'cost per task'],
    ['ralph stats --by agent --csv', 'for a spreadsheet'],
  ],
  touches: 'reads',
})

export const TASK_LIST = defineCommandRow({
  name: 'list',
  summary: 'List tasks, filtered and sorted',
  flags: {
    ready: { help: 'Only tasks that can start now' },
    status: {
      value: 'STATUS',
      of: SHOWN_STATUSES,
      many: true,
      help: 'pending, blocked, in_progress, done or failed (repeatable)',
    },
    feature: { value: 'NAME', help: 'Only tasks of this feature (name or ID)' },
    parent: { value: 'TASK', help: 'Only direct subtasks of this task' },
    under: { value: 'TASK', help: 'Only this task and all its subtasks' },
    standalone: { help: 'Only tasks without a feature' },
    search: { value: 'TEXT', help: 'Only tasks with this text in ID, title or description' },
    archived: { help: 'Show archived tasks instead' },
    all: { help: 'Show every task (the default)' },
    sort: {
      value: 'BY',
      of: TASK_SORT_KEYS,
      help: 'Sort by priority (default), order (as added), status, created, updated or title',
    },
    limit: LIMIT_FLAG,
    json: JSON_FLAG,
  },
  about: `Filters combine. A task is ready when it is pending, has no subtasks, its start
time has passed, and neither it nor its parents wait for another task.`,
  examples: [
    ['ralph task list', 'all tasks, in the order they will run'],
    ['ralph task list --ready --limit 5', 'the next five'],
    ['ralph task list --status failed', 'failed tasks'],
    ['ralph task list --feature checkout --status blocked --json', 'for scripts'],
  ],
  touches: 'reads',
})
