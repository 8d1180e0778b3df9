/** Prints one result in two forms: JSON for programs, a screen for people. */
import { EXIT, type ExitCode } from '../../../core/error.ts'
import { createPaint, type ScreenStyle } from '../../plain/colours.ts'
import type { TerminalStyle } from '../../plain/screens/task-lines.ts'
import type { CommandHandler, CommandRow, CommandInput } from './command.ts'
import { outputWidth, type Io } from './io.ts'

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
export type OutputStyle = ScreenStyle & TerminalStyle

export function styleOf(io: Io): OutputStyle {
  return { p: createPaint(io.colour), columns: io.columns(), width: outputWidth(io) }
}

/** The code of a command that finds or changes something and prints the result: as JSON with `--json`, else as a screen. */
export function createPrintCommand<R extends CommandRow & { flags: { json: object } }, Facts extends object>(
  find: (input: CommandInput<R>, io: Io) => Facts | Promise<Facts>,
  screen: (facts: Facts, style: OutputStyle, input: CommandInput<R>) => string,
): CommandHandler<R> {
  return async (input, io) => {
    const facts = await find(input, io)
    const { json } = input.flags as unknown as { json: boolean }
    return printResult(facts, () => screen(facts, styleOf(io), input), { json, io })
  }
}
