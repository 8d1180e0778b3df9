/** `ralph resume`: tells a paused engine to go on, or takes up a run that no engine serves any more. */
import { refuseNotOffered } from '../../../../config/resolve.ts'
import { EXIT, RalphError } from '../../../../domain/error.ts'
import { askEngine, liveRun } from '../../../../desk/steer/steer.ts'
import { unfinished } from '../../../../desk/run/runs.ts'
import type { Code } from '../../frame/command.ts'
import type { RESUME } from '../../table/steer.ts'
import { openProject } from '../../frame/project.ts'
import { sayReceipt } from '../../frame/receipt.ts'
import { serve } from '../run/serve.ts'

export const run: Code<typeof RESUME> = async (input, io) => {
  const project = await openProject(input, io)
  const live = await liveRun(project.root)
  if (live !== null) {
    const receipt = await askEngine(project.root, { from: 'ralph resume', do: 'resume' })
    return sayReceipt(receipt, { io, json: input.flags.json })
  }
  const left = await unfinished(project.root, input.args.run)
  if (left === null) {
    throw new RalphError('no-run', 'there is no unfinished run in this project', {
      hint: 'Start one: ralph loop',
    })
  }
  refuseNotOffered(project.settings)
  const code = await serve(
    { project, rules: project.settings.rules(), input, fresh: false, resume: left, anyKind: true },
    io,
  )
  return code ?? EXIT.done
}
