/** Ends an agent or a gate early. Its own end is reported by whoever runs it; this only says that it was told. */
import type { EffectOf } from '../../domain/effect.ts'
import type { Handler, Stoppable } from '../handler.ts'

export function abortHandler(stoppables: Stoppable[]): Handler<EffectOf<'abort'>> {
  return {
    async perform(effect, put) {
      await Promise.all(
        stoppables.map((one) => one.stop(effect.target, { why: effect.why, now: effect.now })),
      )
      put({ type: 'aborted', worker: effect.worker, effect: effect.id })
    },
    // After a crash nothing of ours runs any more: recovery has ended it.
    inquire: (effect) =>
      Promise.resolve({
        is: 'answered',
        event: { type: 'aborted', worker: effect.worker, effect: effect.id },
      }),
  }
}
