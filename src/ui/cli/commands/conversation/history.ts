/** `ralph conversation history`: when conversations were given up, and why. */
import { conversationHistory } from '../../../../app/steer/conversation.ts'
import { transitionLines } from '../../../plain/transitions.ts'
import { answer } from '../../frame/print-result.ts'
import { widthOf } from '../../frame/io.ts'
import { openProject } from '../../frame/project.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CONVERSATION_HISTORY } from '../../table/control-commands.ts'

export const run: CommandCode<typeof CONVERSATION_HISTORY> = async (input, io) => {
  const { root } = await openProject(input, io)
  const turns = await conversationHistory(root)
  const screen = (): string => transitionLines(turns, 'No conversation was ever given up.', widthOf(io))
  return answer(turns, screen, { json: input.flags.json, io })
}
