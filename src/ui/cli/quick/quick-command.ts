/**
 * Commands that scripts call every few seconds have a bundle each, so that they cost little more than an empty Node. Modules they rarely
 * need (starting git, asking agents, reading state of other versions) are not in the bundle: the build replaces them by a throw of
 * `WHOLE`, and the complete program runs instead. Up to that point the command has printed and changed nothing.
 */
import { openDirectOutput } from '../../../system/terminal/direct-output.ts'
import { standardStreams } from '../../../system/terminal/streams.ts'
import type { CommandHandler, CommandRow, FlagSpecs, CommandInput } from '../framework/command.ts'
import { ioForCommand } from '../framework/locale-output.ts'
import { parseFlagValues, type RawFlags } from '../framework/flag-values.ts'
import { reportError } from '../main.ts'

/** Thrown in place of every module that would be loaded later; see rolldown.config.ts. */
const WHOLE: unknown = Symbol.for('ralph: the whole program')

/** Null: the complete program must run. `words`: those after the command's own. */
export type QuickCommand = (command: string, words: string[]) => Promise<Answered | null>

interface Answered {
  exit: number
  /** All output is written: the process may exit at once and skip Node's cleanup, which takes as long as a screen. */
  isSaid: boolean
}

export function createQuickCommand<R extends CommandRow & { flags: FlagSpecs }>(
  row: R,
  code: CommandHandler<R>,
): QuickCommand {
  return async (command, words) => {
    const said = parseSimpleFlags(words, row.flags)
    if (said === null) return null
    const io = standardStreams({ plain: openDirectOutput(1) })
    try {
      const line = {
        command,
        typed: ['ralph', command, ...words].join(' '),
        words: [],
        args: {},
        flags: parseFlagValues(row.flags, said),
        settings: {},
        given: [...said.keys()],
        by: null,
      }
      // As in `command`: the values fit the row because they were parsed by it.
      const exit = await code(line as unknown as CommandInput<R>, ioForCommand(io, line))
      return { exit, isSaid: io.isSaid() }
    } catch (error) {
      return error === WHOLE ? null : { exit: reportError(error, words, io), isSaid: io.isSaid() }
    }
  }
}

/** Parses flags of the simplest form: `--limit 5`. Null: anything else, which needs Node's parser; not loading that saves time here. */
function parseSimpleFlags(words: string[], flags: FlagSpecs): RawFlags | null {
  const said: RawFlags = new Map()
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const long = word.startsWith('--') ? word.slice(2) : ''
    const flag = Object.hasOwn(flags, long) ? flags[long] : undefined
    if (flag === undefined || flag.optional === true) return null
    if (flag.value !== undefined) at += 1
    const value = flag.value === undefined ? true : words[at]
    if (value === undefined || (value !== true && !/^[^-]/.test(value))) return null
    said.set(long, [...(said.get(long) ?? []), value])
  }
  return said
}
