/**
 * The circle, walked one way: take what waits, step and record it, publish the rows, perform what was asked. Results come back
 * as events at the same door. State advances only after the commit.
 */
import { messageOf, RalphError } from '../../domain/error.ts'
import type { House } from '../../domain/state/state.ts'
import type { Event } from '../../domain/state/event.ts'
import type { Now } from '../../domain/ids.ts'
import type { Store } from '../../store/db/open.ts'
import type { Clock } from '../../system/clock.ts'
import { advance, type Position } from './advance.ts'
import type { Bus } from '../../listeners/bus.ts'
import type { Aborting, Handler, Handlers, PerformedEffect } from './handler.ts'
import type { Inbox } from './inbox.ts'
import type { Performing } from './performing.ts'

export interface Engine {
  store: Store
  inbox: Inbox
  bus: Pick<Bus, 'rows'>
  handlers: Handlers
  performing: Performing
  /** Told where the run stands after every batch of rows, before anything follows from them. */
  stands?(position: Position): void
  clock(): Now
  after: Clock['after']
}

/** Serves a run until it has ended or is left for later, and nothing of it is left: a wait that a stop cut short still has its timer. */
export async function drive(engine: Engine, from: Position): Promise<House> {
  let position: Position = from
  for (;;) {
    const events = await engine.inbox.take()
    const advanced = await advance(engine.store, position, events, () => engine.clock())
    position = advanced
    engine.stands?.(position)
    engine.bus.rows(advanced.rows)
    for (const effect of advanced.effects) perform(engine, effect)
    const { is } = advanced.house.run
    if (is !== 'ended' && is !== 'left') continue
    await engine.performing.close(engine)
    return advanced.house
  }
}

/** Starts the effect and goes on; its answer comes in at the inbox. */
export function perform(
  engine: Pick<Engine, 'inbox' | 'handlers' | 'performing'>,
  effect: PerformedEffect,
): void {
  const handler = handlerOf(engine.handlers, effect)
  const put = (event: Event): void => engine.inbox.put(event)
  const work = (aborting: Aborting): Promise<void> =>
    handler.perform(effect, put, aborting).catch((error: unknown) => {
      const trouble = aborting.told === null ? diskTrouble(error) : null
      if (trouble === null) put(failure(effect, aborting, error))
      else engine.inbox.fail(trouble)
    })
  void engine.performing.begin(effect, work)
}

/**
 * A disk that refuses says nothing about the work: no outcome is drawn from it. The engine leaves by the emergency door, the effect
 * stays open, and the same command goes on from there when the disk is well again.
 */
function diskTrouble(error: unknown): RalphError | null {
  if (!(error instanceof RalphError) || (error.code !== 'disk' && error.code !== 'io')) return null
  const { hint = 'Mend it, then run the same command again: the run goes on.' } = error
  return new RalphError('disk', error.message, { hint, cause: error })
}

export function handlerOf(handlers: Handlers, effect: PerformedEffect): Handler<PerformedEffect> {
  // The table pairs each type with its own handler; TypeScript cannot see that the pair stays together.
  return handlers[effect.type] as Handler<PerformedEffect>
}

/** What was told to stop and could not finish has not failed: it was cut off, and would have to be asked again. */
function failure(effect: PerformedEffect, { told }: Aborting, error: unknown): Event {
  const answer = { worker: effect.worker, effect: effect.id }
  if (told?.why === 'stop') return { type: 'effect-lost', ...answer }
  return {
    type: 'effect-failed',
    ...answer,
    problem: messageOf(error),
    hint: error instanceof RalphError ? (error.hint ?? null) : null,
  }
}
