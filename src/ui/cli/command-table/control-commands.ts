/** Commands that steer a run or undo it. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { SKIP_COMMAND } from './task-commands.ts'
import { JSON_FLAG, QUIET_FLAG, RUN_ARG, TRUST_FLAG, YES_FLAG } from './shared-flags.ts'

export const RESUME = defineCommandRow({
  name: 'resume',
  summary: 'Resume a paused or interrupted run',
  args: { run: RUN_ARG },
  flags: { json: JSON_FLAG, quiet: QUIET_FLAG, trust: TRUST_FLAG },
  outside: true,
  examples: [
    ['ralph resume', 'the unfinished run of this project'],
    ['ralph resume k7f3qa', 'this run'],
  ],
  touches: 'holds workspace',
})

export const UNDO = defineCommandRow({
  name: 'undo',
  summary: 'Revert the last run and nothing else; your own work stays',
  args: { run: RUN_ARG },
  flags: {
    json: JSON_FLAG,
    yes: YES_FLAG,
    'dry-run': { help: 'Show what would happen, and do nothing' },
    undo: { help: 'Revert the last undo (or the undo of RUN or --task)' },
    task: { value: 'TASK', help: 'Revert only the work on this task, in all runs; the task becomes pending' },
  },
  outside: true,
  about: `Lists the commits, files and ticked items it will revert, asks first, and keeps
any work you did since. Your own later commits are rebased. Ignored files stay.
A backup of everything is saved under refs/ralph/undo (\`ralph help undo\`).
Exit code 2: no terminal and no --yes, so it only lists. 3: nothing to undo. 4:
your changes and the run's cannot be separated, so nothing is changed.`,
  examples: [
    ['ralph undo', 'list the changes, then decide'],
    ['ralph undo k7f3qa --yes', 'this run, without asking'],
    ['ralph undo --undo', 'revert the undo'],
    ['ralph undo --task t-3k9fq', 'only the work on one task'],
    ['ralph undo --undo --task t-3k9fq', 'revert the undo of one task'],
  ],
  touches: 'holds workspace',
})

export const BACKUP = defineCommandRow({
  name: 'backup',
  summary: 'Save the working tree, including untracked files',
  flags: { json: JSON_FLAG },
  examples: [['ralph backup', 'before you try something']],
  touches: 'writes store',
})

export const ROLLBACK = defineCommandRow({
  name: 'rollback',
  summary: 'List backups, or restore the working tree from one',
  args: { name: { says: 'NAME', takes: 'maybe' } },
  flags: { json: JSON_FLAG },
  outside: true,
  about: `NAME is a backup, a snapshot from before an iteration (RUN/N), or a backup
branch of bash Ralph. Rollback does not move any git branch.`,
  examples: [
    ['ralph rollback', 'list them'],
    ['ralph rollback k7f3qa/3', 'restore the files from before iteration 3'],
  ],
  touches: 'holds workspace',
})

export const STOP = defineCommandRow({
  name: 'stop',
  summary: 'Stop the current run and every process it started',
  flags: { json: JSON_FLAG, now: { help: 'Kill the agent at once' } },
  outside: true,
  examples: [
    ['ralph stop', 'stop the agent, then the run'],
    ['ralph stop --now', 'kill the agent'],
  ],
  touches: 'writes store',
})

export const PAUSE = defineCommandRow({
  name: 'pause',
  summary: 'Finish the current iteration, then wait for `ralph resume`',
  flags: { json: JSON_FLAG },
  outside: true,
  examples: [['ralph pause', 'resume with: ralph resume']],
  touches: 'writes store',
})

export const STEER = defineCommandRow({
  name: 'steer',
  summary: 'Add guidance to the next prompt',
  args: { text: { says: 'TEXT', takes: 'one' } },
  flags: { json: JSON_FLAG },
  outside: true,
  examples: [['ralph steer "use the existing parser"', 'in the next iteration']],
  touches: 'writes store',
})

export const ANSWER = defineCommandRow({
  name: 'answer',
  summary: "List agents' questions and answer them",
  args: { id: { says: 'ID', takes: 'maybe' }, text: { says: 'TEXT', takes: 'many' } },
  usage: '[ID TEXT … | ID --dismiss]',
  flags: {
    all: { help: 'Also list answered and dismissed questions, and those about finished tasks' },
    dismiss: { help: 'Close the question without an answer' },
    json: JSON_FLAG,
  },
  about: `A run never waits for an answer: the agent takes the safe option and continues.
Your answer goes into the next prompt of the loop, or into every later prompt of
the task. A second answer replaces the first.`,
  examples: [
    ['ralph answer', 'list open questions'],
    ['ralph answer q4f2a91 "keep the old format"', 'answer one'],
    ['ralph answer q4f --dismiss', 'close one without an answer'],
    ['ralph answer q4f2a91 - < answer.txt', 'read the answer from a file'],
    ['ralph answer --all --json', 'all of them, for scripts'],
  ],
  touches: 'writes store',
})

export const SET = defineCommandRow({
  name: 'set',
  summary: 'Change a limit of the current run',
  args: { change: { says: 'KEY=VALUE', takes: 'one', offers: 'limits' } },
  flags: { json: JSON_FLAG },
  outside: true,
  examples: [['ralph set budget.usd=20', 'raise the budget']],
  touches: 'writes store',
})

const CIRCUIT_FLAGS = { json: JSON_FLAG } as const

export const CIRCUIT_STATUS = defineCommandRow({
  name: 'status',
  summary: 'Show whether it is open, why, and until when',
  flags: CIRCUIT_FLAGS,
})

export const CIRCUIT_RESET = defineCommandRow({
  name: 'reset',
  summary: 'Close it, so that the next run starts at once',
  flags: CIRCUIT_FLAGS,
  outside: true,
})

export const CIRCUIT_HISTORY = defineCommandRow({
  name: 'history',
  summary: 'List every time it opened or closed',
  flags: CIRCUIT_FLAGS,
})

const CIRCUIT: CommandGroup = {
  name: 'circuit',
  summary: 'Show, reset or list trips of the circuit breaker',
  usual: 'status',
  verbs: [
    defineCommand(CIRCUIT_STATUS, () => import('../commands/circuit.ts'), 'status'),
    defineCommand(CIRCUIT_RESET, () => import('../commands/circuit.ts'), 'reset'),
    defineCommand(CIRCUIT_HISTORY, () => import('../commands/circuit.ts'), 'history'),
  ],
  about: `A reset applies to the next run and also starts a new agent session. You cannot
reset during a run.`,
  examples: [
    ['ralph circuit', 'is it open, why, and until when?'],
    ['ralph circuit reset', 'close it'],
    ['ralph circuit history', 'when it opened and closed'],
  ],
  touches: 'writes store',
}

const CONVERSATION_FLAGS = { json: JSON_FLAG } as const

export const CONVERSATION_SHOW = defineCommandRow({
  name: 'show',
  summary: 'Show the agent session that will be resumed',
  flags: CONVERSATION_FLAGS,
})

export const CONVERSATION_RESET = defineCommandRow({
  name: 'reset',
  summary: 'Start a new agent session in the next run',
  flags: CONVERSATION_FLAGS,
  outside: true,
})

export const CONVERSATION_HISTORY = defineCommandRow({
  name: 'history',
  summary: 'List when sessions ended, and why',
  flags: CONVERSATION_FLAGS,
})

const CONVERSATION = {
  name: 'conversation',
  summary: 'Show, reset or list the agent session that will be resumed',
  usual: 'show',
  verbs: [
    defineCommand(CONVERSATION_SHOW, () => import('../commands/conversation.ts'), 'show'),
    defineCommand(CONVERSATION_RESET, () => import('../commands/conversation.ts'), 'reset'),
    defineCommand(CONVERSATION_HISTORY, () => import('../commands/conversation.ts'), 'history'),
  ],
  about: `\`ralph session\`, its name in bash Ralph, works too. During a run a reset is
refused.`,
  examples: [
    ['ralph conversation', 'the session that will be resumed'],
    ['ralph conversation reset', 'start a new one in the next run'],
    ['ralph conversation history', 'when sessions ended, and why'],
  ],
  touches: 'writes store',
} satisfies CommandGroup

/** The name of this command in bash Ralph. */
const SESSION: CommandGroup = {
  ...CONVERSATION,
  name: 'session',
  hidden: true,
}

export const CONTROL_COMMANDS: readonly Command[] = [
  defineCommand(RESUME, () => import('../commands/steer/resume.ts')),
  defineCommand(UNDO, () => import('../commands/undo/undo.ts')),
  defineCommand(BACKUP, () => import('../commands/undo/backup.ts'), 'backup'),
  defineCommand(ROLLBACK, () => import('../commands/undo/backup.ts'), 'rollback'),
  defineCommand(STOP, () => import('../commands/steer/requests.ts'), 'stop'),
  defineCommand(PAUSE, () => import('../commands/steer/requests.ts'), 'pause'),
  defineCommand(STEER, () => import('../commands/steer/requests.ts'), 'steer'),
  defineCommand(ANSWER, () => import('../commands/steer/answer.ts')),
  defineCommand(SET, () => import('../commands/steer/requests.ts'), 'set'),
  SKIP_COMMAND,
  CIRCUIT,
  CONVERSATION,
  SESSION,
]
