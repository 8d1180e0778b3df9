/** `ralph inspect evidence`: the gate results of a run. */
import { inspectEvidence } from '../../../../desk/doctor/inspect.ts'
import { evidenceScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/paint.ts'
import { answer } from '../../frame/answer.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_EVIDENCE } from '../../table/see.ts'

export const run: CommandCode<typeof INSPECT_EVIDENCE> = async (input, io) => {
  const { root } = await openProject(input, io)
  const facts = await inspectEvidence(root, input.args.run)
  return answer(facts, () => evidenceScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
