/** `ralph report`: the morning report of a run. */
import { reportFor } from '../../../../app/run/report.ts'
import { reportBlock } from '../../../plain/screens/report.ts'
import type { CommandCode } from '../../frame/command.ts'
import { answer, styleOf } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'
import type { REPORT } from '../../table/inspect-commands.ts'

export const run: CommandCode<typeof REPORT> = async ({ args, flags, settings }, io) => {
  const { root } = await openProject({ settings }, io)
  const { report, markdown } = await reportFor(root, args.run)
  const { p, columns } = styleOf(io)
  return answer(report, () => (flags.md ? markdown : reportBlock(report, p, { columns })), {
    json: flags.json,
    io,
  })
}
