/**
 * The bash tool's flags that act and end instead of starting a loop: each is a command of its own here, reached by the old name. As
 * there, the first one on the line is done and everything else on it is left.
 */
import type { Io } from '../framework/io.ts'
import type { Input, TypedCommand } from '../framework/command.ts'
import { ACTION_FLAGS } from '../command-table/action-flags.ts'
import type { LOOP } from '../command-table/run-commands.ts'

interface OneShot {
  /** The command line it stands for; a value of the flag comes after. */
  is: [string, ...string[]]
  /** Where scripts read what the bash tool printed: what prints the same. In JSON it is the command's answer. */
  prints?: () => Promise<(input: TypedCommand, io: Io) => Promise<number>>
}

type Name = keyof typeof ACTION_FLAGS

const MEANS: Readonly<Record<Name, OneShot>> = {
  status: { is: ['status'], prints: async () => (await import('./status.ts')).status },
  'circuit-status': {
    is: ['circuit', 'status'],
    prints: async () => (await import('./status.ts')).circuit,
  },
  'reset-circuit': { is: ['circuit', 'reset'] },
  'reset-session': { is: ['conversation', 'reset'] },
  rollback: { is: ['rollback'] },
}

/** Does what the first such flag says and gives its exit code; null: there is none, so a loop is meant. */
export async function runActionFlag(input: Input<typeof LOOP>, io: Io): Promise<number | null> {
  const name = input.given.find((given): given is Name => Object.hasOwn(ACTION_FLAGS, given))
  if (name === undefined) return null
  const { is, prints } = MEANS[name]
  const { json, rollback } = input.flags
  if (!json && prints !== undefined) return (await prints())(input, io)
  const { findCommand, findLeafCommand } = await import('../framework/find-command.ts')
  const { parseCommandLine } = await import('../framework/parse-command-line.ts')
  const [first, ...rest] = is
  const value = name === 'rollback' && typeof rollback === 'string' ? [rollback] : []
  const leaf = findLeafCommand(findCommand(first, [...rest, ...(json ? ['--json'] : []), '--', ...value]))
  const { settings, typed } = input
  return leaf.command.start({ ...parseCommandLine(leaf), settings, typed, by: name }, io)
}
