/**
 * The circle, walked one way: take what waits, step and record it, publish the rows, perform what was asked. Results come back
 * as events at the same door. State advances only after the commit.
 */
import { messageOf, RalphError } from '../../core/error.ts'
import type { RunState } from '../../core/state/state.ts'
import type { Event } from '../../core/state/event.ts'
import type { Now } from '../../core/ids.ts'
import type { Store } from '../../store/db/open-store.ts'
import type { Clock } from '../../system/clock.ts'
import { applyEvents, type RunPosition } from './apply-events.ts'
import type { EventBus } from '../../listeners/event-bus.ts'
import type { AbortListener, Handler, Handlers, HandledEffect } from './handler.ts'
import type { Inbox } from './inbox.ts'
import type { RunningEffects } from './running-effects.ts'

export interface Engine {
  store: Store
  inbox: Inbox
  bus: Pick<EventBus, 'rows'>
  handlers: Handlers
  runningEffects: RunningEffects
  /** Told where the run stands after every batch of rows, before anything follows from them. */
  onPosition?(position: RunPosition): void
  clock(): Now
  after: Clock['after']
}

/** Serves a run until it has ended or is left for later, and nothing of it is left: a wait that a stop cut short still has its timer. */
export async function runLoop(engine: Engine, from: RunPosition): Promise<RunState> {
  let position: RunPosition = from
  for (;;) {
    const events = await engine.inbox.take()
    const advanced = await applyEvents(engine.store, position, events, () => engine.clock())
    position = advanced
    engine.onPosition?.(position)
    engine.bus.rows(advanced.rows)
    for (const effect of advanced.effects) performEffect(engine, effect)
    const { is } = advanced.state.run
    if (is !== 'ended' && is !== 'left') continue
    await engine.runningEffects.close(engine)
    return advanced.state
  }
}

/** Starts the effect and goes on; its answer comes in at the inbox. */
export function performEffect(
  engine: Pick<Engine, 'inbox' | 'handlers' | 'runningEffects'>,
  effect: HandledEffect,
): void {
  const handler = handlerOf(engine.handlers, effect)
  const put = (event: Event): void => engine.inbox.put(event)
  const work = (aborting: AbortListener): Promise<void> =>
    handler.perform(effect, put, aborting).catch((error: unknown) => {
      const fault = aborting.told === null ? diskFailure(error) : null
      if (fault === null) put(failure(effect, aborting, error))
      else engine.inbox.fail(fault)
    })
  void engine.runningEffects.begin(effect, work)
}

/**
 * A disk that refuses says nothing about the work: no outcome is drawn from it. The engine leaves by the emergency door, the effect
 * stays open, and the same command goes on from there when the disk is well again.
 */
function diskFailure(error: unknown): RalphError | null {
  if (!(error instanceof RalphError) || (error.code !== 'disk' && error.code !== 'io')) return null
  const { hint = 'Mend it, then run the same command again: the run goes on.' } = error
  return new RalphError('disk', error.message, { hint, cause: error })
}

export function handlerOf(handlers: Handlers, effect: HandledEffect): Handler<HandledEffect> {
  // The table pairs each type with its own handler; TypeScript cannot see that the pair stays together.
  return handlers[effect.type] as Handler<HandledEffect>
}

/** What was told to stop and could not finish has not failed: it was cut off, and would have to be asked again. */
function failure(effect: HandledEffect, { told }: AbortListener, error: unknown): Event {
  const answer = { worker: effect.worker, effect: effect.id }
  if (told?.why === 'stop') return { type: 'effect-lost', ...answer }
  return {
    type: 'effect-failed',
    ...answer,
    problem: messageOf(error),
    hint: error instanceof RalphError ? (error.hint ?? null) : null,
  }
}
