/**
 * The run loop: takes queued events, steps the core and records them, publishes the rows, performs the effects. Results come back
 * through the same queue. The state advances only after the commit.
 */
import { messageOf, RalphError } from '../../core/error.ts'
import type { RunState } from '../../core/state/state.ts'
import type { Event } from '../../core/state/event.ts'
import type { Now } from '../../core/ids.ts'
import type { Store } from '../../store/db/open-store.ts'
import type { Clock } from '../../system/clock.ts'
import { applyEvents, type RunPosition } from './apply-events.ts'
import type { EventBus } from '../../listeners/event-bus.ts'
import { answerTo, type AbortListener, type Handler, type Handlers, type HandledEffect } from './handler.ts'
import type { Inbox } from './inbox.ts'
import type { RunningEffects } from './running-effects.ts'

export interface Engine {
  store: Store
  inbox: Inbox
  bus: Pick<EventBus, 'rows'>
  handlers: Handlers
  runningEffects: RunningEffects
  /** Called with the new position after every batch of rows, before their effects start. */
  onPosition?(position: RunPosition): void
  clock(): Now
  after: Clock['after']
}

/** Runs until the run has ended or is suspended, and closes the remaining effects: a wait that a stop cut short still has its timer. */
export async function runEventLoop(engine: Engine, from: RunPosition): Promise<RunState> {
  let position: RunPosition = from
  for (;;) {
    const events = await engine.inbox.take()
    const advanced = await applyEvents(engine.store, position, events, () => engine.clock())
    position = advanced
    engine.onPosition?.(position)
    engine.bus.rows(advanced.rows)
    for (const effect of advanced.effects) startEffect(engine, effect)
    const { is } = advanced.state.run
    if (is !== 'ended' && is !== 'left') continue
    await engine.runningEffects.close(engine)
    return advanced.state
  }
}

/** Starts the effect without waiting; its answer arrives in the inbox. */
export function startEffect(
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
 * A disk error says nothing about the work, so it leads to no outcome. The engine makes an emergency stop, the effect stays open, and
 * the same command continues from there when the disk works again.
 */
function diskFailure(error: unknown): RalphError | null {
  if (!(error instanceof RalphError) || (error.code !== 'disk' && error.code !== 'io')) return null
  const { hint = 'Fix the disk, then run the same command again: it resumes the run.' } = error
  return new RalphError('disk', error.message, { hint, cause: error })
}

export function handlerOf(handlers: Handlers, effect: HandledEffect): Handler<HandledEffect> {
  // The table pairs each type with its own handler; TypeScript cannot see that the pair stays together.
  return handlers[effect.type] as Handler<HandledEffect>
}

/** An effect that could not finish because of a stop has not failed: it was interrupted and must be requested again. */
function failure(effect: HandledEffect, { told }: AbortListener, error: unknown): Event {
  if (told?.why === 'stop') return { type: 'effect-lost', ...answerTo(effect) }
  return {
    type: 'effect-failed',
    ...answerTo(effect),
    problem: messageOf(error),
    hint: error instanceof RalphError ? (error.hint ?? null) : null,
  }
}
