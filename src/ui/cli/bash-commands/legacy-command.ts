/** Defines an old command: its flags, its exit codes and the code that implements it now. */
import type { Io } from '../framework/io.ts'
import type { FlagValues, ParsedLine, FlagWithoutHelp } from '../framework/command.ts'

/** The exit codes of the old `ralph-enable` and `ralph-enable-ci`. */
export const LEGACY_EXIT_CODES = { done: 0, error: 1, already: 2, usage: 3, noFile: 4 } as const

type OldFlags = Readonly<Record<string, FlagWithoutHelp>>

interface Words {
  usage: string
  /** The maximum number of arguments. */
  args: number
  exits: { usage: number; error: number }
}

/** A parsed command line of an old command. */
export interface LegacyCommandLine<F extends OldFlags> {
  args: string[]
  flags: FlagValues<F>
}

export interface LegacyCommand extends Words {
  flags: OldFlags
  run(said: Pick<ParsedLine, 'flags'> & { args: string[] }, io: Io): Promise<number>
}

/** Connects the flags of an old command to its code, as `command` does for a row of the table. */
export function defineLegacyCommand<const F extends OldFlags>(
  program: Words & { flags: F; run(said: LegacyCommandLine<F>, io: Io): Promise<number> },
): LegacyCommand {
  return {
    ...program,
    run: ({ args, flags }, io) => program.run({ args, flags: flags as unknown as FlagValues<F> }, io),
  }
}
