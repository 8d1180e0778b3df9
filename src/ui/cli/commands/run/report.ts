/** `ralph report`: the morning report of a run. */
import { reportFor } from '../../../../desk/run/report.ts'
import { EXIT } from '../../../../domain/error.ts'
import { paint } from '../../../plain/paint.ts'
import { reportBlock } from '../../../plain/report.ts'
import type { Run } from '../../frame/row.ts'
import { openProject } from '../../frame/project.ts'

export const run: Run = async (input, io) => {
  const { root } = await openProject(input, io)
  const { report, markdown } = await reportFor(root, input.args[0] ?? null)
  if (input.flags['json'] === true) io.out(`${JSON.stringify(report)}\n`)
  else
    io.out(
      input.flags['md'] === true
        ? markdown
        : reportBlock(report, paint(io.colour), { columns: io.columns() }),
    )
  return EXIT.done
}
