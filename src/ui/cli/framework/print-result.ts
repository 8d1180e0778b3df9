/** Prints one result in two forms: JSON for programs, a screen for people. */
import { EXIT, type ExitCode } from '../../../core/error.ts'
import { paint, type ScreenStyle } from '../../plain/colours.ts'
import type { TerminalStyle } from '../../plain/screens/task-lines.ts'
import type { CommandCode, CommandRow, Input } from './command.ts'
import { widthOf, type Io } from './io.ts'

/** Returns the exit code of the command. */
export function printResult(
  facts: object,
  screen: () => string,
  { json, io, exit = EXIT.done }: { json: boolean; io: Io; exit?: ExitCode },
): number {
  io.out(json ? `${JSON.stringify(facts)}\n` : screen())
  return exit
}

/** The style of screens here: `columns` is a terminal's width, `width` is unlimited in a pipe. */
export type Style = ScreenStyle & TerminalStyle

export function styleOf(io: Io): Style {
  return { p: paint(io.colour), columns: io.columns(), width: widthOf(io) }
}

/** The code of a command that finds or changes something and prints the result: as JSON with `--json`, else as a screen. */
export function printing<R extends CommandRow & { flags: { json: object } }, Facts extends object>(
  find: (input: Input<R>, io: Io) => Facts | Promise<Facts>,
  screen: (facts: Facts, style: Style, input: Input<R>) => string,
): CommandCode<R> {
  return async (input, io) => {
    const facts = await find(input, io)
    const { json } = input.flags as unknown as { json: boolean }
    return printResult(facts, () => screen(facts, styleOf(io), input), { json, io })
  }
}
