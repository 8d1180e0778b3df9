/**
 * Takes the work on a task that failed, what a draft changed beside its papers, or what a reader changed out of the tree. It is kept under a
 * ref of the run.
 */
import { controlFiles, controlNames, SETTINGS } from '../../domain/control-files.ts'
import { mergeLines } from '../../domain/text/merge-lines.ts'
import type { EffectOf } from '../../domain/state/effect.ts'
import type { PutBack } from '../../domain/state/event.ts'
import { newAbort } from '../../system/process/errand.ts'
import { controlCopies } from '../../workspace/log-folders.ts'
import { clearStaleLock } from '../../workspace/repo/index-lock.ts'
import { putBackRefs, snapshotRef } from '../../workspace/repo/refs.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { takeControlFiles } from '../../workspace/snapshot/control-files.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { putBack } from '../../workspace/undo/put-back.ts'
import type { Handler } from '../circle/handler.ts'
import { endLeft, repoFor, type Here } from '../world.ts'
import { keepPlan, readPlan, uncommittedIn } from './survey.ts'

/** More names than these nobody reads, and the record stays light. */
const TOLD = 20

export function putBackHandler(world: Here): Handler<EffectOf<'put-back'>> {
  return {
    async perform(effect, put, aborting) {
      const repo = repoFor(world, effect.id, aborting)
      put({ type: 'put-back', worker: effect.worker, effect: effect.id, ...(await done(effect, repo)) })
    },
    // To be done twice is what it is made for. Our git died with us, its lock did not.
    async inquire(effect) {
      await endLeft(world, effect)
      if (world.repo.git !== null) await clearStaleLock(world.repo.git, world.clock)
      return { is: 'not-begun' }
    },
  }

  async function done(effect: EffectOf<'put-back'>, repo: Repo): Promise<PutBack> {
    const { worker, task, before, since, iteration, reader } = effect
    const names = controlNames(world.loop, effect.writes)
    const { shown, ...refs } = putBackRefs(world.run, effect)
    // Nothing of the agent lives any more: what it holds, it holds for ever.
    if (repo.git !== null) await clearStaleLock(repo.git, world.clock)
    const last = repoFor(world, effect.id, newAbort())
    const back = await putBack(repo, last, {
      before,
      since,
      names,
      mergeControl: (_path, sides) => mergeLines(sides),
      refs,
      shown,
      why:
        reader === undefined
          ? task === null
            ? 'a draft writes papers only'
            : `task ${task} failed`
          : `${reader} may only read`,
    })
    if (back.is === 'stays') return back
    const { root } = world.project
    takeControlFiles({
      root,
      copies: controlCopies(world, worker),
      paths: [...controlFiles(world.loop), ...SETTINGS],
    })
    const ref = snapshotRef({ run: world.run, worker, iteration: iteration + 1 })
    const snapshot = await takeSnapshot(last, { ref, control: names })
    return {
      is: 'back',
      snapshot: { ...snapshot, ...(await uncommittedIn(last, snapshot)) },
      ...readPlan({ ...world, root }),
      ...(world.judging.isJudged ? { plan: keepPlan(world) } : {}),
      ...(shown === null ? { kept: refs.before, began: refs.goal } : { kept: shown }),
      files: back.paths.length,
      paths: back.paths.slice(0, TOLD).map((path) => world.mask.text(path)),
      commits: back.commits,
      left: back.left.slice(0, TOLD),
    }
  }
}
