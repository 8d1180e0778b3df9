/**
 * Flags of bash Ralph that act and exit instead of starting a loop: each runs the command that replaces it. As in bash Ralph,
 * the first such flag is executed and the rest of the line is ignored.
 */
import type { Io } from '../framework/io.ts'
import type { CommandInput, CommonInput } from '../framework/command.ts'
import { ACTION_FLAGS } from '../command-table/action-flags.ts'
import type { LOOP } from '../command-table/run-commands.ts'

interface OneShot {
  /** The command line that replaces the flag; a value of the flag is appended. */
  is: [string, ...string[]]
  /** Prints exactly what bash Ralph printed, for scripts that parse it. With `--json` the command prints its own JSON. */
  prints?: () => Promise<(input: CommonInput, io: Io) => Promise<number>>
}

type Name = keyof typeof ACTION_FLAGS

const MEANS: Readonly<Record<Name, OneShot>> = {
  status: { is: ['status'], prints: async () => (await import('./status.ts')).printLegacyStatus },
  'circuit-status': { is: ['circuit', 'status'], prints: async () => (await import('./status.ts')).printLegacyCircuit },
  'reset-circuit': { is: ['circuit', 'reset'] },
  'reset-session': { is: ['conversation', 'reset'] },
  rollback: { is: ['rollback'] },
}

/** Runs the first such flag and returns its exit code; null: there is none, so the line starts a loop. */
export async function runActionFlag(input: CommandInput<typeof LOOP>, io: Io): Promise<number | null> {
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
