/** Commits what an iteration changed. A failed commit is no failure of the run: the changes stay in the tree. */
import type { EffectOf } from '../../domain/run/effect.ts'
import { commitAll } from '../../workspace/repo/commit.ts'
import { clearStaleLock } from '../../workspace/repo/index-lock.ts'
import type { Handler } from '../circle/handler.ts'
import { endLeft, repoFor, type Here } from '../world.ts'

export function commitHandler(world: Here): Handler<EffectOf<'commit'>> {
  return {
    async perform(effect, put, aborting) {
      const made = await commitAll(repoFor(world, effect.id, aborting), { message: effect.message })
      put({ type: 'committed', worker: effect.worker, effect: effect.id, ...made })
    },
    // Committing twice is harmless: the second time there is nothing left to commit. Our git died with us, its lock did not.
    async inquire(effect) {
      await endLeft(world, effect)
      if (world.repo.git !== null) await clearStaleLock(world.repo.git, world.clock)
      return { is: 'not-begun' }
    },
  }
}
