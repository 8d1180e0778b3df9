/** Commits the changes of an iteration. A failed commit does not fail the run: the changes stay in the tree. */
import type { EffectOf } from '../../core/state/effect.ts'
import { changedPathsBetween } from '../../workspace/snapshot/compare-snapshots.ts'
import { commitChanges } from '../../workspace/repo/commit.ts'
import { answerTo, type Handler } from '../runtime/handler.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { recoverByRepeating, repoOfEffect, type WorkerContext } from '../handler-context.ts'
import { withTimeout } from './with-timeout.ts'

export function commitHandler(world: WorkerContext): Handler<EffectOf<'commit'>> {
  return {
    async perform(effect, put, aborting) {
      const { withinMs, message } = effect
      const made = await withTimeout(world, { withinMs, signal: aborting.signal }, async (signal) => {
        const repo = repoOfEffect(world, effect.id, { signal })
        return commitChanges(repo, { message, only: await ownPaths(effect, repo) })
      })
      put({ type: 'committed', ...answerTo(effect), ...(made ?? TOO_LATE) })
    },
    // Committing twice is harmless: the second time there is nothing to commit. Git ended with the engine, but its lock file may remain.
    recoverAnswer: recoverByRepeating(world, { unlock: true }),
  }
}

const TOO_LATE = { sha: null, files: 0, problem: 'git took too long, and the run was to stop' }

/** Null: all paths, also if a tree is no longer there to compare. */
async function ownPaths({ own }: EffectOf<'commit'>, repo: Repo): Promise<ReadonlySet<string> | null> {
  const paths = own === undefined ? null : await changedPathsBetween(repo, own.from, own.to)
  return paths === null ? null : new Set(paths)
}
