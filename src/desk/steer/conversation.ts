/** The agent's conversation as a person asks for it: which one the next iteration would go on with, its history, and a fresh start. */
import type { Instant, RunId } from '../../domain/ids.ts'
import { resumable, type Conversation } from '../../domain/calls/conversation.ts'
import type { AgentRules } from '../../domain/state/rules.ts'
import {
  keptOf,
  pastOf,
  resetByHand,
  type BreakerAndConversation,
  type ResetDone,
  type Turn,
} from './breaker-and-conversation.ts'

/** `conversation show --json`. */
export interface ConversationStatus {
  conversation: Pick<Conversation, 'agent' | 'id' | 'usedAt'> | null
  /** The next iteration goes on with it. */
  resumes: boolean
  /** After this instant it is not resumed any more. */
  expiresAt: Instant | null
  run: RunId | null
  live: BreakerAndConversation['live']
}

export async function conversationStatus(root: string, rules: AgentRules): Promise<ConversationStatus> {
  const { conversation: kept, run, live, at } = await keptOf(root)
  if (kept === null) return { conversation: null, resumes: false, expiresAt: null, run, live }
  const { agent, id, usedAt } = kept
  return {
    conversation: { agent, id, usedAt },
    resumes: rules.order.includes(agent) && resumable(kept, rules, agent, at) !== null,
    expiresAt: usedAt + rules.conversationMaxAgeMs,
    run,
    live,
  }
}

export async function conversationHistory(root: string): Promise<Turn[]> {
  return (await pastOf(root)).conversationTurns
}

export function resetConversation(root: string, { reason }: { reason: string }): Promise<ResetDone> {
  return resetByHand(root, [{ of: 'conversation', reason }])
}
