/**
 * `ralph status` in a bundle of its own: many ask for it every few seconds, so it shall cost little more than an empty Node. What it
 * rarely needs (starting git, asking agents) is not in the bundle: there the build puts a throw of `WHOLE`, and the whole program
 * answers instead. Nothing was said or changed until then.
 */
import { plainOutput } from '../../system/terminal/plain-output.ts'
import { standardStreams } from '../../system/terminal/streams.ts'
import { run } from './commands/run/status.ts'
import { report } from './main.ts'

/** What stands in place of every module that would be loaded later; see rolldown.config.ts. */
const WHOLE: unknown = Symbol.for('ralph: the whole program')

/** The exit code; null: this is not for us. */
export async function quick(argv: string[]): Promise<number | null> {
  const [command, ...words] = argv
  if (command !== 'status' || words.some((word) => word !== '--json')) return null
  const io = standardStreams({ plain: plainOutput(1) })
  try {
    const flags = { json: words.length > 0, verbose: false }
    const typed = ['ralph', ...argv].join(' ')
    return await run({ command, words: [], args: {}, flags, settings: {}, typed, given: [], by: null }, io)
  } catch (error) {
    return error === WHOLE ? null : report(error, argv, io)
  }
}
