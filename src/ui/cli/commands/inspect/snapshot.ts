/** `ralph inspect snapshot`: the working tree's hash and what it leaves out. */
import { inspectSnapshot } from '../../../../app/doctor/inspect.ts'
import { snapshotScreen } from '../../../plain/screens/inspect.ts'
import { paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_SNAPSHOT } from '../../table/inspect-commands.ts'

export const run: CommandCode<typeof INSPECT_SNAPSHOT> = async (input, io) => {
  const { root } = await openProject(input, io)
  const facts = await inspectSnapshot(root)
  return answer(facts, () => snapshotScreen(facts, paint(io.colour)), { json: input.flags.json, io })
}
