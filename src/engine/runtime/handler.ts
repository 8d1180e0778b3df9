/** What the engine asks of whoever does the work. Real handlers and the simulator's doubles keep the same contract. */
import type { Effect, EffectOf } from '../../core/state/effect.ts'
import type { Event, EventsFor } from '../../core/state/event.ts'

const INLINE = ['admit-call', 'claim-task', 'finish-task', 'end-run', 'suspend-run'] as const

/** Answered by the store inside the transaction that asks them; no handler ever sees these. */
export type InlineEffect = EffectOf<(typeof INLINE)[number]>

export type HandledEffect = Exclude<Effect, InlineEffect>

/** After a crash: what became of an effect that has no answer in the record? */
export type RecoveryAnswer = { is: 'answered'; event: Event } | { is: 'not-begun' } | { is: 'unknown' }

export interface Handler<E extends HandledEffect> {
  /** Does it and puts exactly one answer; reports on the way may come before. A throw becomes `effect-failed`, or `effect-lost`
   *  once it was told to stop. Told to end early, it does so within seconds, and nothing it started is left when it settles. */
  perform(effect: E, put: (event: EventsFor<E['type']>) => void, aborting: AbortListener): Promise<void>
  /** Also ends what the engine before this one started for it and left running. */
  recoverAnswer(effect: E): Promise<RecoveryAnswer>
}

/** How an effect is told to end before its time; `now`: without the grace it has otherwise. */
export interface AbortRequest {
  why: 'stop' | 'budget'
  now: boolean
}

/** What whoever performs an effect listens to. */
export interface AbortListener {
  /** For timers, children and loops. */
  signal: AbortSignal
  /** The last word so far; null: go on. */
  told: AbortRequest | null
  /** Hears every word: a gentle one may be followed by an urgent one. */
  onAbort(hear: (how: AbortRequest) => void): void
}

export type Handlers = { [T in HandledEffect['type']]: Handler<EffectOf<T>> }

export function isInlineEffect(effect: Effect): effect is InlineEffect {
  return INLINE.some((type) => type === effect.type)
}
