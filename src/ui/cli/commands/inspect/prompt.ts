/** `ralph inspect prompt`: what an agent is told about a task, part by part. */
import { inspectPrompt } from '../../../../app/doctor/inspect-prompt.ts'
import { EXIT } from '../../../../core/error.ts'
import { promptScreen } from '../../../plain/screens/inspect-prompt.ts'
import { paint } from '../../../plain/colours.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { INSPECT_PROMPT } from '../../table/inspect-commands.ts'

export const run: CommandCode<typeof INSPECT_PROMPT> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const { verify, full, json } = input.flags
  const facts = await inspectPrompt(root, input.args.task, {
    role: verify ? 'review' : 'work',
    settings,
  })
  if (full && !json) {
    io.out(facts.text)
    return EXIT.done
  }
  return answer(facts, () => promptScreen(facts, { p: paint(io.colour), columns: io.columns() }), {
    json,
    io,
  })
}
