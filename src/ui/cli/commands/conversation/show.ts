/** `ralph conversation [show|reset|history]`: the agent's own resumable context, which the bash tool called session. */
import {
  conversationHistory,
  conversationStatus,
  resetConversation,
  type ConversationStatus,
} from '../../../../desk/steer/conversation.ts'
import { EXIT } from '../../../../domain/error.ts'
import { oneLine } from '../../../../domain/text/text.ts'
import { paint, type Paint } from '../../../plain/paint.ts'
import type { Run } from '../../frame/row.ts'
import { answer, refuseInside, sayReset, turnLines, verbOf } from '../turns.ts'
import { widthOf } from '../../frame/io.ts'
import { openProject } from '../../frame/project.ts'

const VERBS = ['show', 'reset', 'history'] as const

export const run: Run = async (input, io) => {
  const verb = verbOf(input, VERBS)
  const { root, settings } = await openProject(input, io)
  const p = paint(io.colour)
  if (verb === 'reset') {
    refuseInside(input, io)
    const done = await resetConversation(root, {
      reason: input.flags['by'] === undefined ? 'manual_reset' : 'manual_reset_flag',
    })
    return answer(done, () => sayReset(done, 'The next run begins a fresh conversation.'), { input, io })
  }
  if (verb === 'history') {
    const turns = await conversationHistory(root)
    return answer(turns, () => turnLines(turns, 'No conversation was ever given up.', widthOf(io)), {
      input,
      io,
    })
  }
  const status = await conversationStatus(root, settings.rules().agent)
  answer(status, () => screen(status, p), { input, io })
  return EXIT.done
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
