/** `ralph watch`: shows any run, while it runs or afterwards. Opening and closing it does not affect the run. */
import { EXIT, RalphError } from '../../../../core/error.ts'
import { suggest } from '../../../../core/text/suggest.ts'
import { createRunMasker } from '../../../../config/run-masker.ts'
import { openWatch } from '../../../../watch/watch.ts'
import { resultBlock } from '../../../plain/row-lines.ts'
import { createPaint } from '../../../plain/colours.ts'
import { PANE_NAMES, type PaneName } from '../../../tui/dashboard-scene.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { WATCH } from '../../command-table/view-commands.ts'
import { outputWidth } from '../../framework/io.ts'
import { openProject } from '../../framework/open-project.ts'
import { followAsLines, watchOnDashboard } from './watch-output.ts'

export const run: CommandHandler<typeof WATCH> = async (input, io) => {
  const only = paneOf(input.flags.pane)
  const { root, settings } = await openProject(input, io)
  const watch = await openWatch({
    root,
    run: input.args.run,
    agents: settings.agents,
    mask: createRunMasker(settings, root),
  })
  const json = input.flags.json
  try {
    if (json || input.flags.plain || !io.terminal || !io.asks) {
      const { end } = await followAsLines(watch, { json }, io)
      if (end === 'cut-off' && !json)
        io.out(
          `Run ${watch.run} was interrupted (not running).\n  continue: ralph resume · start over: ralph loop --fresh\n`,
        )
      return EXIT.done
    }
    const { view, how } = await watchOnDashboard(watch, { leaving: 'detaches', only }, io)
    if (how === 'gone') return EXIT.done
    const p = createPaint(io.colour)
    if (view?.outcome != null) io.out(resultBlock(view, { p, columns: outputWidth(io) }))
    else io.out(`Run ${watch.run} keeps going.\n${p.dim('  watch it again: ralph watch · stop it: ralph stop')}\n`)
    return EXIT.done
  } finally {
    await watch.close()
  }
}

function paneOf(wanted: string | null): PaneName | null {
  if (wanted === null) return null
  const pane = PANE_NAMES.find((name) => name === wanted)
  if (pane !== undefined) return pane
  const near = suggest(wanted, PANE_NAMES)
  throw new RalphError('usage', `there is no pane "${wanted}"`, {
    hint: near === null ? `One of: ${PANE_NAMES.join(', ')}.` : `Did you mean "${near}"?`,
  })
}
