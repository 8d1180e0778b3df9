/** `ralph stats`: what the runs came to, by run, day, agent, model, task or feature. */
import { statsOf } from '../../../../desk/run/stats.ts'
import { EXIT } from '../../../../domain/error.ts'
import { statsCsv } from '../../../../domain/tell/stats.ts'
import { paint } from '../../../plain/paint.ts'
import { statsTable } from '../../../plain/screens/stats.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { STATS } from '../../table/asked-often.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof STATS> = async (input, io) => {
  const { root } = await openProject(input, io)
  const stats = await statsOf(root, input.flags.by ?? 'run')
  if (input.flags.json) io.out(`${JSON.stringify(stats)}\n`)
  else if (input.flags.csv) io.out(statsCsv(stats))
  else
    io.out(
      statsTable(stats, {
        bars: io.terminal,
        p: paint(io.colour),
        ...(io.terminal ? { width: io.columns() } : {}),
      }),
    )
  return EXIT.done
}
