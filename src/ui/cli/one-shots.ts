/**
 * The bash tool's flags that act and end instead of starting a loop: each is a command of its own here, reached by the old name. As
 * there, the first one on the line is done and everything else on it is left.
 */
import { RalphError } from '../../domain/error.ts'
import type { Flag, Input } from './command.ts'
import type { Io } from './io.ts'

interface OneShot extends Flag {
  /** The command line it stands for; a value of the flag comes after. */
  is: [string, ...string[]]
}

export const ONE_SHOTS: readonly OneShot[] = [
  { long: 'status', short: 's', is: ['status'], help: 'Old name of `ralph status`' },
  { long: 'circuit-status', is: ['circuit', 'status'], help: 'Old name of `ralph circuit status`' },
  { long: 'reset-circuit', is: ['circuit', 'reset'], help: 'Old name of `ralph circuit reset`' },
  { long: 'reset-session', is: ['conversation', 'reset'], help: 'Old name of `ralph conversation reset`' },
  {
    long: 'rollback',
    value: 'NAME',
    optional: true,
    is: ['rollback'],
    help: 'Old name of `ralph rollback [NAME]`',
  },
]

/** Does what the first such flag says and gives its exit code; null: there is none, so a loop is meant. */
export async function oneShot(input: Input, io: Io): Promise<number | null> {
  const shot = Object.keys(input.flags)
    .map((name) => ONE_SHOTS.find(({ long }) => long === name))
    .find((one) => one !== undefined)
  if (shot === undefined) return null
  const [name, ...args] = shot.is
  const { COMMANDS } = await import('./commands.ts')
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) throw notYet(shot)
  const value = input.flags[shot.long]
  const json = input.flags['json']
  return (await command.load()).run(
    {
      command: command.name,
      args: typeof value === 'string' ? [...args, value] : args,
      flags: { by: shot.long, ...(json === undefined ? {} : { json }) },
      settings: input.settings,
      typed: input.typed,
    },
    io,
  )
}

function notYet({ long }: OneShot): RalphError {
  return new RalphError('usage', `--${long} is not offered`, {
    hint: 'Back to before the last run: ralph undo',
  })
}

const ISSUES = 'reporting to a GitHub issue is not part of the loop'
const QUEUE = 'there is no queue of issues: the plan is the queue'
const SANDBOX = 'agents run on this machine, in the project; there is no sandbox to put them in'

/** Flags of the bash tool that would mean something else if they were ignored: they are refused, with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  ...each(
    [
      'queue-status',
      'process-queue',
      'halt-on-failure',
      'resume-queue',
      'queue-next',
      'queue-clear',
      'queue-remove',
    ],
    QUEUE,
  ),
  ...each(
    [
      'github-issue',
      'comment-progress',
      'comment-interval',
      'auto-close',
      'close-summary',
      'create-pr',
      'link-issue',
    ],
    ISSUES,
  ),
  ...each(['draft-pr', 'create-followups', 'followup-label', 'add-label'], ISSUES),
  ...each(
    ['sandbox', 'sandbox-image', 'sandbox-memory', 'sandbox-cpus', 'sandbox-network', 'sandbox-template'],
    SANDBOX,
  ),
  ...each(
    ['sandbox-id', 'sandbox-timeout', 'sandbox-keep-alive', 'sandbox-max-cost', 'sandbox-cost-alert'],
    SANDBOX,
  ),
  ...each(['sync-include', 'sync-exclude'], SANDBOX),
}

/** Why a flag of the bash tool is refused; null: it never was one. */
export function refusedFlag(raw: string): RalphError | null {
  const name = raw.replace(/^-+/, '')
  const why = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
  if (why === undefined) return null
  return new RalphError('usage', `--${name} is not offered: ${why}`, {
    hint: 'Leave the flag out. Nothing was started.',
  })
}

function each(names: readonly string[], why: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, why]))
}
