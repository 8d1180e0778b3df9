/**
 * The bash tool's flags that act and end instead of starting a loop: each is a command of its own here, reached by the old name. As
 * there, the first one on the line is done and everything else on it is left.
 */
import { RalphError } from '../../../domain/error.ts'
import type { Flag, Input, Run } from '../frame/row.ts'
import type { Io } from '../frame/io.ts'

interface OneShot extends Flag {
  /** The command line it stands for; a value of the flag comes after. */
  is: [string, ...string[]]
  /** Where scripts read what the bash tool printed: what prints the same. In JSON it is the command's answer. */
  prints?: () => Promise<Run>
}

export const ONE_SHOTS: readonly OneShot[] = [
  {
    long: 'status',
    short: 's',
    is: ['status'],
    prints: async () => (await import('./status.ts')).status,
    help: 'Print the status.json of the bash tool; for people: `ralph status`',
  },
  {
    long: 'circuit-status',
    is: ['circuit', 'status'],
    prints: async () => (await import('./status.ts')).circuit,
    help: 'Print the breaker as the bash tool did; for people: `ralph circuit`',
  },
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
  const { COMMANDS } = await import('../table/table.ts')
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) throw notYet(shot)
  const value = input.flags[shot.long]
  const json = input.flags['json']
  const run =
    json === undefined && shot.prints !== undefined ? await shot.prints() : (await command.load()).run
  return run(
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
