/** `ralph show`: a run, or one iteration of it: its prompt, reply, changes, proof and decisions. */
import { loadIterationDetails, loadRunDetails, type IterationDetails } from '../../../../app/run/run-details.ts'
import { RalphError } from '../../../../core/error.ts'
import type { WorkerId } from '../../../../core/ids.ts'
import { iterationScreen, runScreen } from '../../../plain/screens/show.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { SHOW } from '../../command-table/view-commands.ts'
import { parseInteger } from '../../framework/parse-values.ts'
import { printResult, styleOf } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof SHOW> = async (input, io) => {
  const { root } = await openProject(input, io)
  const { run: named, iteration } = input.args
  const json = input.flags.json
  if (iteration === null) {
    const part = PARTS.find((one) => input.flags[one])
    if (part !== undefined)
      throw new RalphError('usage', `--${part} needs RUN and ITERATION`, {
        hint: `For example: ralph show RUN 3 --${part}`,
      })
    const shown = await loadRunDetails(root, named)
    return printResult(shown, () => runScreen(shown, styleOf(io)), { json, io })
  }
  const shown = await loadIterationDetails(root, named, iterationOf(iteration))
  const screen = (): string => partOf(shown, input.flags) ?? iterationScreen(shown, styleOf(io))
  return printResult(shown, screen, { json, io })
}

/** `3`, or `w2:3`: the third iteration of worker 2. */
function iterationOf(text: string): { worker: WorkerId | null; n: number } {
  const [, worker = null, n = text] = /^w([^:]+):(.*)$/.exec(text) ?? []
  return { worker, n: parseInteger(n, 'ITERATION', 1) }
}

const PARTS = ['prompt', 'reply', 'patch'] as const

/** Prints one part alone and complete, for a pipe: `| git apply -R`. */
function partOf(shown: IterationDetails, flags: CommandInput<typeof SHOW>['flags']): string | null {
  const gone = (what: string): never => {
    throw new RalphError('not-found', `the ${what} of iteration ${shown.name} no longer exists`, {
      hint: 'ralph prune or somebody deleted it.',
    })
  }
  if (flags.prompt) return shown.prompt?.text ?? gone('prompt')
  if (flags.reply) return shown.reply === null ? gone('reply') : `${shown.reply.lastMessage}\n`
  if (flags.patch) return shown.patch === null ? (shown.change?.files === 0 ? '' : gone('patch')) : shown.patch.patch
  return null
}
