/** Waits: for an instant on the wall clock (announced resets, full hours) or for awake time (back-off, pauses). */
import type { EffectOf } from '../../core/state/effect.ts'
import type { Clock, Timer } from '../../system/clock.ts'
import { answerTo, type Handler } from '../runtime/handler.ts'

/** The wall clock may be set, and a laptop may sleep: check at least this often. */
const LOOK_MS = 60_000

export function waitHandler(clock: Clock): Handler<EffectOf<'wait'>> {
  return {
    async perform(effect, put, { signal }) {
      const { forMs } = effect
      await (forMs === null ? passedBy(clock, effect.until, signal) : passed(clock, forMs, signal))
      put({ type: 'wait-ended', ...answerTo(effect) })
    },
    // A wait leaves no trace: it starts again, and ends at once if its time has passed.
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

async function passedBy(clock: Clock, until: number, signal: AbortSignal): Promise<void> {
  for (let left = until - clock.at(); left > 0; left = until - clock.at())
    await passed(clock, Math.min(left, LOOK_MS), signal)
}

/** Cancels the timer on abort: it would keep the process alive until it fires. */
function passed(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      timer.cancel()
      signal.removeEventListener('abort', cut)
      settle()
    }
    const cut = end(() => reject(signal.reason))
    const timer: Timer = clock.after(ms, end(resolve))
    signal.addEventListener('abort', cut)
  })
}
