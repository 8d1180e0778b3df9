/** Commands that show the status of a run and its history. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { RUNS, STATS, STATUS } from './quick-commands.ts'
import { JSON_FLAG, RUN_ARG } from './shared-flags.ts'

export const WATCH = defineCommandRow({
  name: 'watch',
  summary: 'Open the dashboard of a running or finished run',
  args: { run: RUN_ARG },
  flags: {
    pane: { value: 'NAME', help: 'Show only one pane: messages, decisions, events, plan, run, iterations or detail' },
    plain: { help: 'Print lines instead of the dashboard (the default in a pipe)' },
    json: { ...JSON_FLAG, help: 'Print every row of the record as JSON, until the run ends' },
  },
  about: `Quitting does not stop the run. ? shows all keys; guide: \`ralph help dashboard\`.
Without a terminal it prints lines until the run ends.`,
  examples: [
    ['ralph watch', 'the last run'],
    ['ralph watch k7f3qa', 'this run'],
    ['ralph watch | tee night.log', 'as lines'],
  ],
  touches: 'reads',
})

export const REPLAY = defineCommandRow({
  name: 'replay',
  summary: 'Replay a run from its record, or check its decisions',
  args: { run: RUN_ARG, changes: { says: 'KEY=VALUE', takes: 'many' } },
  flags: {
    speed: { value: 'X', help: 'Speed factor (default 20; 0: all at once)' },
    from: { value: 'N', whole: { min: 0 }, help: 'Start at this iteration' },
    check: { help: 'Check that a replay makes the same decisions; fail if not' },
    'what-if': {
      value: 'KEY=VALUE',
      many: true,
      help: 'Show which decisions differ with this setting (repeatable)',
    },
    json: JSON_FLAG,
  },
  about: `--what-if prints the first decision that differs, with both reasons. Ralph can't
know how the run would continue. It also lists later rows where the breaker,
the exit rule or the budget would have decided differently on the recorded
facts.`,
  examples: [
    ['ralph replay', 'the last run, 20 times as fast'],
    ['ralph replay k7f3qa --from 7 --speed 0', 'from iteration 7, all at once'],
    ['ralph replay k7f3qa --check', 'check its decisions'],
    ['ralph replay k7f3qa --what-if breaker.no_progress=2', 'with a stricter breaker'],
  ],
  touches: 'reads',
})

export const SHOW = defineCommandRow({
  name: 'show',
  summary: 'Show a run or one iteration in detail',
  args: { run: RUN_ARG, iteration: { says: 'ITERATION', takes: 'maybe' } },
  usage: '[RUN [ITERATION]]',
  flags: {
    prompt: { help: 'Print only the prompt, in full' },
    reply: { help: "Print only the agent's last message" },
    patch: { help: 'Print only the changes, as a patch' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph show', 'the last run'],
    ['ralph show k7f3qa 3', 'iteration 3'],
    ['ralph show k7f3qa 3 --patch | git apply -R', 'revert its changes'],
    ['ralph show k7f3qa w2:3', 'iteration 3 of worker 2'],
  ],
  touches: 'reads',
})

export const LOGS = defineCommandRow({
  name: 'logs',
  summary: "Print a run's log: agent messages, gate output and events",
  args: { run: RUN_ARG },
  flags: {
    follow: { short: 'f', help: 'Print the last 20 lines, then new ones until the run ends' },
    lines: {
      short: 'n',
      value: 'N',
      whole: { min: 0 },
      help: 'Print only the last N lines (with -f: start with them)',
    },
    iteration: { short: 'i', value: 'N', whole: { min: 0 }, help: 'Only this iteration (0: before the first)' },
    agent: { help: 'Only agent messages' },
    gate: { help: 'Only gate output' },
    events: { help: 'Only events' },
    grep: { short: 'g', value: 'PATTERN', help: 'Only matching lines (regular expression, ignores case)' },
    json: { ...JSON_FLAG, help: 'Print one JSON object per line' },
  },
  examples: [
    ['ralph logs -f', 'follow a run'],
    ['ralph logs -n 50', 'the last 50 lines'],
    ['ralph logs k7f3qa --iteration 3 --agent', 'agent messages of one iteration'],
    ['ralph logs --gate --grep error', 'errors in gate output'],
  ],
  touches: 'reads',
})

export const REPORT = defineCommandRow({
  name: 'report',
  summary: 'Summarize a run: work done, proof, cost and what to do next',
  args: { run: RUN_ARG },
  flags: {
    md: { help: 'Markdown' },
    html: { help: 'Write one HTML page with charts and diffs, and print its path' },
    output: {
      short: 'o',
      value: 'FILE',
      help: 'With --html: write to FILE; - is stdout (default: a file in .ralph/reports)',
    },
    json: JSON_FLAG,
  },
  about: `Every run saves its report in .ralph/reports when it ends.
The HTML page needs no script and no other file, so you can send it by e-mail. Known secrets in it are masked.`,
  examples: [
    ['ralph report', 'the last run'],
    ['ralph report k7f3qa --md > night.md', 'for a pull request'],
    ['ralph report --html', 'a page for the browser'],
  ],
  touches: 'reads',
})

export const EXPORT = defineCommandRow({
  name: 'export',
  summary: 'Export a redacted run for a bug report',
  args: { run: RUN_ARG },
  flags: {
    output: { short: 'o', value: 'FILE', help: 'Output file (default ralph-RUN.jsonl; -: standard output)' },
    logs: { help: 'Include prompts and the last part of each agent and gate log' },
    json: JSON_FLAG,
  },
  examples: [['ralph export k7f3qa', 'writes ralph-k7f3qa.jsonl']],
  touches: 'reads',
})

const INSPECT_FLAGS = {
  json: JSON_FLAG,
  agent: { value: 'NAME', help: 'Agent that wrote this output' },
  text: { help: 'Parse as plain text' },
} as const

export const INSPECT_REPLY = defineCommandRow({
  name: 'reply',
  summary: "How Ralph reads an agent's saved output",
  args: { file: { says: 'FILE', takes: 'one', offers: 'files' } },
  flags: INSPECT_FLAGS,
})

export const INSPECT_SIGNALS = defineCommandRow({
  name: 'signals',
  summary: 'Exit decision after each reply',
  args: { files: { says: 'FILE', takes: 'some', offers: 'files' } },
  flags: INSPECT_FLAGS,
})

export const INSPECT_BREAKER = defineCommandRow({
  name: 'breaker',
  summary: 'Breaker state after each line',
  args: { file: { says: 'FILE', takes: 'one', offers: 'files' } },
  flags: INSPECT_FLAGS,
})

export const INSPECT_EVIDENCE = defineCommandRow({
  name: 'evidence',
  summary: 'Gate results of a run',
  args: { run: RUN_ARG },
  flags: INSPECT_FLAGS,
})

export const INSPECT_SNAPSHOT = defineCommandRow({
  name: 'snapshot',
  summary: 'Hash of the working tree',
  flags: INSPECT_FLAGS,
})

export const INSPECT_PLAN = defineCommandRow({ name: 'plan', summary: 'Items of the plan', flags: INSPECT_FLAGS })

export const INSPECT_PROMPT = defineCommandRow({
  name: 'prompt',
  summary: 'Prompt of a task, part by part',
  args: { task: { says: 'TASK', takes: 'one', offers: 'tasks' } },
  flags: {
    json: JSON_FLAG,
    full: { help: 'Print the text the agent gets' },
    verify: { help: 'Show the prompt for the reviewer instead' },
  },
})

const INSPECT: CommandGroup = {
  name: 'inspect',
  summary: 'Debug: show how Ralph reads a file and what it would decide',
  usage: 'WHAT [FILE …]',
  verbs: [
    defineCommand(INSPECT_REPLY, () => import('../commands/inspect.ts'), 'reply'),
    defineCommand(INSPECT_SIGNALS, () => import('../commands/inspect.ts'), 'signals'),
    defineCommand(INSPECT_BREAKER, () => import('../commands/inspect.ts'), 'breaker'),
    defineCommand(INSPECT_EVIDENCE, () => import('../commands/inspect.ts'), 'evidence'),
    defineCommand(INSPECT_SNAPSHOT, () => import('../commands/inspect.ts'), 'snapshot'),
    defineCommand(INSPECT_PLAN, () => import('../commands/inspect.ts'), 'plan'),
    defineCommand(INSPECT_PROMPT, () => import('../commands/inspect.ts'), 'prompt'),
  ],
  about: `WHAT is one of
  reply FILE      how Ralph reads an agent's saved output, and why
  signals FILE …  the exit decision after each of these replies
  breaker FILE    the breaker after each line of a JSONL file of
                  {progress, question, error, denied, declined, at}
  evidence [RUN]  gate and proof results of a run
  snapshot        hash of the working tree, and what it excludes
  plan            the items of the plan, as Ralph counts them
  prompt TASK     prompt of a task: every part with its tokens and origin`,
  examples: [
    ['ralph inspect reply agent.log --agent claude', 'why it counts as done'],
    ['ralph inspect evidence', 'what was proven'],
    ['ralph inspect prompt t-7k2qf', 'parts of its prompt'],
    ['ralph inspect prompt t-7k2qf --full | less', 'the prompt itself'],
  ],
  touches: 'reads',
}

export const VIEW_COMMANDS: readonly Command[] = [
  defineCommand(STATUS, () => import('../commands/run/status.ts')),
  defineCommand(WATCH, () => import('../commands/run/watch.ts')),
  defineCommand(REPLAY, () => import('../commands/run/replay.ts')),
  defineCommand(RUNS, () => import('../commands/run/runs.ts')),
  defineCommand(SHOW, () => import('../commands/run/show.ts')),
  defineCommand(LOGS, () => import('../commands/run/logs.ts')),
  defineCommand(REPORT, () => import('../commands/report/report.ts')),
  defineCommand(STATS, () => import('../commands/run/stats.ts')),
  defineCommand(EXPORT, () => import('../commands/run/export.ts')),
  INSPECT,
]
