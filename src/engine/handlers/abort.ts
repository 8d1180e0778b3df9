/** Ends another effect early. Its own end is reported by whoever performs it; this only says that it is over. */
import type { EffectOf } from '../../core/state/effect.ts'
import type { Handler } from '../runtime/handler.ts'
import type { RunningEffects } from '../runtime/running-effects.ts'

export function abortHandler(runningEffects: Pick<RunningEffects, 'abort'>): Handler<EffectOf<'abort'>> {
  return {
    async perform({ id, worker, target, why, now }, put) {
      await runningEffects.abort(target, { why, now })
      put({ type: 'aborted', worker, effect: id })
    },
    // After a crash nothing of ours runs any more: recovery has ended it.
    recoverAnswer: ({ id, worker }) =>
      Promise.resolve({ is: 'answered', event: { type: 'aborted', worker, effect: id } }),
  }
}
