/** Commands that run agents and verify their work. */
import { defineCommand, defineCommandRow, type Command } from '../framework/command.ts'
import { JSON_FLAG, QUIET_FLAG, TRUST_FLAG } from './shared-flags.ts'
import { ACTION_FLAGS } from './action-flags.ts'

export const LOOP = defineCommandRow({
  name: 'loop',
  summary: 'Run the agent on PROMPT.md until your gates prove the work done',
  flags: {
    once: { help: 'Run one iteration, then stop' },
    fresh: { help: 'Start a new run instead of resuming an unfinished one, and retry agents that hit a usage limit' },
    yes: { short: 'y', help: "Don't prompt; print warnings and continue" },
    json: { ...JSON_FLAG, help: 'Print newline-delimited JSON events; the last line is the result' },
    quiet: QUIET_FLAG,
    monitor: { short: 'm', help: 'Run in the background and open the dashboard' },
    detach: { short: 'd', help: 'Run in the background and return at once' },
    tmux: { help: 'With --monitor: use three tmux panes instead of the dashboard' },
    trust: TRUST_FLAG,
    ...ACTION_FLAGS,
  },
  settings: 'all',
  outside: true,
  about: `Resumes an unfinished run (after a crash, a power cut or a pause).
Ctrl+C stops the agent and the run; press it again to force quit. Ralph asks
once before running any command that a project file specifies (\`ralph help
trust\`). It warns about problems likely to waste the run and, on a terminal,
asks for confirmation. After a minute without an answer it starts, unless the
prompt is an unedited template or a gate runs 0 tests (exit code 2).
How a run can end, and what to do next: \`ralph help endings\`.`,
  examples: [
    ['ralph loop', 'until proven done, or until a limit'],
    ['ralph loop --once', 'one iteration, to try it out'],
    ['ralph loop --max-iterations 50 --budget-usd 10', 'overnight, with limits'],
    ['ralph loop --agent claude,codex', 'fall back to codex'],
    ['ralph loop --monitor', 'with the dashboard (quit it any time)'],
    ['ralph loop --detach', 'in the background; see ralph watch'],
  ],
  touches: 'holds workspace',
})

export const RUN = defineCommandRow({
  name: 'run',
  summary: 'Work through your tasks and verify each one',
  args: { target: { says: 'FEATURE|TASK', takes: 'maybe', offers: 'work' } },
  flags: {
    all: { help: 'Run every task (the default)' },
    once: { short: 'o', help: 'Run one iteration, then stop' },
    limit: { value: 'N', whole: { min: 0 }, help: 'Stop after N iterations (default 0: no limit)' },
    'max-retries': {
      value: 'N',
      whole: { min: 0 },
      help: "Retries per task before it fails; a task's own value takes precedence",
    },
    'no-verify': { help: 'Skip the review by a second agent; the gates still run' },
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
  about: `Takes the first ready task and has an agent work on it. Then the gates, the
task's own checks and a reviewing agent decide. Rejected work is retried with
the reasons. After the last retry the task fails, the tasks that depend on it
are blocked, and the run continues with the next one.
Ctrl+C on a terminal stops the agent and asks whether to continue; press it
again to stop the run.
Exit code 0: all tasks are done. 3: there are no tasks. 4: tasks failed or are
blocked, or a limit was reached. 5: done, but proof is required and missing.
More: \`ralph help tasks\`.`,
  examples: [
    ['ralph run', 'all tasks'],
    ['ralph run checkout', 'the tasks of one feature'],
    ['ralph run t-4k2m9', 'one task and its subtasks'],
    ['ralph run --once', 'one iteration, to try it out'],
    ['ralph run --no-verify --max-retries 1', 'no review, at most one retry'],
  ],
  touches: 'holds workspace',
})

export const VERIFY = defineCommandRow({
  name: 'verify',
  summary: 'Run the full completion check on the working tree',
  flags: {
    json: JSON_FLAG,
    since: { value: 'REF', help: 'Compare with this commit instead of the last proven state' },
    quick: { help: 'Run only the gates; the best result is then "gates passed", not "proven"' },
    gate: { value: 'NAME', help: 'Run only this gate (proves nothing by itself)' },
    trust: TRUST_FLAG,
  },
  outside: true,
  about: `Runs the gates here, then in a clean room: with the original tests and config,
and with the work broken on purpose, which the gates must notice (\`ralph help
proof\`).
Exit code 0: proven, or gates passed with --quick. 4: rejected. 5: unproven, or
waiting for \`ralph accept\`.`,
  examples: [
    ['ralph verify', 'changes since the last proven state'],
    ['ralph verify --since origin/main', 'a branch, in CI'],
    ['ralph verify --quick', 'only the gates'],
  ],
  touches: 'holds workspace',
})

export const ACCEPT = defineCommandRow({
  name: 'accept',
  summary: 'Review and approve test or config changes the work depends on',
  args: { files: { says: 'FILE', takes: 'many' } },
  flags: {
    json: JSON_FLAG,
    yes: {
      short: 'y',
      value: 'FILE',
      optional: true,
      many: true,
      help: 'Accept this file without asking (without FILE: all of them)',
    },
    no: { help: 'Reject every file that --yes does not name' },
  },
  outside: true,
  about: `For a run that ends with DONE, NEEDS REVIEW: it changed tests or config without
prior approval, and its checks pass only with those changes. Shows each change
and, on a terminal, asks about it. To approve such changes in advance:
proof.allow_tests, proof.allow_protected (\`ralph help proof\`).
Exit code 0: accepted; the state now counts as proven. 5: rejected or
undecided; the work stays, and the next run tells the agent. 3: nothing to
review.`,
  examples: [
    ['ralph accept', 'review each change'],
    ['ralph accept --yes', 'accept them all'],
    ['ralph accept --yes test/a.test.js --no', 'accept this one, reject the rest'],
    ['ralph accept --json', 'list them, for scripts'],
  ],
  touches: 'writes store',
})

export const RUN_COMMANDS: readonly Command[] = [
  defineCommand(LOOP, () => import('../commands/run/loop.ts')),
  defineCommand(RUN, () => import('../commands/run/run.ts')),
  defineCommand(VERIFY, () => import('../commands/run/verify.ts')),
  defineCommand(ACCEPT, () => import('../commands/run/accept.ts')),
]
