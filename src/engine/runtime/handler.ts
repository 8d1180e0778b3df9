/** The contract of handlers. The real ones and the simulator's doubles keep it. */
import type { EffectId, WorkerId } from '../../core/ids.ts'
import type { Effect, EffectOf } from '../../core/state/effect.ts'
import type { Event, EventsFor } from '../../core/state/event.ts'

const INLINE = ['admit-call', 'claim-task', 'finish-task', 'end-run', 'suspend-run'] as const

/** Answered inside the transaction that requests them; no handler sees these. */
export type InlineEffect = EffectOf<(typeof INLINE)[number]>

export type HandledEffect = Exclude<Effect, InlineEffect>

/** After a crash: what became of an effect that has no answer in the record? */
export type RecoveryAnswer = { is: 'answered'; event: Event } | { is: 'not-begun' } | { is: 'unknown' }

export interface Handler<E extends HandledEffect> {
  /** Performs the effect and puts exactly one answer; progress events may come before. A throw becomes `effect-failed`, or `effect-lost`
   *  after a stop. When aborted, it ends within seconds, and nothing it started still runs when it settles. */
  perform(effect: E, put: (event: EventsFor<E['type']>) => void, aborting: AbortListener): Promise<void>
  /** Also ends what an earlier engine started for it and left running. */
  recoverAnswer(effect: E): Promise<RecoveryAnswer>
}

/** A request to end an effect early; `now`: without the usual grace period. */
export interface AbortRequest {
  why: 'stop' | 'budget'
  now: boolean
}

/** Lets a handler see that its effect is aborted. */
export interface AbortListener {
  /** For timers, children and loops. */
  signal: AbortSignal
  /** The last abort request; null: none. */
  told: AbortRequest | null
  /** Called for every request: a gentle one may be followed by an urgent one. */
  onAbort(hear: (how: AbortRequest) => void): void
}

export type Handlers = { [T in HandledEffect['type']]: Handler<EffectOf<T>> }

/** The fields of every event that answers an effect. */
export function answerTo({ worker, id }: Effect): { worker: WorkerId; effect: EffectId } {
  return { worker, effect: id }
}

export function isInlineEffect(effect: Effect): effect is InlineEffect {
  return INLINE.some((type) => type === effect.type)
}
