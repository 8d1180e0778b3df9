/** `ralph conversation`: the agent's own resumable context, which the bash tool called session. */
import { conversationStatus, type ConversationStatus } from '../../../../app/steer/conversation.ts'
import { oneLine } from '../../../../core/text/sanitize.ts'
import { paint, type Paint } from '../../../plain/colours.ts'
import type { CommandCode } from '../../frame/command.ts'
import type { CONVERSATION_SHOW } from '../../table/control-commands.ts'
import { answer } from '../../frame/print-result.ts'
import { openProject } from '../../frame/project.ts'

export const run: CommandCode<typeof CONVERSATION_SHOW> = async (input, io) => {
  const { root, settings } = await openProject(input, io)
  const status = await conversationStatus(root, settings.rules().agent)
  return answer(status, () => screen(status, paint(io.colour)), { json: input.flags.json, io })
}

function screen({ conversation, resumes, expiresAt }: ConversationStatus, p: Paint): string {
  if (conversation === null)
    return `\n  No conversation to go on with: the next iteration begins a fresh one.\n\n`
  const { agent, id, usedAt } = conversation
  const rows = [
    ['id', oneLine(id, 200)],
    ['agent', oneLine(agent, 60)],
    ['used', new Date(usedAt).toLocaleString()],
    [
      'next',
      resumes ? p.good('the next iteration goes on with it') : p.warn('it is not gone on with any more'),
    ],
    ['until', expiresAt === null ? '' : new Date(expiresAt).toLocaleString()],
  ]
  const hint = p.dim('  a fresh one: ralph conversation reset · why others ended: ralph conversation history')
  return [
    '',
    ...rows.map(([name = '', value = '']) => `  ${p.dim(name.padEnd(10))}${value}`),
    '',
    hint,
    '',
  ].join('\n')
}
