/** `ralph report`: the report of a run. */
import { reportFor } from '../../../../app/run/report.ts'
import { reportBlock } from '../../../plain/screens/report.ts'
import type { CommandHandler } from '../../framework/command.ts'
import { printResult, styleOf } from '../../framework/print-result.ts'
import { openProject } from '../../framework/open-project.ts'
import type { REPORT } from '../../command-table/view-commands.ts'

export const run: CommandHandler<typeof REPORT> = async ({ args, flags, settings }, io) => {
  const { root } = await openProject({ settings }, io)
  const { report, markdown } = await reportFor(root, args.run)
  const { p, columns } = styleOf(io)
  return printResult(report, () => (flags.md ? markdown : reportBlock(report, p, { columns })), {
    json: flags.json,
    io,
  })
}
