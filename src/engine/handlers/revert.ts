/**
 * Reverts the work on a failed task, changes of a draft outside its documents, or changes of a reviewer. A ref of the run keeps the
 * reverted state.
 */
import { controlFiles, snapshotControlFiles, SETTINGS_FILES } from '../../core/control-files.ts'
import { mergeThreeWay } from '../../core/text/merge-lines.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { RevertResult } from '../../core/state/event.ts'
import { newAbortController } from '../../system/process/git-context.ts'
import { controlCopiesFolder } from '../../workspace/log-folders.ts'
import { removeStaleIndexLock } from '../../workspace/repo/index-lock.ts'
import { revertRefNames, snapshotRefName } from '../../workspace/repo/snapshot-refs.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { updateControlCopies } from '../../workspace/snapshot/control-files.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { revertToSnapshot } from '../../workspace/undo/revert-to-snapshot.ts'
import { answerTo, type Handler } from '../runtime/handler.ts'
import { recoverByRepeating, repoOfEffect, type WorkerContext } from '../handler-context.ts'
import { archivePlan, readPlanCheckboxes, uncommittedChanges } from './take-snapshot.ts'

/** Limit of named paths: nobody reads more, and the record stays small. */
const TOLD = 20

export function revertHandler(world: WorkerContext): Handler<EffectOf<'revert'>> {
  return {
    async perform(effect, put, aborting) {
      const repo = repoOfEffect(world, effect.id, aborting)
      put({ type: 'reverted', ...answerTo(effect), ...(await done(effect, repo)) })
    },
    // Reverting is idempotent. Git ended with the engine, but its lock file may remain.
    recoverAnswer: recoverByRepeating(world, { unlock: true }),
  }

  async function done(effect: EffectOf<'revert'>, repo: Repo): Promise<RevertResult> {
    const { worker, task, before, since, iteration, reader } = effect
    const names = snapshotControlFiles(world.loop, effect.writes)
    const { shown, ...refs } = revertRefNames(world.run, effect)
    // The agent's processes have ended, so a lock that remains is stale.
    if (repo.git !== null) await removeStaleIndexLock(repo.git, world.clock)
    const last = repoOfEffect(world, effect.id, newAbortController())
    const back = await revertToSnapshot(repo, last, {
      before,
      since,
      names,
      mergeControlFiles: (_path, sides) => mergeThreeWay(sides),
      refs,
      shown,
      why:
        reader === undefined
          ? task === null
            ? 'a draft may only write its documents'
            : `task ${task} failed`
          : `${reader} may only read`,
    })
    if (back.is === 'stays') return back
    const { root } = world.project
    updateControlCopies({
      root,
      copies: controlCopiesFolder(world, worker),
      paths: [...controlFiles(world.loop), ...SETTINGS_FILES],
    })
    const ref = snapshotRefName({ run: world.run, worker, iteration: iteration + 1 })
    const snapshot = await takeSnapshot(last, { ref, control: names })
    return {
      is: 'back',
      snapshot: { ...snapshot, ...(await uncommittedChanges(last, snapshot)) },
      ...readPlanCheckboxes({ ...world, root }),
      ...(world.proofContext.isJudged ? { plan: archivePlan(world) } : {}),
      ...(shown === null ? { kept: refs.before, began: refs.goal } : { kept: shown }),
      files: back.paths.length,
      paths: back.paths.slice(0, TOLD).map((path) => world.mask.text(path)),
      commits: back.commits,
      left: back.left.slice(0, TOLD),
    }
  }
}
