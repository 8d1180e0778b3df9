/** `ralph conversation`: which conversation the next iteration would resume, its history, and a manual reset. */
import type { Instant, RunId } from '../../core/ids.ts'
import { conversationToResume, type Conversation } from '../../core/calls/conversation.ts'
import type { AgentRules } from '../../core/state/rules.ts'
import {
  loadBreakerAndConversation,
  loadTransitions,
  resetBreakerOrConversation,
  type BreakerAndConversation,
  type ResetResult,
  type Transition,
} from './breaker-and-conversation.ts'

/** `conversation show --json`. */
export interface ConversationStatus {
  conversation: Pick<Conversation, 'agent' | 'id' | 'usedAt'> | null
  /** The next iteration resumes it. */
  resumes: boolean
  /** After this instant it is not resumed. */
  expiresAt: Instant | null
  run: RunId | null
  live: BreakerAndConversation['live']
}

export async function conversationStatus(root: string, rules: AgentRules): Promise<ConversationStatus> {
  const { conversation: kept, run, live, at } = await loadBreakerAndConversation(root)
  if (kept === null) return { conversation: null, resumes: false, expiresAt: null, run, live }
  const { agent, id, usedAt } = kept
  return {
    conversation: { agent, id, usedAt },
    resumes: rules.order.includes(agent) && conversationToResume(kept, rules, agent, at) !== null,
    expiresAt: usedAt + rules.conversationMaxAgeMs,
    run,
    live,
  }
}

export async function conversationHistory(root: string): Promise<Transition[]> {
  return (await loadTransitions(root)).conversationTransitions
}

export function resetConversation(root: string, { reason }: { reason: string }): Promise<ResetResult> {
  return resetBreakerOrConversation(root, [{ of: 'conversation', reason }])
}
