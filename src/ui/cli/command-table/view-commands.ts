/** Commands that show the status of a run and its history. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { RUNS, STATS, STATUS } from './quick-commands.ts'
import { JSON_FLAG, RUN_ARG } from './shared-flags.ts'

export const WATCH = defineCommandRow({
  name: 'watch',
  summary: 'Watch a run, while it goes on or afterwards: what it does, why, what it costs',
  args: { run: RUN_ARG },
  flags: {
    pane: { value: 'NAME', help: 'Show one pane alone: messages, decisions, events, plan, run, iterations or detail' },
    plain: { help: 'Lines instead of the dashboard, as in a pipe' },
    json: { ...JSON_FLAG, help: 'Every row of the record as JSON, until the run ends' },
  },
  about: `Come and go at will: the run does not notice. Keys are shown at the bottom; ? shows all of them.
Every iteration of the run is in the list (6): its words (w), diff (d), what its gates printed (t) and the evidence (e).
Without a terminal the facts are printed as lines until the run ends.`,
  examples: [
    ['ralph watch', 'the last run of this project'],
    ['ralph watch k7f3qa', 'a certain one, running or finished'],
    ['ralph watch | tee night.log', 'lines as they come'],
  ],
  touches: 'reads',
})

export const REPLAY = defineCommandRow({
  name: 'replay',
  summary: 'Watch a run again from its record, or check that it would be decided the same way',
  args: { run: RUN_ARG, changes: { says: 'KEY=VALUE', takes: 'many' } },
  flags: {
    speed: { value: 'X', help: 'Times real time; 0: all at once (default 20)' },
    from: { value: 'N', whole: { min: 0 }, help: 'Begin with this iteration' },
    check: { help: 'Refold the record and fail on any difference' },
    'what-if': {
      value: 'KEY=VALUE',
      many: true,
      help: 'What would have been decided under other settings; may be given more than once',
    },
    json: JSON_FLAG,
  },
  about: `--what-if folds the record as it was and as it might have been, and tells the first decision that differs, with both
reasons. What would have come after it nobody knows. Rules that only watch (breaker, exit, budget) are then fed the recorded
facts all the same, and every later row where they would have spoken otherwise is listed as such.`,
  examples: [
    ['ralph replay', 'the last run, twenty times as fast'],
    ['ralph replay k7f3qa --from 7 --speed 0', 'from iteration 7 on, at once'],
    ['ralph replay k7f3qa --check', 'does every row still follow from the ones before?'],
    ['ralph replay k7f3qa --what-if breaker.no_progress=2', 'would a stricter breaker have stopped it earlier?'],
  ],
  touches: 'reads',
})

export const SHOW = defineCommandRow({
  name: 'show',
  summary: 'A run, or one iteration of it: prompt, reply, change, evidence, decisions',
  args: { run: RUN_ARG, iteration: { says: 'ITERATION', takes: 'maybe' } },
  usage: '[RUN [ITERATION]]',
  flags: {
    prompt: { help: 'Only the prompt that was sent, whole' },
    reply: { help: "Only the agent's last words" },
    patch: { help: 'Only the change, as a patch' },
    json: JSON_FLAG,
  },
  examples: [
    ['ralph show', 'the last run'],
    ['ralph show k7f3qa 3', 'what happened in iteration 3, and why'],
    ['ralph show k7f3qa 3 --patch | git apply -R', 'take back what it changed'],
    ['ralph show k7f3qa w2:3', 'iteration 3 of worker 2, in a run of several workers'],
  ],
  touches: 'reads',
})

export const LOGS = defineCommandRow({
  name: 'logs',
  summary: "The agent's words, the gates' output and the events of a run",
  args: { run: RUN_ARG },
  flags: {
    follow: { short: 'f', help: 'The last 20 lines, then all that comes, until the run ends' },
    lines: { short: 'n', value: 'N', whole: { min: 0 }, help: 'Begin with the last N lines; without -f, only those' },
    iteration: { short: 'i', value: 'N', whole: { min: 0 }, help: 'Only this iteration; 0 is before the first' },
    agent: { help: "Only the agents' words" },
    gate: { help: "Only the gates' output" },
    events: { help: 'Only the events of the record' },
    grep: { short: 'g', value: 'PATTERN', help: 'Only lines that match, whatever the case' },
    json: { ...JSON_FLAG, help: 'One JSON object per line' },
  },
  examples: [
    ['ralph logs -f', 'what it says, as it says it'],
    ['ralph logs -n 50', 'the last 50 lines'],
    ['ralph logs k7f3qa --iteration 3 --agent', 'what the agent said in iteration 3'],
    ['ralph logs --gate --grep error', 'what the gates complained about'],
  ],
  touches: 'reads',
})

export const REPORT = defineCommandRow({
  name: 'report',
  summary: 'The morning report: what was done, proven and refused, what it cost, what to do next',
  args: { run: RUN_ARG },
  flags: { md: { help: 'Markdown' }, json: JSON_FLAG },
  about: 'Every run leaves its report in .ralph/reports when it ends.',
  examples: [
    ['ralph report', 'the last run'],
    ['ralph report k7f3qa --md > night.md', 'for a pull request'],
  ],
  touches: 'reads',
})

export const EXPORT = defineCommandRow({
  name: 'export',
  summary: 'One file of a run for a bug report, with names, places and secrets taken out',
  args: { run: RUN_ARG },
  flags: {
    output: { short: 'o', value: 'FILE', help: 'Where to; - is stdout (default ralph-RUN.jsonl)' },
    logs: { help: "Also the ends of the agents' and gates' logs and the prompts" },
    json: JSON_FLAG,
  },
  examples: [['ralph export k7f3qa', 'ralph-k7f3qa.jsonl in this folder']],
  touches: 'reads',
})

const INSPECT_FLAGS = {
  json: JSON_FLAG,
  agent: { value: 'NAME', help: 'Read the file as the output of this agent' },
  text: { help: 'Text mode: heuristics over the words' },
} as const

export const INSPECT_REPLY = defineCommandRow({
  name: 'reply',
  summary: "An agent's saved output",
  args: { file: { says: 'FILE', takes: 'one', offers: 'files' } },
  flags: INSPECT_FLAGS,
})

export const INSPECT_SIGNALS = defineCommandRow({
  name: 'signals',
  summary: 'The exit decision after each reply',
  args: { files: { says: 'FILE', takes: 'some', offers: 'files' } },
  flags: INSPECT_FLAGS,
})

export const INSPECT_BREAKER = defineCommandRow({
  name: 'breaker',
  summary: 'The breaker after each line',
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
  summary: "The working tree's hash",
  flags: INSPECT_FLAGS,
})

export const INSPECT_PLAN = defineCommandRow({ name: 'plan', summary: 'The boxes of the plan', flags: INSPECT_FLAGS })

export const INSPECT_PROMPT = defineCommandRow({
  name: 'prompt',
  summary: 'What an agent is told about a task, part by part',
  args: { task: { says: 'TASK', takes: 'one' } },
  flags: {
    json: JSON_FLAG,
    full: { help: 'The text itself, as an agent gets it' },
    verify: { help: 'As the second reader gets it' },
  },
})

const INSPECT: CommandGroup = {
  name: 'inspect',
  summary: 'How Ralph reads a file or would decide',
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
  reply FILE      what an agent's saved output amounts to, and why
  signals FILE …  the exit decision after each of these replies in turn
  breaker FILE    the breaker after each line of a JSONL file of {progress, question, error, denied, declined, at}
  evidence [RUN]  the gate results of a run
  snapshot        the working tree's hash and what it leaves out
  plan            the boxes of the plan, as counted
  prompt TASK     what an agent is told about a task: every part with its tokens and where it comes from`,
  examples: [
    ['ralph inspect reply agent.log --agent claude', 'why was this taken for a completion?'],
    ['ralph inspect evidence', 'what was proven, on which tree'],
    ['ralph inspect prompt t-7k2qf', 'what is in its prompt, and what of it was cut'],
    ['ralph inspect prompt t-7k2qf --full | less', 'the text itself'],
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
  defineCommand(REPORT, () => import('../commands/run/report.ts')),
  defineCommand(STATS, () => import('../commands/run/stats.ts')),
  defineCommand(EXPORT, () => import('../commands/run/export.ts')),
  INSPECT,
]
