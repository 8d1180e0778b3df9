/** `ralph circuit`: the current state of the breaker, how the next run would find it, its transitions, and a manual reset. */
import type { Instant, RunId } from '../../core/ids.ts'
import { inheritBreaker, closedBreaker, type Breaker } from '../../core/admission/breaker.ts'
import type { BreakerRules } from '../../core/state/rules.ts'
import {
  loadBreakerAndConversation,
  loadTransitions,
  resetBreakerOrConversation,
  type BreakerAndConversation,
  type ResetResult,
  type Transition,
} from './breaker-and-conversation.ts'

/** `circuit status --json`. */
export interface CircuitStatus {
  breaker: Breaker
  rules: BreakerRules
  /** When an open breaker allows one more iteration. */
  coolsAt: Instant | null
  /** The state it would have in a run that starts now. */
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

/** The conversation that led into the dead end is reset as well. */
export function resetCircuit(root: string): Promise<ResetResult> {
  return resetBreakerOrConversation(root, [
    { of: 'breaker', reason: 'Manual reset via command line' },
    { of: 'conversation', reason: 'manual_circuit_reset' },
  ])
}
