/** Looks at the files that judge the work, and puts them back where they were tampered with. */
import { join } from 'node:path'
import type { EffectOf } from '../../domain/effect.ts'
import { GATE } from '../../domain/environment.ts'
import { RalphError } from '../../domain/error.ts'
import { readIfThere } from '../../system/files.ts'
import { handedEnv } from '../../system/environment.ts'
import { restoreGuarded } from '../../workspace/guard-restore.ts'
import { checkGuard, takeGuard } from '../../workspace/guard.ts'
import { takeSnapshot } from '../../workspace/snapshot.ts'
import type { Handler } from '../handler.ts'
import { endLeft, repoFor, type World } from '../world.ts'

export function guardHandler(world: World): Handler<EffectOf<'guard'>> {
  return {
    async perform(effect, put, aborting) {
      const { gates, protect } = effect
      const { root } = world
      const repo = repoFor(world, effect.id, aborting)
      const answer = { worker: effect.worker, effect: effect.id }
      // The tools a gate starts are found in the environment it will have.
      const env = handedEnv({ handover: world.handover, receiver: GATE, add: {} })
      if (effect.do === 'take') {
        const plan = world.loop.plan === null ? null : readIfThere(join(root, world.loop.plan))
        const { base, warnings } = await takeGuard({
          repo,
          root,
          tree: effect.tree,
          gates,
          protect,
          plan,
          env,
        })
        return put({ type: 'guard-taken', ...answer, base, warnings })
      }
      if (effect.base === null) throw new RalphError('bug', 'a guard was to be checked against nothing')
      const now = await takeSnapshot(repo, { ref: null })
      const report = await checkGuard({ repo, root, base: effect.base, now, gates, protect, env })
      put({ type: 'guard-checked', ...answer, report })
    },
    // Looking changes nothing, so it is simply done again.
    async inquire(effect) {
      await endLeft(world, effect)
      return { is: 'not-begun' }
    },
  }
}

export function restoreHandler(world: World): Handler<EffectOf<'restore'>> {
  return {
    async perform(effect, put, aborting) {
      const repo = repoFor(world, effect.id, aborting)
      await restoreGuarded(repo, { tree: effect.base, paths: effect.paths })
      const snapshot = await takeSnapshot(repo, { ref: null })
      put({ type: 'restored', worker: effect.worker, effect: effect.id, paths: effect.paths, snapshot })
    },
    // Putting a file back twice is harmless.
    async inquire(effect) {
      await endLeft(world, effect)
      return { is: 'not-begun' }
    },
  }
}
