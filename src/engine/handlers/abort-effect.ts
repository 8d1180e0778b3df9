/** Aborts another effect. That effect's handler reports its own end; `aborted` only says that it is over. */
import type { EffectOf } from '../../core/state/effect.ts'
import type { Handler } from '../runtime/handler.ts'
import type { RunningEffects } from '../runtime/running-effects.ts'

export function abortEffectHandler(runningEffects: Pick<RunningEffects, 'abort'>): Handler<EffectOf<'abort'>> {
  return {
    async perform({ id, worker, target, why, now }, put) {
      await runningEffects.abort(target, { why, now })
      put({ type: 'aborted', worker, effect: id })
    },
    // After a crash the recovery has ended all leftover processes.
    recoverAnswer: ({ id, worker }) =>
      Promise.resolve({ is: 'answered', event: { type: 'aborted', worker, effect: id } }),
  }
}
