/** What the engine asks of whoever does the work. Real handlers and the simulator's doubles keep the same contract. */
import type { Effect, EffectOf } from '../domain/effect.ts'
import type { Event } from '../domain/event.ts'
import type { EffectId } from '../domain/ids.ts'

/** Answered by the store inside the transaction that asks them; no handler ever sees these. */
export type InlineEffect = EffectOf<'admit-iteration' | 'end-run' | 'leave-run'>

export type PerformedEffect = Exclude<Effect, InlineEffect>

/** After a crash: what became of an effect that has no answer in the record? */
export type Inquiry = { is: 'answered'; event: Event } | { is: 'not-begun' } | { is: 'unknown' }

export interface Handler<E extends PerformedEffect> {
  /** Does it and puts exactly one answer; reports on the way may come before. A throw becomes `effect-failed`. */
  perform(effect: E, put: (event: Event) => void): Promise<void>
  inquire(effect: E): Promise<Inquiry>
}

/** Handlers of effects that go on for a while can be told to end one early; its answer still comes. */
export interface Stoppable {
  stop(effect: EffectId, how: { why: 'stop' | 'budget'; now: boolean }): Promise<void>
}

export type Handlers = { [T in PerformedEffect['type']]: Handler<EffectOf<T>> }

export function isInline(effect: Effect): effect is InlineEffect {
  return effect.type === 'admit-iteration' || effect.type === 'end-run' || effect.type === 'leave-run'
}
