/** The breaker as a person asks for it: how it stands, how the next run would find it, its turns, and closing it by hand. */
import type { Instant, RunId } from '../../core/ids.ts'
import { inheritBreaker, closedBreaker, type Breaker } from '../../core/admission/breaker.ts'
import type { BreakerRules } from '../../core/state/rules.ts'
import {
  loadBreakerAndConversation,
  loadTransitions,
  resetByHand,
  type BreakerAndConversation,
  type ResetResult,
  type Transition,
} from './breaker-and-conversation.ts'

/** `circuit status --json`. */
export interface CircuitStatus {
  breaker: Breaker
  rules: BreakerRules
  /** When an open one lets one more iteration try. */
  coolsAt: Instant | null
  /** As a run that starts now would have it. */
  nextStart: Breaker['is']
  run: RunId | null
  live: BreakerAndConversation['live']
}

export async function circuitStatus(root: string, rules: BreakerRules): Promise<CircuitStatus> {
  const { breaker: kept, run, live, at } = await loadBreakerAndConversation(root)
  const breaker = kept ?? closedBreaker(at)
  return {
    breaker,
    rules,
    coolsAt: breaker.is === 'open' ? breaker.openedAt + rules.cooldownMs : null,
    nextStart: inheritBreaker(kept, rules, at).is,
    run,
    live,
  }
}

export async function circuitHistory(root: string): Promise<Transition[]> {
  return (await loadTransitions(root)).breakerTransitions
}

/** What led into the dead end goes with it: the conversation is begun afresh as well. */
export function resetCircuit(root: string): Promise<ResetResult> {
  return resetByHand(root, [
    { of: 'breaker', reason: 'Manual reset via command line' },
    { of: 'conversation', reason: 'manual_circuit_reset' },
  ])
}
