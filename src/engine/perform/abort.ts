/** Ends another effect early. Its own end is reported by whoever performs it; this only says that it is over. */
import type { EffectOf } from '../../domain/state/effect.ts'
import type { Handler } from '../circle/handler.ts'
import type { Performing } from '../circle/performing.ts'

export function abortHandler(performing: Pick<Performing, 'abort'>): Handler<EffectOf<'abort'>> {
  return {
    async perform({ id, worker, target, why, now }, put) {
      await performing.abort(target, { why, now })
      put({ type: 'aborted', worker, effect: id })
    },
    // After a crash nothing of ours runs any more: recovery has ended it.
    inquire: ({ id, worker }) =>
      Promise.resolve({ is: 'answered', event: { type: 'aborted', worker, effect: id } }),
  }
}
