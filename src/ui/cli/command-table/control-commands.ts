/** Commands that steer a run or undo it. */
import { defineCommand, defineCommandRow, type Command, type CommandGroup } from '../framework/command.ts'
import { SKIP_COMMAND } from './task-commands.ts'
import { JSON_FLAG, QUIET_FLAG, RUN_ARG, TRUST_FLAG } from './shared-flags.ts'

export const RESUME = defineCommandRow({
  name: 'resume',
  summary: 'Go on with a paused or cut-off run',
  args: { run: RUN_ARG },
  flags: { json: JSON_FLAG, quiet: QUIET_FLAG, trust: TRUST_FLAG },
  outside: true,
  examples: [
    ['ralph resume', 'the unfinished run of this project'],
    ['ralph resume k7f3qa', 'a certain one'],
  ],
  touches: 'holds workspace',
})

export const UNDO = defineCommandRow({
  name: 'undo',
  summary: 'Take the last run back, and nothing else; your own commits and changes stay',
  args: { run: RUN_ARG },
  flags: {
    json: JSON_FLAG,
    yes: { short: 'y', help: 'Do not ask' },
    'dry-run': { help: 'Only show what would happen' },
    undo: { help: 'Take back the last undo, or that of RUN or of the task' },
    task: { value: 'TASK', help: 'Only what was done for this task, in all runs; it is pending again then' },
  },
  outside: true,
  about: `Commits, files, boxes of the plan and other lines of control files that the run changed are shown, then asked about (no terminal
and no --yes: shown only, exit code 2). Commits you made since are made anew on top of where the run began; what you changed, staged or
added since stays as it is, also in files that the run changed. What cannot be told apart is named and nothing is changed: exit code 4.
Nothing to take back: exit code 3. Everything that was there is kept under refs/ralph/undo first. Ignored files are not touched.`,
  examples: [
    ['ralph undo', 'see what would happen, then decide'],
    ['ralph undo k7f3qa --yes', 'a certain run, without a question'],
    ['ralph undo --undo', 'have it back'],
    ['ralph undo --task t-3k9fq', 'what was done for one task, and nothing else'],
    ['ralph undo --undo --task t-3k9fq', 'have that back'],
  ],
  touches: 'holds workspace',
})

export const BACKUP = defineCommandRow({
  name: 'backup',
  summary: 'Keep the working tree as it is now, untracked files included',
  flags: { json: JSON_FLAG },
  examples: [['ralph backup', 'before you try something']],
  touches: 'writes store',
})

export const ROLLBACK = defineCommandRow({
  name: 'rollback',
  summary: 'List the backups, or put the working tree back to one; no branch is moved',
  args: { name: { says: 'NAME', takes: 'maybe' } },
  flags: { json: JSON_FLAG },
  outside: true,
  about:
    'Names are those of backups, of snapshots from before an iteration (RUN/N), and of backup branches that the bash tool left.',
  examples: [
    ['ralph rollback', 'which there are'],
    ['ralph rollback k7f3qa/3', 'back to before iteration 3'],
  ],
  touches: 'holds workspace',
})

export const STOP = defineCommandRow({
  name: 'stop',
  summary: 'Stop the running engine and everything it started',
  flags: { json: JSON_FLAG, now: { help: 'Kill the agent without letting it end by itself' } },
  outside: true,
  examples: [
    ['ralph stop', 'end the agent, then the run'],
    ['ralph stop --now', 'at once'],
  ],
  touches: 'writes store',
})

export const PAUSE = defineCommandRow({
  name: 'pause',
  summary: 'Finish the iteration under way, then wait for `ralph resume`',
  flags: { json: JSON_FLAG },
  outside: true,
  examples: [['ralph pause', 'let it finish what it does, then wait']],
  touches: 'writes store',
})

export const STEER = defineCommandRow({
  name: 'steer',
  summary: 'Tell the agent something in its next prompt',
  args: { text: { says: 'TEXT', takes: 'one' } },
  flags: { json: JSON_FLAG },
  outside: true,
  examples: [['ralph steer "use the existing parser"', 'goes into the next iteration']],
  touches: 'writes store',
})

export const ANSWER = defineCommandRow({
  name: 'answer',
  summary: 'See what agents asked, and answer: the answer goes into the next prompt',
  args: { id: { says: 'ID', takes: 'maybe' }, text: { says: 'TEXT', takes: 'many' } },
  usage: '[ID TEXT …]',
  flags: { all: { help: 'Also what is answered already, or about tasks that are done' }, json: JSON_FLAG },
  about: `Whoever asked was told at once that nobody is there, and went on with the careful way: no run waits for an answer. About a task it stays in
the task's log and is told in each of its visits that follow; in a loop it is told once, by the run that goes on or by the next. Answered again, only the
last answer is told.`,
  examples: [
    ['ralph answer', 'what is open'],
    ['ralph answer q4f2a91 "keep the old format"', 'one of them'],
    ['ralph answer q4f2a91 - < answer.txt', 'from a pipe'],
    ['ralph answer --all --json', 'everything that was asked, for a program'],
  ],
  touches: 'writes store',
})

export const SET = defineCommandRow({
  name: 'set',
  summary: 'Change a limit of the running run',
  args: { change: { says: 'KEY=VALUE', takes: 'one', offers: 'limits' } },
  flags: { json: JSON_FLAG },
  outside: true,
  examples: [['ralph set budget.usd=20', 'raise the budget while it runs']],
  touches: 'writes store',
})

const CIRCUIT_FLAGS = { json: JSON_FLAG } as const

export const CIRCUIT_STATUS = defineCommandRow({
  name: 'status',
  summary: 'Is it open, why, and until when',
  flags: CIRCUIT_FLAGS,
})

export const CIRCUIT_RESET = defineCommandRow({
  name: 'reset',
  summary: 'Close it and try again at once',
  flags: CIRCUIT_FLAGS,
  outside: true,
})

export const CIRCUIT_HISTORY = defineCommandRow({
  name: 'history',
  summary: 'Every turn it has taken',
  flags: CIRCUIT_FLAGS,
})

const CIRCUIT: CommandGroup = {
  name: 'circuit',
  summary: 'The breaker: how it stands, closing it by hand, and its history',
  usual: 'status',
  verbs: [
    defineCommand(CIRCUIT_STATUS, () => import('../commands/circuit.ts'), 'status'),
    defineCommand(CIRCUIT_RESET, () => import('../commands/circuit.ts'), 'reset'),
    defineCommand(CIRCUIT_HISTORY, () => import('../commands/circuit.ts'), 'history'),
  ],
  about: `A reset holds from the next run on, and begins a fresh conversation as well. It is refused while a run goes on,
which has its own breaker.`,
  examples: [
    ['ralph circuit', 'is it open, why, and until when?'],
    ['ralph circuit reset', 'close it and try again at once'],
    ['ralph circuit history', 'every turn it has taken'],
  ],
  touches: 'writes store',
}

const CONVERSATION_FLAGS = { json: JSON_FLAG } as const

export const CONVERSATION_SHOW = defineCommandRow({
  name: 'show',
  summary: 'Which one the next iteration goes on with',
  flags: CONVERSATION_FLAGS,
})

export const CONVERSATION_RESET = defineCommandRow({
  name: 'reset',
  summary: 'Begin a fresh one',
  flags: CONVERSATION_FLAGS,
  outside: true,
})

export const CONVERSATION_HISTORY = defineCommandRow({
  name: 'history',
  summary: 'When conversations were given up, and why',
  flags: CONVERSATION_FLAGS,
})

const CONVERSATION = {
  name: 'conversation',
  summary: "The agent's conversation: which one is gone on with, a fresh start, and its history",
  usual: 'show',
  verbs: [
    defineCommand(CONVERSATION_SHOW, () => import('../commands/conversation.ts'), 'show'),
    defineCommand(CONVERSATION_RESET, () => import('../commands/conversation.ts'), 'reset'),
    defineCommand(CONVERSATION_HISTORY, () => import('../commands/conversation.ts'), 'history'),
  ],
  about: 'The bash tool called it session, and that name works too. A reset is refused while a run goes on.',
  examples: [
    ['ralph conversation', 'which one the next iteration goes on with'],
    ['ralph conversation reset', 'begin a fresh one'],
    ['ralph conversation history', 'when conversations were given up, and why'],
  ],
  touches: 'writes store',
} satisfies CommandGroup

/** The bash tool's name for this command. */
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
