/** `ralph resume`: tells a paused engine to continue, or resumes a run that has no engine any more. */
import { refuseUnsupportedSettings } from '../../../../config/resolve.ts'
import { EXIT, RalphError } from '../../../../core/error.ts'
import { sendRequest, findLiveRun } from '../../../../app/steer/engine-requests.ts'
import { findUnfinishedRun } from '../../../../app/run/find-run.ts'
import type { CommandHandler } from '../../framework/command.ts'
import type { RESUME } from '../../command-table/control-commands.ts'
import { openProject } from '../../framework/open-project.ts'
import { printReceipt } from '../../framework/receipt.ts'
import { runInForeground } from '../run/foreground.ts'

export const run: CommandHandler<typeof RESUME> = async (input, io) => {
  const project = await openProject(input, io)
  const live = await findLiveRun(project.root)
  if (live !== null) {
    const receipt = await sendRequest(project.root, { from: 'ralph resume', do: 'resume' })
    return printReceipt(receipt, { io, json: input.flags.json })
  }
  const left = await findUnfinishedRun(project.root, input.args.run)
  if (left === null) {
    throw new RalphError('no-run', 'this project has no unfinished run', { hint: 'Start one: ralph loop' })
  }
  refuseUnsupportedSettings(project.settings)
  const code = await runInForeground(
    { project, rules: project.settings.rules(), input, fresh: false, resume: left, anyKind: true },
    io,
  )
  return code ?? EXIT.done
}
