/** `ralph show`: a run, or one iteration of it: what was sent, what came back, what changed, what was proven, what was decided. */
import { showIteration, showRun, type ShownIteration } from '../../../../app/run/show.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { paint, type ScreenStyle } from '../../../plain/colours.ts'
import { iterationScreen, runScreen } from '../../../plain/screens/show.ts'
import type { CommandCode, Input } from '../../frame/command.ts'
import type { SHOW } from '../../table/inspect-commands.ts'
import type { Io } from '../../frame/io.ts'
import { parseInteger } from '../../frame/parse-values.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof SHOW> = async (input, io) => {
  const { root } = await openProject(input, io)
  const { run: named, iteration } = input.args
  const json = input.flags.json
  if (iteration === null) {
    const part = PARTS.find((one) => input.flags[one])
    if (part !== undefined)
      throw new RalphError('usage', `--${part} needs RUN and ITERATION`, {
        hint: `Like this: ralph show RUN 3 --${part}`,
      })
    const shown = await showRun(root, named)
    io.out(json ? `${JSON.stringify(shown)}\n` : runScreen(shown, lookOf(io)))
    return EXIT.done
  }
  const shown = await showIteration(root, named, parseInteger(iteration, 'ITERATION', 1))
  if (json) io.out(`${JSON.stringify(shown)}\n`)
  else io.out(partOf(shown, input.flags) ?? iterationScreen(shown, lookOf(io)))
  return EXIT.done
}

function lookOf(io: Io): ScreenStyle {
  return { p: paint(io.colour), columns: io.columns() }
}

const PARTS = ['prompt', 'reply', 'patch'] as const

/** One part alone and whole, for a pipe: `| git apply -R`. */
function partOf(shown: ShownIteration, flags: Input<typeof SHOW>['flags']): string | null {
  const gone = (what: string): never => {
    throw new RalphError('not-found', `the ${what} of iteration ${shown.iteration} is gone`, {
      hint: 'It was pruned, or deleted by hand.',
    })
  }
  if (flags.prompt) return shown.prompt?.text ?? gone('prompt')
  if (flags.reply) return shown.reply === null ? gone('reply') : `${shown.reply.lastMessage}\n`
  if (flags.patch)
    return shown.patch === null ? (shown.change?.files === 0 ? '' : gone('patch')) : shown.patch.patch
  return null
}
