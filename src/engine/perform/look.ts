/** A last look: what was tried must still be what lies in the working tree. */
import type { EffectOf } from '../../domain/state/effect.ts'
import { differences } from '../../workspace/witness/tree.ts'
import type { Handler } from '../circle/handler.ts'
import { nothingTried } from './room-trouble.ts'
import { endLeft, repoFor, type Here } from '../world.ts'

const LISTED = 20

export function lookHandler(world: Here): Handler<EffectOf<'look-again'>> {
  const { witness } = world.judging
  return {
    async perform(effect, put, aborting) {
      const answer = { worker: effect.worker, effect: effect.id }
      const now = await witness.take(repoFor(world, effect.id, aborting))
      try {
        const changed = differences(witness.tree(effect.final), now.tree).map(({ path }) => path)
        put({ type: 'looked-again', ...answer, changed: changed.slice(0, LISTED) })
      } catch (thrown) {
        put({ type: 'room-tried', ...answer, trial: nothingTried(thrown) })
      }
    },
    // Looking changes nothing, so it is simply done again.
    async inquire(effect) {
      await endLeft(world, effect)
      return { is: 'not-begun' }
    },
  }
}
