/** Commands that run agents and verify their work. */
import { defineCommand, defineCommandRow, type Command } from '../framework/command.ts'
import { JSON_FLAG, QUIET_FLAG, TRUST_FLAG } from './shared-flags.ts'
import { ACTION_FLAGS } from './action-flags.ts'

export const LOOP = defineCommandRow({
  name: 'loop',
  summary: 'Run the agent on PROMPT.md again and again until the gates prove the work done',
  flags: {
    once: { help: 'One iteration, then stop' },
    fresh: { help: 'Give up an unfinished run and begin a new one; agents at a usage limit are asked again at once' },
    yes: { short: 'y', help: 'Begin without a question; warnings are only told' },
    json: { ...JSON_FLAG, help: 'One JSON object per fact; the last line is the result' },
    quiet: QUIET_FLAG,
    monitor: { short: 'm', help: 'Run in the background with the dashboard on it' },
    detach: { short: 'd', help: 'Run in the background and return at once' },
    tmux: { help: 'With --monitor: a tmux session of three panes instead of the dashboard' },
    trust: TRUST_FLAG,
    ...ACTION_FLAGS,
  },
  settings: 'all',
  outside: true,
  about: `An unfinished run (after a crash, a power cut or a pause) is taken up where it was, and says so.
Ctrl+C ends the agent and stops the run; twice: at once.
Programs that a file of the project names (gates, an agent's command) are asked about once before they run, and again when they
have changed; without a terminal that is exit code 2 and what would run.
Before the first call, what is likely to make it worthless is told and, on a terminal, asked about once per project and cause: an
untouched template, no gate, a gate that runs 0 tests, agents that are missing or not logged in, no budget. No answer within a minute:
an untouched template or 0 tests do not begin (exit code 2), anything else does.`,
  examples: [
    ['ralph loop', 'work until proven done, or until a limit'],
    ['ralph loop --once', 'one iteration, to see what happens'],
    ['ralph loop --max-iterations 50 --budget-usd 10', 'a night with limits'],
    ['ralph loop --agent claude,codex', 'codex takes over when claude hits its limit'],
    ['ralph loop --monitor', 'with the dashboard; leave it and the run goes on'],
    ['ralph loop --detach', 'in the background; look with: ralph watch'],
  ],
  touches: 'holds workspace',
})

export const RUN = defineCommandRow({
  name: 'run',
  summary: 'Work through tasks, each proven before it counts',
  args: { target: { says: 'FEATURE|TASK', takes: 'maybe' } },
  flags: {
    all: { help: 'Every task there is; also what is meant when nothing is named' },
    once: { short: 'o', help: 'One iteration, then stop' },
    limit: { value: 'N', whole: { min: 0 }, help: 'Iterations after which the run ends; 0: no limit, as without it' },
    'max-retries': {
      value: 'N',
      whole: { min: 0 },
      help: 'How often a task is worked on again before it counts as failed; a task may say its own',
    },
    'no-verify': { help: 'No second agent reads what was done; the gates decide as always' },
    fresh: LOOP.flags.fresh,
    yes: LOOP.flags.yes,
    json: LOOP.flags.json,
    quiet: QUIET_FLAG,
    monitor: LOOP.flags.monitor,
    detach: LOOP.flags.detach,
    tmux: LOOP.flags.tmux,
    trust: TRUST_FLAG,
  },
  settings: 'all',
  outside: true,
  about: `Takes the first task that is ready (pending, nothing unfinished before it or before its parents, its time has come), has an agent work on it, and
judges what it did: the project's gates and the task's own checks, then a second agent that only reads (--no-verify: without it).
What does not hold goes back with the reasons, as often as the task may be retried (--max-retries); then the task is failed, what depends on it
is blocked, and the rest goes on. So many failed in a row and none done (task.breaker): the run pauses.
Ctrl+C on a terminal ends the agent, asks what the next one should know about its task, and whether to go on; twice, or where nobody can be
asked: it stops.
Exit code 0: all tasks in scope are done. 3: there is no task. 4: tasks failed or are blocked, or a limit ended the run. 5: done, but unproven where proof is required.`,
  examples: [
    ['ralph run', 'every task that is ready, one after the other'],
    ['ralph run checkout', 'the tasks of one feature'],
    ['ralph run t-4k2m9', 'one task, or all below it'],
    ['ralph run --once', 'one iteration, to see what happens'],
    ['ralph run --no-verify --max-retries 1', 'without a second agent, with one more try'],
  ],
  touches: 'holds workspace',
})

export const VERIFY = defineCommandRow({
  name: 'verify',
  summary: 'Judge the tree as it is now, as a completion would be judged',
  flags: {
    json: JSON_FLAG,
    since: { value: 'REF', help: 'Against this commit instead of the last proven state' },
    quick: { help: 'The gates only; then it says "gates passed", never "proven"' },
    gate: { value: 'NAME', help: 'Only this gate, which proves nothing by itself' },
    trust: TRUST_FLAG,
  },
  outside: true,
  about:
    'Runs the gates where you work, then in a clean room: with the files that judge the work as they were, and with the work broken, which the gates must notice. Exit code 0: proven (or gates passed, with --quick). 4: refused. 5: unproven, or waiting for `ralph accept`.',
  examples: [
    ['ralph verify', 'against the last proven or accepted state'],
    ['ralph verify --since origin/main', 'a branch, in CI'],
    ['ralph verify --quick', 'the gates only'],
  ],
  touches: 'holds workspace',
})

export const ACCEPT = defineCommandRow({
  name: 'accept',
  summary: 'Decide about changed tests, configuration or tools that the work passes only with',
  args: { files: { says: 'FILE', takes: 'many' } },
  flags: {
    json: JSON_FLAG,
    yes: {
      short: 'y',
      value: 'FILE',
      optional: true,
      many: true,
      help: 'Accept this file without a question; alone: all of them',
    },
    no: { help: 'Accept nothing but what --yes names' },
  },
  outside: true,
  about: `A run that ends "done, if you accept" needs something changed that judges it, and nobody allowed that beforehand ([tests: …],
[protected: …] in the plan, proof.allow_tests, proof.allow_protected). Each such file is shown with its change, and asked about on a terminal.
Accepted: the state is proven, by your name, and later work is judged against it; exit code 0. Not accepted, or nothing decided: exit
code 5, the work stays, and the next run tells the agent. Nothing to decide: exit code 3.`,
  examples: [
    ['ralph accept', 'see each change and say yes or no'],
    ['ralph accept --yes', 'accept them all'],
    ['ralph accept --yes test/a.test.js --no', 'this one, and no other'],
    ['ralph accept --json', 'what is asked, for a program'],
  ],
  touches: 'writes store',
})

export const RUN_COMMANDS: readonly Command[] = [
  defineCommand(LOOP, () => import('../commands/run/loop.ts')),
  defineCommand(RUN, () => import('../commands/run/run.ts')),
  defineCommand(VERIFY, () => import('../commands/run/verify.ts')),
  defineCommand(ACCEPT, () => import('../commands/run/accept.ts')),
]
