/** What an old command is: its own flags, its own exit codes, and what does its work now. */
import type { Io } from '../framework/io.ts'
import type { FlagValues, ParsedLine, FlagWithoutHelp } from '../framework/command.ts'

/** What the old `ralph-enable` and `ralph-enable-ci` exit with. */
export const BASH_EXIT_CODES = { done: 0, error: 1, already: 2, usage: 3, noFile: 4 } as const

type OldFlags = Readonly<Record<string, FlagWithoutHelp>>

interface Words {
  usage: string
  /** The most arguments it takes. */
  args: number
  exits: { usage: number; error: number }
}

/** A command line of the old kind, read. */
export interface BashCommandLine<F extends OldFlags> {
  args: string[]
  flags: FlagValues<F>
}

export interface BashProgram extends Words {
  flags: OldFlags
  run(said: Pick<ParsedLine, 'flags'> & { args: string[] }, io: Io): Promise<number>
}

/** Ties its flags to its code, as `command` does for a row of ours. */
export function bashProgram<const F extends OldFlags>(
  program: Words & { flags: F; run(said: BashCommandLine<F>, io: Io): Promise<number> },
): BashProgram {
  return {
    ...program,
    run: ({ args, flags }, io) => program.run({ args, flags: flags as unknown as FlagValues<F> }, io),
  }
}
