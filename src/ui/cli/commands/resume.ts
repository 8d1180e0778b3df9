/** `ralph resume`: tells a paused engine to go on, or takes up a run that no engine serves any more. */
import { EXIT, RalphError } from '../../../domain/error.ts'
import { askEngine, liveRun } from '../../../desk/steer.ts'
import { recordsPrograms, unfinished } from '../../../desk/runs.ts'
import { agentsOf } from '../../../domain/rules.ts'
import type { Run } from '../command.ts'
import { openProject } from '../project.ts'
import { sayReceipt } from '../receipt.ts'
import { serve } from '../serve.ts'
import { trustFirst } from '../trust.ts'

export const run: Run = async (input, io) => {
  const project = await openProject(input, io)
  const live = await liveRun(project.root)
  if (live !== null) {
    const receipt = await askEngine(project.root, { from: 'ralph resume', do: 'resume' })
    return sayReceipt(receipt, { io, json: input.flags['json'] === true })
  }
  const left = await unfinished(project.root, input.args[0] ?? null)
  if (left === null) {
    throw new RalphError('no-run', 'there is no unfinished run in this project', {
      hint: 'Start one: ralph loop',
    })
  }
  // The gates are in its record, and the agents too unless it was begun by an early version.
  if (!(await recordsPrograms(project.root, left))) {
    const programs = project.settings.executed({ agents: agentsOf(project.settings.rules()), gates: [] })
    const refused = await trustFirst({ root: project.root, programs, input }, io)
    if (refused !== null) return refused
  }
  const code = await serve(
    { project, rules: project.settings.rules(), input, fresh: false, resume: left },
    io,
  )
  return code ?? EXIT.done
}
