/** `ralph inspect evidence`: the gate results of a run. */
import { inspectEvidence } from '../../../../app/doctor/inspect.ts'
import { evidenceScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_EVIDENCE } from '../../table/inspect-commands.ts'

export const run: CommandCode<typeof INSPECT_EVIDENCE> = async (input, io) => {
  const { root } = await openProject(input, io)
  const facts = await inspectEvidence(root, input.args.run)
  return answer(facts, () => evidenceScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
