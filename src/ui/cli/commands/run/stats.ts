/** `ralph stats`: totals by run, day, agent, model, task or feature. */
import { statsOf } from '../../../../app/run/stats.ts'
import { EXIT } from '../../../../core/error.ts'
import { statsCsv } from '../../../../core/presentation/stats.ts'
import { createPaint } from '../../../plain/colours.ts'
import { statsTable } from '../../../plain/screens/stats.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { STATS } from '../../command-table/quick-commands.ts'
import { openProject } from '../../framework/open-project.ts'

export const run: CommandHandler<typeof STATS> = async (input, io) => {
  const { root } = await openProject(input, io)
  const stats = await statsOf(root, input.flags.by ?? 'run')
  if (input.flags.json) io.out(`${JSON.stringify(stats)}\n`)
  else if (input.flags.csv) io.out(statsCsv(stats))
  else
    io.out(
      statsTable(stats, {
        bars: io.terminal,
        p: createPaint(io.colour),
        ...(io.terminal ? { width: io.columns() } : {}),
      }),
    )
  return EXIT.done
}
