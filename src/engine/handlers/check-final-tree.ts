/** The last proof step: the working tree must still be the tree that was tried. */
import type { EffectOf } from '../../core/state/effect.ts'
import { diffTrees } from '../../workspace/archive/tree-listing.ts'
import { answerTo, type Handler } from '../runtime/handler.ts'
import { trialResultOfError } from './clean-room-failure.ts'
import { recoverByRepeating, repoOfEffect, type WorkerContext } from '../handler-context.ts'

const LISTED = 20

export function checkFinalTreeHandler(world: WorkerContext): Handler<EffectOf<'check-final-tree'>> {
  const { archive } = world.proofContext
  return {
    async perform(effect, put, aborting) {
      const now = await archive.take(repoOfEffect(world, effect.id, aborting))
      try {
        const changed = diffTrees(archive.tree(effect.final), now.tree).map(({ path }) => path)
        put({ type: 'final-tree-checked', ...answerTo(effect), changed: changed.slice(0, LISTED) })
      } catch (thrown) {
        put({ type: 'trial-ended', ...answerTo(effect), trial: trialResultOfError(thrown) })
      }
    },
    // Reading changes nothing, so the effect is repeated.
    recoverAnswer: recoverByRepeating(world),
  }
}
