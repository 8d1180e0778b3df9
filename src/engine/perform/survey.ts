/** Looks at the working tree: its snapshot, what changed since the last look, and the plan's boxes. */
import { join } from 'node:path'
import { countBoxes, nextOpenBox } from '../../compat/fix-plan.ts'
import type { EffectOf } from '../../domain/effect.ts'
import { readIfThere } from '../../system/files.ts'
import { keepBackup } from '../../workspace/backup.ts'
import { keepControlFiles } from '../../workspace/control-files.ts'
import { clearStaleLock } from '../../workspace/index-lock.ts'
import { changeBetween } from '../../workspace/measure.ts'
import { takeSnapshot } from '../../workspace/snapshot.ts'
import type { Handler } from '../handler.ts'
import { runFolder, type World } from '../world.ts'

export function surveyHandler(world: World): Handler<EffectOf<'survey'>> {
  return {
    async perform(effect, put) {
      const deleted = keepControlFiles({
        root: world.root,
        copies: join(runFolder(world), 'control'),
        paths: controlFiles(world),
      })
      // Nothing of the agent lives any more: what it holds, it holds for ever.
      const { git } = world.repo
      const unlocked = effect.for === 'after' && git !== null && (await clearStaleLock(git, world.clock))
      // The tree after iteration n is the one before iteration n + 1; that is the number a person asks to go back to.
      const before = effect.for === 'after' ? effect.iteration + 1 : effect.iteration
      const snapshot = await takeSnapshot(world.repo, { ref: snapshotRef(world, effect.worker, before) })
      if (world.backup && snapshot.ref !== null)
        await keepBackup(world.repo, { iteration: before, sha: snapshot.ref, at: world.clock.at() })
      const change =
        effect.since === null
          ? null
          : await changeBetween(world.repo, { tree: effect.since, head: effect.sinceHead }, snapshot)
      put({
        type: 'surveyed',
        worker: effect.worker,
        effect: effect.id,
        snapshot,
        change,
        ...readPlan(world),
        deleted,
        ...(unlocked ? { unlocked } : {}),
      })
    },
    // Looking changes nothing, so it is simply done again.
    inquire: async () => ({ is: 'not-begun' }),
  }
}

/** Numbered by iteration, so that they sort; only further workers add their name. */
function snapshotRef(world: Pick<World, 'run'>, worker: string, iteration: number): string {
  return `refs/ralph/${world.run}/${iteration}${worker === '1' ? '' : `-worker-${worker}`}`
}

/** What the loop cannot do without, and what a person set up beside it. */
function controlFiles({ loop }: World): string[] {
  const settings = ['.ralph.toml', '.ralphrc', '.ralph/.ralphrc', '.ralph/config.json']
  return [
    loop.prompt,
    ...(loop.plan === null ? [] : [loop.plan]),
    '.ralph/AGENT.md',
    '.ralph/@AGENT.md',
    ...settings,
  ]
}

function readPlan(world: World): { boxes: { open: number; done: number } | null; nextBox: string | null } {
  const text = world.loop.plan === null ? null : readIfThere(join(world.root, world.loop.plan))
  if (text === null) return { boxes: null, nextBox: null }
  const { open, done } = countBoxes(text, world.loop.optionalSections)
  return open + done === 0
    ? { boxes: null, nextBox: null }
    : { boxes: { open, done }, nextBox: nextOpenBox(text, world.loop.optionalSections) }
}
