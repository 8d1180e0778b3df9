/** Looks at the working tree: its snapshot, what changed since the last look, and the plan's checkboxes. */
import { join } from 'node:path'
import { controlFiles, controlNames, SETTINGS_FILES } from '../../core/control-files.ts'
import { parseCheckboxes, nextOpenCheckbox } from '../../core/plan/fix-plan.ts'
import { tickedBetween, type TickedCheckboxes } from '../../core/plan/ticked-checkboxes.ts'
import type { Change, Snapshot } from '../../core/tree/change.ts'
import { RalphError } from '../../core/error.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { EventOf } from '../../core/state/event.ts'
import { clip } from '../../core/text/sanitize.ts'
import { readIfExists, removeFolder } from '../../system/files/files.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { saveBackup } from '../../workspace/backup.ts'
import { editedControlFiles, restoreControlFiles } from '../../workspace/snapshot/control-files.ts'
import { removeStaleLock } from '../../workspace/repo/index-lock.ts'
import { changeBetween, pathsSince } from '../../workspace/snapshot/compare-snapshots.ts'
import { snapshotRef } from '../../workspace/repo/snapshot-refs.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import type { Handler } from '../runtime/handler.ts'
import { controlCopiesFolder, iterationFolder } from '../../workspace/log-folders.ts'
import { endLeftover, repoOfEffect, type WorkerWorld } from '../handler-world.ts'
import { withTimeout } from './with-timeout.ts'

export function snapshotHandler(world: WorkerWorld): Handler<EffectOf<'snapshot'>> {
  return {
    async perform(effect, put, aborting) {
      const { withinMs } = effect
      const seen = await withTimeout(world, { withinMs, signal: aborting.signal }, (signal) =>
        survey(effect, repoOfEffect(world, effect.id, { signal })),
      )
      put(seen ?? { type: 'effect-lost', worker: effect.worker, effect: effect.id })
    },
    // Looking changes nothing, so it is simply done again.
    async recoverAnswer(effect) {
      await endLeftover(world, effect)
      return { is: 'not-begun' }
    },
  }

  async function survey(effect: EffectOf<'snapshot'>, repo: Repo): Promise<EventOf<'snapshot-taken'>> {
    if (effect.for === 'verify') return lookOnly(world, effect, repo)
    const { root } = world.project
    const copies = controlCopiesFolder(world, effect.worker)
    // Our copy is the plan as the look before saw it, until it is brought up to date.
    const ticks = readTicks({ ...world, root }, copies)
    const named = controlFiles(world.loop)
    const edited = editedControlFiles({ root, copies, paths: SETTINGS_FILES }, effect.for === 'start')
    const deleted = restoreControlFiles({ root, copies, paths: named })
    // Nothing of the agent lives any more: what it holds, it holds for ever.
    const unlocked = looksAfter(effect) && repo.git !== null && (await removeStaleLock(repo.git, world.clock))
    // The tree after iteration n is the one before iteration n + 1; that is the number a person asks to go back to.
    const before = looksAfter(effect) ? effect.iteration + 1 : effect.iteration
    const refOf = (iteration: number): string => snapshotRef({ run: world.run, worker: effect.worker, iteration })
    const spare = outOfReach(before, Math.max(SNAPSHOTS_KEPT, world.snapshotsKept))
    const snapshot = await takeSnapshot(repo, {
      ref: refOf(before),
      ...(spare === null ? {} : { instead: refOf(spare) }),
      control: controlNames(world.loop, effect.writes),
    })
    if (world.backup && snapshot.ref !== null)
      await saveBackup(repo, { iteration: before, sha: snapshot.ref, at: world.clock.at() })
    const change =
      effect.since === null ? null : await changeBetween(repo, { tree: effect.since, head: effect.sinceHead }, snapshot)
    if (effect.for === 'after') forgetLogs(world, effect)
    return {
      type: 'snapshot-taken',
      worker: effect.worker,
      effect: effect.id,
      snapshot: {
        ...snapshot,
        // Who ends a run wants to know it; nobody else does, and it takes two processes.
        ...(effect.for === 'before' ? {} : await uncommittedChanges(repo, snapshot)),
      },
      change: change === null ? null : masked(change, world.mask),
      ...readPlanCheckboxes({ ...world, root }),
      ...(world.proofContext.isJudged ? { plan: archivePlan(world) } : {}),
      ...(ticks === null ? {} : { ticks }),
      deleted,
      ...(edited.length === 0 ? {} : { edited }),
      ...(unlocked ? { unlocked } : {}),
    }
  }
}

/** The tree alone: no snapshot is kept, and no control file is restored. */
async function lookOnly(
  world: WorkerWorld,
  { worker, id }: EffectOf<'snapshot'>,
  repo: Repo,
): Promise<EventOf<'snapshot-taken'>> {
  return {
    type: 'snapshot-taken',
    worker,
    effect: id,
    snapshot: await takeSnapshot(repo, { ref: null }),
    change: null,
    checkboxes: null,
    nextCheckbox: null,
    plan: archivePlan(world),
  }
}

/** An agent has just ended, whatever it was for. */
function looksAfter({ for: why }: EffectOf<'snapshot'>): boolean {
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
function forgetLogs(world: WorkerWorld, { worker, iteration }: EffectOf<'snapshot'>): void {
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
export async function uncommittedChanges(
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
type PlanIn = Pick<WorkerWorld, 'loop' | 'mask'> & { root: string }

/** More than these nobody reads, and the record stays light. */
const TICKS_MAX = 50
const TICK_LENGTH = 200

/** Null: nothing was ticked, or nobody knows what the plan was before. */
function readTicks({ root, loop, mask }: PlanIn, copies: string): TickedCheckboxes | null {
  if (loop.plan === null) return null
  const before = readIfExists(join(copies, loop.plan))
  const now = readIfExists(join(root, loop.plan))
  if (before === null || now === null || before === now) return null
  const { done, undone } = tickedBetween(mask.text(before), mask.text(now), loop.optionalSections)
  const some = (texts: string[]): string[] => texts.slice(0, TICKS_MAX).map((text) => clip(text, TICK_LENGTH))
  return done.length + undone.length === 0 ? null : { done: some(done), undone: some(undone) }
}

/** The plan's text as it lies there, kept by the tree archive; null: there is none. */
export function archivePlan({
  loop,
  project,
  proofContext,
}: Pick<WorkerWorld, 'loop' | 'project' | 'proofContext'>): string | null {
  const text = loop.plan === null ? null : readIfExists(join(project.root, loop.plan))
  return text === null ? null : proofContext.archive.keep(text)
}

export function readPlanCheckboxes(world: PlanIn): {
  checkboxes: { open: number; done: number } | null
  nextCheckbox: string | null
} {
  const plan = world.loop.plan === null ? null : readIfExists(join(world.root, world.loop.plan))
  const text = plan === null ? null : world.mask.text(plan)
  if (text === null) return { checkboxes: null, nextCheckbox: null }
  const { open, done } = parseCheckboxes(text, world.loop.optionalSections)
  return open + done === 0
    ? { checkboxes: null, nextCheckbox: null }
    : { checkboxes: { open, done }, nextCheckbox: nextOpenCheckbox(text, world.loop.optionalSections) }
}
