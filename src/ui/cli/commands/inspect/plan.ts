/** `ralph inspect plan`: the checkboxes of the plan, as counted. */
import { inspectPlan } from '../../../../app/doctor/inspect.ts'
import { planScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_PLAN } from '../../table/inspect-commands.ts'

export const run: CommandCode<typeof INSPECT_PLAN> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const facts = inspectPlan(root, settings.rules().loop)
  return answer(facts, () => planScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
