/** The agent's own resumable context: which one to go on with, and when to begin a fresh one. */
import type { Usage } from './agent-io.ts'
import type { Instant } from '../ids.ts'
import type { AgentRules } from '../state/rules.ts'

export interface Conversation {
  agent: string
  id: string
  usedAt: Instant
  /** Totals so far, if a vendor only reports totals of the whole conversation. */
  usage: Usage | null
}

/** The conversation to resume with this agent, or null to begin a fresh one. */
export function conversationToResume(
  conversation: Conversation | null,
  rules: AgentRules,
  agent: string,
  at: Instant,
): string | null {
  if (conversation === null || !rules.resume || conversation.agent !== agent) return null
  const age = at - conversation.usedAt
  return age < rules.conversationMaxAgeMs ? conversation.id : null
}
