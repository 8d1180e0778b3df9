/** The program: finds the command, loads only what it needs, and turns every result or error into an exit code. */
import { EXIT, messageOf, RalphError } from '../../core/error.ts'
import { VERSION } from '../version.ts'
import { refuseInsideRun } from './framework/refuse-inside-run.ts'
import { outputWidth, type Io } from './framework/io.ts'
import { ioForCommand, ioForScreens } from './framework/locale-output.ts'

/** Runs one command line and returns its exit code. Never throws. */
export async function main(argv: string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    return reportError(error, argv, io)
  }
}

async function dispatch(argv: string[], io: Io): Promise<number> {
  const [first] = argv
  if (first?.startsWith('old:') === true) {
    const { runLegacyCommand } = await import('./bash-commands/run-legacy-command.ts')
    return runLegacyCommand(first.slice('old:'.length), argv.slice(1), io)
  }
  if (first === '--version' || first === '-V' || first === 'version') {
    io.out(`${VERSION}\n`)
    return EXIT.done
  }
  if (first === '-v' && argv.length === 1)
    throw new RalphError('usage', '-v means --verbose and needs a command', {
      hint: 'The version: ralph --version. A loop with more output: ralph loop -v',
    })
  const { findCommand, findLeafCommand, findCommandWithHelpPage } = await import('./framework/find-command.ts')
  if (first === '--help' || first === '-h' || first === 'help') {
    const { helpForWords, helpOverview } = await import('./framework/help.ts')
    ioForScreens(io).out(
      first === 'help' && argv.length > 1 ? helpForWords(argv.slice(1), io.columns()) : helpOverview(),
    )
    return EXIT.done
  }
  const named = first !== undefined && !first.startsWith('-')
  const found = named ? findCommand(first, argv.slice(1)) : findCommand('loop', argv)
  if (found.rest.includes('--help') || found.rest.includes('-h')) {
    const { helpFor } = await import('./framework/help.ts')
    ioForScreens(io).out(helpFor(findCommandWithHelpPage(found), outputWidth(io)))
    return EXIT.done
  }
  const { parseCommandLine } = await import('./framework/parse-command-line.ts')
  const leaf = findLeafCommand(found)
  const input = parseCommandLine(leaf, { bare: !named })
  if (leaf.command.outside === true) refuseInsideRun(input.command, io)
  try {
    return await leaf.command.start(input, ioForCommand(io, input))
  } catch (error) {
    throw isBadFlag(error) ? withHint(error, `See: ralph ${input.command} --help`) : error
  }
}

/** An error in the flag of a setting: settings are parsed elsewhere, but only this module knows whose help to name. */
function isBadFlag(error: unknown): error is RalphError {
  return error instanceof RalphError && error.code === 'bad-setting' && error.hint === undefined
}

function withHint({ code, message, cause, more }: RalphError, hint: string): RalphError {
  return new RalphError(code, message, { hint, cause, ...(more === undefined ? {} : { more }) })
}

/** Prints one clear message: what happened, to what, what to do next. An unexpected error is reported as an internal error. */
export function reportError(error: unknown, argv: string[], io: Io): number {
  const known = error instanceof RalphError
  const code = known ? error.exit : EXIT.bug
  if (argv.includes('--json')) {
    const body = {
      error: known ? error.code : 'bug',
      message: messageOf(error),
      hint: known ? (error.hint ?? null) : null,
      exit: code,
      ...(known ? error.more?.facts : {}),
    }
    io.out(`${JSON.stringify(body)}\n`)
    return code
  }
  const screen = ioForScreens(io)
  screen.err(`ralph: ${messageOf(error)}\n`)
  if (known && error.more !== undefined && error.more.lines.length > 0) screen.err(`\n${error.more.lines.join('\n')}\n`)
  if (known && error.hint !== undefined) screen.err(`       ${error.hint}\n`)
  if (!known) {
    screen.err('       This is an internal error in Ralph. Please report it with the lines below.\n')
    if (error instanceof Error && error.stack !== undefined) screen.err(`${error.stack}\n`)
  }
  return code
}
