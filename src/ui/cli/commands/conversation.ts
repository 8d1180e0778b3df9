/** `ralph conversation`: the agent's own session, which Ralph resumes in the next iteration. Bash Ralph calls it session too. */
import {
  conversationResumeStatus,
  loadTransitions,
  resetBreakerOrConversation,
  type ConversationResumeStatus,
} from '../../../app/steer/breaker-and-conversation.ts'
import { oneLine } from '../../../core/text/sanitize.ts'
import type { ScreenStyle } from '../../plain/colours.ts'
import { resetResultText, transitionLines } from '../../plain/transitions.ts'
import type { CommandHandler } from '../framework/command.ts'
import { createPrintCommand } from '../framework/print-result.ts'
import { openProject } from '../framework/open-project.ts'
import type { CONVERSATION_HISTORY, CONVERSATION_RESET, CONVERSATION_SHOW } from '../command-table/control-commands.ts'

export const show: CommandHandler<typeof CONVERSATION_SHOW> = createPrintCommand(async (input, io) => {
  const { root, settings } = await openProject(input, io)
  return conversationResumeStatus(root, settings.rules().agent)
}, screen)

/** Makes the next run start a fresh one. */
export const reset: CommandHandler<typeof CONVERSATION_RESET> = createPrintCommand(
  async (input, io) => {
    const reason = input.by === null ? 'manual_reset' : 'manual_reset_flag'
    return resetBreakerOrConversation((await openProject(input, io)).root, [{ of: 'conversation', reason }])
  },
  (done) => resetResultText(done, 'The next run starts a new agent session.'),
)

export const history: CommandHandler<typeof CONVERSATION_HISTORY> = createPrintCommand(
  async (input, io) => (await loadTransitions((await openProject(input, io)).root)).conversationTransitions,
  (turns, { width }) => transitionLines(turns, 'No agent session has ended yet.', width),
)

function screen({ conversation, resumes, expiresAt }: ConversationResumeStatus, { p }: ScreenStyle): string {
  if (conversation === null) return `\n  No agent session to resume; the next iteration starts a new one.\n\n`
  const { agent, id, usedAt } = conversation
  const rows = [
    ['id', oneLine(id, 200)],
    ['agent', oneLine(agent, 60)],
    ['used', new Date(usedAt).toLocaleString()],
    ['next', resumes ? p.good('the next iteration resumes it') : p.warn('will not be resumed')],
    ['until', expiresAt === null ? '' : new Date(expiresAt).toLocaleString()],
  ]
  const hint = p.dim('  start a new one: ralph conversation reset · history: ralph conversation history')
  return ['', ...rows.map(([name = '', value = '']) => `  ${p.dim(name.padEnd(10))}${value}`), '', hint, ''].join('\n')
}
