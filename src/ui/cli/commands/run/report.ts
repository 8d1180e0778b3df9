/** `ralph report`: the morning report of a run. */
import { reportFor } from '../../../../app/run/report.ts'
import { EXIT } from '../../../../core/error.ts'
import { paint } from '../../../plain/colours.ts'
import { reportBlock } from '../../../plain/screens/report.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { REPORT } from '../../table/inspect-commands.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof REPORT> = async (input, io) => {
  const { root } = await openProject(input, io)
  const { report, markdown } = await reportFor(root, input.args.run)
  if (input.flags.json) io.out(`${JSON.stringify(report)}\n`)
  else io.out(input.flags.md ? markdown : reportBlock(report, paint(io.colour), { columns: io.columns() }))
  return EXIT.done
}
