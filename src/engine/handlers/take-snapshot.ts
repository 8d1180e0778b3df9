/** Takes a snapshot of the working tree, with the changes since the last one and the plan's checkboxes. */
import { join } from 'node:path'
import { controlFiles, snapshotControlFiles, SETTINGS_FILES } from '../../core/control-files.ts'
import { parseCheckboxes, nextOpenCheckbox } from '../../core/plan/fix-plan.ts'
import { tickedBetween, type TickedCheckboxes } from '../../core/plan/ticked-checkboxes.ts'
import type { Change, Snapshot } from '../../core/tree/change.ts'
import { RalphError } from '../../core/error.ts'
import type { EffectOf } from '../../core/state/effect.ts'
import type { EventOf } from '../../core/state/event.ts'
import { clip } from '../../core/text/sanitize.ts'
import { readIfExists, removeFolder } from '../../system/files/files.ts'
import type { Masker } from '../../system/mask/mask.ts'
import { saveSnapshotAsBackup } from '../../workspace/backup.ts'
import { editedControlFiles, syncControlFiles } from '../../workspace/snapshot/control-files.ts'
import { removeStaleIndexLock } from '../../workspace/repo/index-lock.ts'
import { changeBetween, changedPathsSince } from '../../workspace/snapshot/compare-snapshots.ts'
import { snapshotRefName } from '../../workspace/repo/snapshot-refs.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { answerTo, type Handler } from '../runtime/handler.ts'
import { controlCopiesFolder, iterationLogFolder } from '../../workspace/log-folders.ts'
import { recoverByRepeating, repoOfEffect, type WorkerContext } from '../handler-context.ts'
import { withTimeout } from './with-timeout.ts'

export function snapshotHandler(world: WorkerContext): Handler<EffectOf<'snapshot'>> {
  return {
    async perform(effect, put, aborting) {
      const { withinMs } = effect
      const seen = await withTimeout(world, { withinMs, signal: aborting.signal }, (signal) =>
        survey(effect, repoOfEffect(world, effect.id, { signal })),
      )
      put(seen ?? { type: 'effect-lost', ...answerTo(effect) })
    },
    // Reading changes nothing, so the effect is repeated.
    recoverAnswer: recoverByRepeating(world),
  }

  async function survey(effect: EffectOf<'snapshot'>, repo: Repo): Promise<EventOf<'snapshot-taken'>> {
    if (effect.for === 'verify') return readTreeOnly(world, effect, repo)
    const { root } = world.project
    const copies = controlCopiesFolder(world, effect.worker)
    // The saved copy is the plan at the last snapshot, until it is updated below.
    const ticks = readTicks({ ...world, root }, copies)
    const named = controlFiles(world.loop)
    const edited = editedControlFiles({ root, copies, paths: SETTINGS_FILES }, effect.for === 'start')
    const deleted = syncControlFiles({ root, copies, paths: named })
    // The agent's processes have ended, so a lock that remains is stale.
    const unlocked =
      hasAgentJustEnded(effect) && repo.git !== null && (await removeStaleIndexLock(repo.git, world.clock))
    // The tree after iteration n is the one before iteration n + 1; that is the number a person asks to go back to.
    const before = hasAgentJustEnded(effect) ? effect.iteration + 1 : effect.iteration
    const refOf = (iteration: number): string => snapshotRefName({ run: world.run, worker: effect.worker, iteration })
    const spare = iterationToDelete(before, Math.max(SNAPSHOTS_KEPT, world.snapshotsKept))
    const snapshot = await takeSnapshot(repo, {
      ref: refOf(before),
      ...(spare === null ? {} : { instead: refOf(spare) }),
      control: snapshotControlFiles(world.loop, effect.writes),
    })
    if (world.backup && snapshot.ref !== null)
      await saveSnapshotAsBackup(repo, { iteration: before, sha: snapshot.ref, at: world.clock.at() })
    const change =
      effect.since === null ? null : await changeBetween(repo, { tree: effect.since, head: effect.sinceHead }, snapshot)
    if (effect.for === 'after') forgetLogs(world, effect)
    return {
      type: 'snapshot-taken',
      ...answerTo(effect),
      snapshot: {
        ...snapshot,
        // Only the end of a run needs it, and it takes two processes.
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

/** Reads the tree only: saves no snapshot and restores no control file. */
async function readTreeOnly(
  world: WorkerContext,
  effect: EffectOf<'snapshot'>,
  repo: Repo,
): Promise<EventOf<'snapshot-taken'>> {
  return {
    type: 'snapshot-taken',
    ...answerTo(effect),
    snapshot: await takeSnapshot(repo, { ref: null }),
    change: null,
    checkboxes: null,
    nextCheckbox: null,
    plan: archivePlan(world),
  }
}

/** Whether an agent has just ended. */
function hasAgentJustEnded({ for: why }: EffectOf<'snapshot'>): boolean {
  return why === 'after' || why === 'check'
}

/** A run keeps at least this many snapshots until it ends, and then as many as the settings say: the undo of an unfinished run needs
 *  more of them. */
const SNAPSHOTS_KEPT = 100
/** Iterations whose logs are kept: of a run of weeks, people read the report and the last nights. */
const LOGS_KEPT = 1_000

/** The iteration to delete when this one is added; null: none yet. The first stays, so that the whole run can be undone. */
function iterationToDelete(iteration: number, kept: number): number | null {
  const spare = iteration - kept
  return spare > 1 ? spare : null
}

/** Deletes old logs. A log that cannot be removed stays and does not fail the run. */
function forgetLogs(world: WorkerContext, { worker, iteration }: EffectOf<'snapshot'>): void {
  const spare = iterationToDelete(iteration, LOGS_KEPT)
  if (spare === null) return
  try {
    removeFolder(iterationLogFolder(world, worker, spare))
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
  }
}

/** Limits of named paths: nobody types more, and the state stays small. */
const PATHS_MAX = 12
const PATHS_LENGTH = 600

/** Changes that no commit contains. */
export async function uncommittedChanges(
  repo: Repo,
  { head, tree }: Snapshot,
): Promise<Pick<Snapshot, 'uncommitted' | 'uncommittedPaths'>> {
  if (repo.git === null || head === null) return {}
  const paths = await changedPathsSince(repo, head, tree)
  if (paths === null) return {}
  // Paths start at the root of the repository, so they would be wrong in a subfolder.
  const typed = repo.git.prefix === '' && paths.join('').length <= PATHS_LENGTH
  const few = typed && paths.length <= PATHS_MAX
  return { uncommitted: paths.length, ...(few ? { uncommittedPaths: paths } : {}) }
}

/** The agent writes the commit subjects, so they are masked like its reply. */
function masked(change: Change, mask: Masker): Change {
  return { ...change, commits: change.commits.map(({ sha, subject }) => ({ sha, subject: mask.text(subject) })) }
}

/** The project's folder, and what reading its plan needs. */
type PlanIn = Pick<WorkerContext, 'loop' | 'mask'> & { root: string }

/** Limits of ticked checkboxes: nobody reads more, and the record stays small. */
const TICKS_MAX = 50
const TICK_LENGTH = 200

/** Null: nothing was ticked, or the earlier plan is unknown. */
function readTicks({ root, loop, mask }: PlanIn, copies: string): TickedCheckboxes | null {
  if (loop.plan === null) return null
  const before = readIfExists(join(copies, loop.plan))
  const now = readIfExists(join(root, loop.plan))
  if (before === null || now === null || before === now) return null
  const { done, undone } = tickedBetween(mask.text(before), mask.text(now), loop.optionalSections)
  const some = (texts: string[]): string[] => texts.slice(0, TICKS_MAX).map((text) => clip(text, TICK_LENGTH))
  return done.length + undone.length === 0 ? null : { done: some(done), undone: some(undone) }
}

/** Saves the current plan in the tree archive; null: there is no plan. */
export function archivePlan({
  loop,
  project,
  proofContext,
}: Pick<WorkerContext, 'loop' | 'project' | 'proofContext'>): string | null {
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
