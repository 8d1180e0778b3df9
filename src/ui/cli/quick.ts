/**
 * The commands that many ask every few seconds, in a bundle of their own: they shall cost little more than an empty Node. What they
 * rarely need (starting git, asking agents, reading what early versions kept) is not in the bundle: there the build puts a throw of
 * `WHOLE`, and the whole program answers instead. Nothing was said or changed until then.
 */
import { plainOutput } from '../../system/terminal/plain-output.ts'
import { standardStreams } from '../../system/terminal/streams.ts'
import { run as runs } from './commands/run/runs.ts'
import { run as stats } from './commands/run/stats.ts'
import { run as status } from './commands/run/status.ts'
import type { Typed } from './frame/command.ts'
import type { Io } from './frame/io.ts'
import { report } from './main.ts'

/** What stands in place of every module that would be loaded later; see rolldown.config.ts. */
const WHOLE: unknown = Symbol.for('ralph: the whole program')

/** One line each, with the flags as they are when none but `--json` is given. `bin/ralph.cjs` knows them by name. */
const COMMANDS: Readonly<Record<string, (asked: Asked, io: Io) => Promise<number>>> = {
  status: ({ json, ...input }, io) => status({ ...input, flags: { json, verbose: false } }, io),
  runs: ({ json, ...input }, io) => runs({ ...input, flags: { json, limit: null } }, io),
  stats: ({ json, ...input }, io) => stats({ ...input, flags: { json, csv: false, by: null } }, io),
}

/** For the build, which lets each of them do its work once (scripts/warm.ts). */
export const commands = Object.keys(COMMANDS)

type Asked = Omit<Typed, 'args' | 'flags'> & { args: Record<string, never>; json: boolean }

/** The exit code; null: this is not for us. */
export async function quick(argv: string[]): Promise<number | null> {
  const [command = '', ...words] = argv
  const start = COMMANDS[command]
  if (start === undefined || words.some((word) => word !== '--json')) return null
  const io = standardStreams({ plain: plainOutput(1) })
  const typed = ['ralph', ...argv].join(' ')
  try {
    return await start(
      { command, json: words.length > 0, words: [], args: {}, settings: {}, typed, given: [], by: null },
      io,
    )
  } catch (error) {
    return error === WHOLE ? null : report(error, argv, io)
  }
}
