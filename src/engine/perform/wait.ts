/** Waits: for an instant on the wall clock (announced resets, full hours) or for awake time (back-off, pauses). */
import type { EffectOf } from '../../domain/effect.ts'
import type { Clock } from '../../system/clock.ts'
import type { Handler } from '../handler.ts'

/** The wall clock may be set, and a laptop may sleep: look again at least this often. */
const LOOK_MS = 60_000

export function waitHandler(clock: Clock): Handler<EffectOf<'wait'>> {
  return {
    perform(effect, put) {
      const over = (): void => put({ type: 'wait-over', worker: effect.worker, effect: effect.id })
      const { forMs } = effect
      if (forMs !== null) clock.after(forMs, over)
      else waitUntil(clock, effect.until, over)
      return Promise.resolve()
    },
    // A wait has no trace; it is begun again, and one whose time has passed is over at once.
    inquire: async () => ({ is: 'not-begun' }),
  }
}

function waitUntil(clock: Clock, until: number, over: () => void): void {
  const left = until - clock.at()
  if (left <= 0) over()
  else clock.after(Math.min(left, LOOK_MS), () => waitUntil(clock, until, over))
}
