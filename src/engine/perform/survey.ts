/** Looks at the working tree: its snapshot, what changed since the last look, and the plan's boxes. */
import { join } from 'node:path'
import { controlFiles, controlNames, SETTINGS } from '../../domain/control-files.ts'
import { countBoxes, nextOpenBox } from '../../domain/plan/fix-plan.ts'
import { ticksBetween, type Ticks } from '../../domain/plan/plan-ticks.ts'
import type { Change, Snapshot } from '../../domain/tree/change.ts'
import { RalphError } from '../../domain/error.ts'
import type { EffectOf } from '../../domain/state/effect.ts'
import type { EventOf } from '../../domain/state/event.ts'
import { clip } from '../../domain/text/text.ts'
import { readIfThere, removeFolder } from '../../system/files/files.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { keepBackup } from '../../workspace/backup.ts'
import { editedSince, keepControlFiles } from '../../workspace/snapshot/control-files.ts'
import { clearStaleLock } from '../../workspace/repo/index-lock.ts'
import { changeBetween, pathsSince } from '../../workspace/snapshot/measure.ts'
import { snapshotRef } from '../../workspace/repo/refs.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import type { Handler } from '../circle/handler.ts'
import { controlCopies, iterationFolder } from '../../workspace/log-folders.ts'
import { endLeft, repoFor, type Here } from '../world.ts'
import { inTime } from './in-time.ts'

export function surveyHandler(world: Here): Handler<EffectOf<'survey'>> {
  return {
    async perform(effect, put, aborting) {
      const { withinMs } = effect
      const seen = await inTime(world, { withinMs, signal: aborting.signal }, (signal) =>
        survey(effect, repoFor(world, effect.id, { signal })),
      )
      put(seen ?? { type: 'effect-lost', worker: effect.worker, effect: effect.id })
    },
    // Looking changes nothing, so it is simply done again.
    async inquire(effect) {
      await endLeft(world, effect)
      return { is: 'not-begun' }
    },
  }

  async function survey(effect: EffectOf<'survey'>, repo: Repo): Promise<EventOf<'surveyed'>> {
    if (effect.for === 'verify') return lookOnly(world, effect, repo)
    const { root } = world.project
    const copies = controlCopies(world, effect.worker)
    // Our copy is the plan as the look before saw it, until it is brought up to date.
    const ticks = readTicks({ ...world, root }, copies)
    const named = controlFiles(world.loop)
    const edited = editedSince({ root, copies, paths: SETTINGS }, effect.for === 'start')
    const deleted = keepControlFiles({ root, copies, paths: named })
    // Nothing of the agent lives any more: what it holds, it holds for ever.
    const unlocked = looksAfter(effect) && repo.git !== null && (await clearStaleLock(repo.git, world.clock))
    // The tree after iteration n is the one before iteration n + 1; that is the number a person asks to go back to.
    const before = looksAfter(effect) ? effect.iteration + 1 : effect.iteration
    const refOf = (iteration: number): string =>
      snapshotRef({ run: world.run, worker: effect.worker, iteration })
    const spare = outOfReach(before, Math.max(SNAPSHOTS_KEPT, world.snapshotsKept))
    const snapshot = await takeSnapshot(repo, {
      ref: refOf(before),
      ...(spare === null ? {} : { instead: refOf(spare) }),
      control: controlNames(world.loop, effect.writes),
    })
    if (world.backup && snapshot.ref !== null)
      await keepBackup(repo, { iteration: before, sha: snapshot.ref, at: world.clock.at() })
    const change =
      effect.since === null
        ? null
        : await changeBetween(repo, { tree: effect.since, head: effect.sinceHead }, snapshot)
    if (effect.for === 'after') forgetLogs(world, effect)
    return {
      type: 'surveyed',
      worker: effect.worker,
      effect: effect.id,
      snapshot: {
        ...snapshot,
        // Who ends a run wants to know it; nobody else does, and it takes two processes.
        ...(effect.for === 'before' ? {} : await uncommittedIn(repo, snapshot)),
      },
      change: change === null ? null : masked(change, world.mask),
      ...readPlan({ ...world, root }),
      ...(world.judging.isJudged ? { plan: keepPlan(world) } : {}),
      ...(ticks === null ? {} : { ticks }),
      deleted,
      ...(edited.length === 0 ? {} : { edited }),
      ...(unlocked ? { unlocked } : {}),
    }
  }
}

/** The tree alone: no snapshot is kept, and no control file is restored. */
async function lookOnly(
  world: Here,
  { worker, id }: EffectOf<'survey'>,
  repo: Repo,
): Promise<EventOf<'surveyed'>> {
  return {
    type: 'surveyed',
    worker,
    effect: id,
    snapshot: await takeSnapshot(repo, { ref: null }),
    change: null,
    boxes: null,
    nextBox: null,
    plan: keepPlan(world),
  }
}

/** An agent has just ended, whatever it was for. */
function looksAfter({ for: why }: EffectOf<'survey'>): boolean {
  return why === 'after' || why === 'check'
}

/** While a run goes on it keeps so many snapshots at least, and afterwards as many as the settings say: an undo of an unfinished run
 *  needs more of them than that of one which ended. */
const SNAPSHOTS_KEPT = 100
/** A run of weeks is read by its report and by its last nights. */
const LOGS_KEPT = 1_000

/** The one that goes when this one comes; null: none yet. The first stays: to it the whole run can be undone, by it one sees the start. */
function outOfReach(iteration: number, kept: number): number | null {
  const spare = iteration - kept
  return spare > 1 ? spare : null
}

/** What cannot be removed stays: no run ends over that. */
function forgetLogs(world: Here, { worker, iteration }: EffectOf<'survey'>): void {
  const spare = outOfReach(iteration, LOGS_KEPT)
  if (spare === null) return
  try {
    removeFolder(iterationFolder(world, worker, spare))
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
  }
}

/** More than these nobody types, and the state stays small. */
const PATHS_MAX = 12
const PATHS_LENGTH = 600

/** What is in no commit. */
export async function uncommittedIn(
  repo: Repo,
  { head, tree }: Snapshot,
): Promise<Pick<Snapshot, 'uncommitted' | 'uncommittedPaths'>> {
  if (repo.git === null || head === null) return {}
  const paths = await pathsSince(repo, head, tree)
  if (paths === null) return {}
  // Names are from the top of the repository; whoever stands below it would type them wrongly.
  const typed = repo.git.prefix === '' && paths.join('').length <= PATHS_LENGTH
  const few = typed && paths.length <= PATHS_MAX
  return { uncommitted: paths.length, ...(few ? { uncommittedPaths: paths } : {}) }
}

/** A subject is the agent's words, as those of its reply are. */
function masked(change: Change, mask: Masker): Change {
  return {
    ...change,
    commits: change.commits.map(({ sha, subject }) => ({ sha, subject: mask.text(subject) })),
  }
}

/** The project's folder, and what its plan is read by. */
type PlanIn = Pick<Here, 'loop' | 'mask'> & { root: string }

/** More than these nobody reads, and the record stays light. */
const TICKS_MAX = 50
const TICK_LENGTH = 200

/** Null: nothing was ticked, or nobody knows what the plan was before. */
function readTicks({ root, loop, mask }: PlanIn, copies: string): Ticks | null {
  if (loop.plan === null) return null
  const before = readIfThere(join(copies, loop.plan))
  const now = readIfThere(join(root, loop.plan))
  if (before === null || now === null || before === now) return null
  const { done, undone } = ticksBetween(mask.text(before), mask.text(now), loop.optionalSections)
  const some = (texts: string[]): string[] => texts.slice(0, TICKS_MAX).map((text) => clip(text, TICK_LENGTH))
  return done.length + undone.length === 0 ? null : { done: some(done), undone: some(undone) }
}

/** The plan's text as it lies there, kept by the witness; null: there is none. */
export function keepPlan({
  loop,
  project,
  judging,
}: Pick<Here, 'loop' | 'project' | 'judging'>): string | null {
  const text = loop.plan === null ? null : readIfThere(join(project.root, loop.plan))
  return text === null ? null : judging.witness.keep(text)
}

export function readPlan(world: PlanIn): {
  boxes: { open: number; done: number } | null
  nextBox: string | null
} {
  const plan = world.loop.plan === null ? null : readIfThere(join(world.root, world.loop.plan))
  const text = plan === null ? null : world.mask.text(plan)
  if (text === null) return { boxes: null, nextBox: null }
  const { open, done } = countBoxes(text, world.loop.optionalSections)
  return open + done === 0
    ? { boxes: null, nextBox: null }
    : { boxes: { open, done }, nextBox: nextOpenBox(text, world.loop.optionalSections) }
}
