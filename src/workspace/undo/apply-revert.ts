/**
 * Applies a revert plan: files, control files, the index, then HEAD. Refs keep the present state and the goal first.
 * Every step is idempotent, so an interrupted revert is planned again from the two refs and continued, in either direction.
 */
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { RalphError } from '../../core/error.ts'
import { snapshotRefOf, type SnapshotRef } from '../../core/tree/own-change.ts'
import { ensureFolder, removeIfExists, writeAtomic } from '../../system/files/files.ts'
import { isPathTaken } from '../../system/files/links.ts'
import { isLink } from '../../system/files/special-files.ts'
import { foldersAbove } from '../paths.ts'
import type { ControlFileSelector } from '../snapshot/control-tree.ts'
import { git, gitOrThrow } from '../repo/git.ts'
import { createSnapshotCommit, createExtrasCommit } from '../snapshot/snapshot-commit.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { removeWithEmptyParents, restoreTreeOver, type RestoreResult } from '../snapshot/restore-snapshot.ts'
import { takeSnapshotWithManifest } from '../snapshot/snapshot.ts'
import { withBlobs, type Blobs } from './blobs.ts'
import { diffTrees, indexInfoText } from './merge-trees.ts'
import { storeByteCopies, storeCopiesTree, restoreByteCopies, type ByteCopies } from './byte-copies.ts'
import type { RevertPlan } from './plan-revert.ts'

export interface RevertSnapshots {
  before: SnapshotRef
  goal: SnapshotRef
  /** Files that git would not restore byte for byte. */
  copies: ByteCopies
}

/** Saves the present state and the goal under these refs. The present state must still be the one of the plan. */
export async function saveRevertSnapshots(
  repo: Repo,
  plan: RevertPlan,
  { names, refs }: { names: ControlFileSelector; refs: { before: string; goal: string } },
): Promise<RevertSnapshots> {
  const place = placeOf(repo)
  const { snapshot: before } = await takeSnapshotWithManifest(repo, { ref: refs.before, control: names })
  if (pointKey(before) !== pointKey(plan.now.snapshot))
    throw new RalphError('held', 'files changed while you were deciding, so Ralph changed nothing', {
      hint: 'See the new list of changes: ralph undo',
    })
  const { goal, files } = plan
  const changed = [...files.restored, ...files.removed]
  const copies = await storeByteCopies(repo, place, { tree: before.tree, paths: changed })
  const side = await createExtrasCommit(repo, {
    extras: { ...goal, ...(await storeCopiesTree(repo, copies)) },
    ref: refs.goal,
  })
  const sha = await createSnapshotCommit(repo, { tree: goal.tree, head: goal.head, side, ref: refs.goal })
  await gitOrThrow(repo, ['update-ref', '--no-deref', refs.goal, sha], { activity: `save the goal as ${refs.goal}` })
  return { before: snapshotRefOf(before), goal, copies }
}

export interface ApplyRevertResult {
  files: RestoreResult
  /** The state after the revert. */
  after: SnapshotRef
}

export interface ApplyRevertOptions {
  names: ControlFileSelector
  copies: ByteCopies
  /** For the reflog. */
  why: string
  /** Whether to remove links that replaced control files. Absent: they stay, because they may be the user's. */
  links?: 'go' | 'stay'
}

export async function applyRevert(
  repo: Repo,
  plan: RevertPlan,
  { names, copies, why, links = 'stay' }: ApplyRevertOptions,
): Promise<ApplyRevertResult> {
  const place = placeOf(repo)
  const { now, goal } = plan
  return withBlobs(repo, place, async (blobs) => {
    const restored = await restoreTreeOver(repo, goal.tree, now)
    await restoreByteCopies(repo, place, { blobs, copies, tree: goal.tree, paths: restored.restored })
    const left = await writeControl(repo, place, { blobs, now: now.snapshot, goal, links })
    await stage(repo, now.snapshot, goal)
    await moveHead(repo, now.snapshot, goal, why)
    const { snapshot } = await takeSnapshotWithManifest(repo, { ref: null, control: names })
    const kept = [...new Set([...restored.kept, ...plan.files.kept, ...left])].sort()
    return { files: { ...restored, kept }, after: snapshotRefOf(snapshot) }
  })
}

function placeOf({ git: place }: Repo): GitFolders {
  if (place === null) throw new RalphError('bug', 'an undo was started without git')
  return place
}

function pointKey(point: SnapshotRef): string {
  return JSON.stringify(snapshotRefOf(point))
}

/** Writes control files byte for byte. Returns the paths it skipped: links, and files that the snapshot does not contain. */
async function writeControl(
  repo: Repo,
  place: GitFolders,
  { blobs, now, goal, links }: { blobs: Blobs; now: SnapshotRef; goal: SnapshotRef; links: 'go' | 'stay' },
): Promise<string[]> {
  const left: string[] = []
  if (now.control === undefined || goal.control === undefined) return left
  for (const [path, { from, to }] of await diffTrees(repo, now.control, goal.control)) {
    const file = join(place.top, path)
    // Nothing is written through a link: it would let its creator choose which file is overwritten.
    const link = [path, ...foldersAbove(path)].find((way) => isLink(join(place.top, way)))
    if (link !== undefined && links === 'go') removeIfExists(join(place.top, link))
    if (link !== undefined && links === 'stay') left.push(path)
    else if (to === null) removeWithEmptyParents(place, path)
    else if (from === null && isPathTaken(file)) left.push(path)
    else {
      ensureFolder(join(place.top, dirname(path)), 0o755)
      writeAtomic(file, await blobs.read(to.hash), { mode: 0o644 })
    }
  }
  return left
}

/** Updates the user's own index path by path; its other data (flags, times, intent-to-add entries) stays. */
async function stage(repo: Repo, now: SnapshotRef, goal: SnapshotRef): Promise<void> {
  if (now.index === undefined || goal.index === undefined || now.index === goal.index) return
  const edits = new Map([...(await diffTrees(repo, now.index, goal.index))].map(([path, { to }]) => [path, to]))
  const activity = 'restore staged changes'
  await gitOrThrow(repo, ['update-index', '-z', '--index-info'], { activity, input: indexInfoText(repo, edits) })
  // Only so that the next git command does not read the files again.
  await git(repo, ['update-index', '-q', '--refresh'])
}

async function moveHead(repo: Repo, now: SnapshotRef, goal: SnapshotRef, why: string): Promise<void> {
  const how = ['--no-deref', '-m', `ralph: ${why}`]
  const activity = 'move HEAD'
  if (now.branch !== goal.branch) {
    if (goal.branch === null) await gitOrThrow(repo, ['update-ref', ...how, 'HEAD', goal.head ?? ''], { activity })
    else
      await gitOrThrow(repo, ['symbolic-ref', '-m', `ralph: ${why}`, 'HEAD', `refs/heads/${goal.branch}`], { activity })
    return
  }
  if (now.head === goal.head) return
  const name = now.branch === null ? 'HEAD' : `refs/heads/${now.branch}`
  const move = goal.head === null ? ['-d', name, now.head ?? ''] : [name, goal.head, now.head ?? '']
  await gitOrThrow(repo, ['update-ref', ...how, ...move], { activity })
}
