/** `ralph resume`: tells a paused engine to go on, or resumes a run that no engine serves any more. */
import { refuseUnsupported } from '../../../../config/resolve.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { sendRequest, liveRun } from '../../../../app/steer/engine-requests.ts'
import { findUnfinishedRun } from '../../../../app/run/find-run.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { RESUME } from '../../table/control-commands.ts'
import { openProject } from '../../frame/project.ts'
import { printReceipt } from '../../frame/receipt.ts'
import { runInForeground } from '../run/foreground.ts'

export const run: CommandCode<typeof RESUME> = async (input, io) => {
  const project = await openProject(input, io)
  const live = await liveRun(project.root)
  if (live !== null) {
    const receipt = await sendRequest(project.root, { from: 'ralph resume', do: 'resume' })
    return printReceipt(receipt, { io, json: input.flags.json })
  }
  const left = await findUnfinishedRun(project.root, input.args.run)
  if (left === null) {
    throw new RalphError('no-run', 'there is no unfinished run in this project', {
      hint: 'Start one: ralph loop',
    })
  }
  refuseUnsupported(project.settings)
  const code = await runInForeground(
    { project, rules: project.settings.rules(), input, fresh: false, resume: left, anyKind: true },
    io,
  )
  return code ?? EXIT.done
}
