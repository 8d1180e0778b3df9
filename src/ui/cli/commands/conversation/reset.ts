/** `ralph conversation reset`: the next run begins a fresh one. */
import { resetConversation } from '../../../../app/steer/conversation.ts'
import { resetText } from '../../../plain/transitions.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CONVERSATION_RESET } from '../../table/control-commands.ts'

export const run: CommandCode<typeof CONVERSATION_RESET> = async (input, io) => {
  const { root } = await openProject(input, io)
  const done = await resetConversation(root, {
    reason: input.by === null ? 'manual_reset' : 'manual_reset_flag',
  })
  const told = 'The next run begins a fresh conversation.'
  return answer(done, () => resetText(done, told), { json: input.flags.json, io })
}
