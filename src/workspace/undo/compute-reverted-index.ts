/**
 * Reverts a run's changes in the index: those that the run staged itself, and those that it left in files and a person staged later, alone
 * or together with own lines.
 */
import type { TreeHash } from '../../core/ids.ts'
import type { SnapshotRef, OwnChange } from '../../core/tree/own-change.ts'
import type { Repo } from '../repo/find-repo.ts'
import { isRalphPath } from '../repo/git-status.ts'
import {
  diffTrees,
  mergeTrees,
  revertEach,
  type EntryDifference,
  type MergeResult,
  type MergeContext,
} from './merge-trees.ts'
import { treeOfCommit } from './replay-without-commits.ts'

/** `tree` of the result is the index after the revert. */
export async function computeRevertedIndex(
  merging: MergeContext,
  ownChanges: OwnChange[],
  now: SnapshotRef & { index: TreeHash },
): Promise<Pick<MergeResult, 'tree' | 'clashes'>> {
  const { repo } = merging
  const staged = await withoutLeft(merging, ownChanges, now)
  if (staged.clashes.length > 0) return staged
  return revertEach(ownChanges, staged.tree, async ({ before, after }, ours) =>
    mergeTrees(merging, { base: await indexOf(repo, after), ours, theirs: await indexOf(repo, before) }),
  )
}

/** The index of a snapshot; if the snapshot has none, the tree of its HEAD. */
async function indexOf(repo: Repo, { index, head }: SnapshotRef): Promise<TreeHash> {
  return index ?? treeOfCommit(repo, head)
}

/** The index without changes that the run left in files and a person staged later. Parts that the person committed stay. */
async function withoutLeft(
  merging: MergeContext,
  ownChanges: OwnChange[],
  now: SnapshotRef & { index: TreeHash },
): Promise<Pick<MergeResult, 'tree' | 'clashes'>> {
  const { repo } = merging
  const unchanged = { tree: now.index, clashes: [] }
  const after = ownChanges.at(-1)?.after
  if (after === undefined) return unchanged
  const paths = await stagedSince(merging, after, now)
  if (paths.size === 0) return unchanged
  const taken = await takenBack(merging, ownChanges, { tree: now.index, paths })
  if (taken.clashes.length > 0 || taken.tree === now.index) return taken
  const head = await treeOfCommit(repo, now.head)
  const committed = await diffTrees(repo, await treeOfCommit(repo, after.head), head)
  const changed = await diffTrees(repo, now.index, taken.tree)
  const both = new Set([...committed.keys()].filter((path) => changed.has(path)))
  if (both.size === 0) return taken
  // If the person committed the file since, the commit may contain some of the run's lines: those are not staged changes, so they stay.
  const bare = await takenBack(merging, ownChanges, { tree: head, paths: both })
  if (bare.clashes.length > 0) return bare
  return mergeTrees(merging, { base: bare.tree, ours: taken.tree, theirs: head }, (path) => both.has(path))
}

/** Files that the run left different from the index, and whose staged version changed since and differs from HEAD. */
async function stagedSince(
  { repo, isControl }: MergeContext,
  after: SnapshotRef,
  now: SnapshotRef & { index: TreeHash },
): Promise<Set<string>> {
  const staged = await indexOf(repo, after)
  if (staged === now.index) return new Set()
  const [since, open, left] = await Promise.all([
    diffTrees(repo, staged, now.index),
    diffTrees(repo, await treeOfCommit(repo, now.head), now.index),
    diffTrees(repo, staged, after.tree),
  ])
  const control =
    after.control === undefined ? new Map<string, EntryDifference>() : await diffTrees(repo, staged, after.control)
  const leftIn = (path: string): EntryDifference | undefined =>
    after.control !== undefined && isControl(path) ? control.get(path) : isRalphPath(path) ? undefined : left.get(path)
  const found = [...since].filter(([path, { to }]) => {
    const there = leftIn(path)
    // Removing a file from the index while it stays on disk stages none of its content.
    return there !== undefined && open.has(path) && (to !== null || there.to === null)
  })
  return new Set(found.map(([path]) => path))
}

/** Reverts the own changes in some files of a tree, source and control files alike. */
async function takenBack(
  merging: MergeContext,
  ownChanges: OwnChange[],
  { tree, paths }: { tree: TreeHash; paths: Set<string> },
): Promise<Pick<MergeResult, 'tree' | 'clashes'>> {
  return revertEach(ownChanges, tree, async ({ before, after }, ours) => {
    const isApart = before.control !== undefined && after.control !== undefined
    const isWork = (path: string): boolean => !isRalphPath(path) && !(isApart && merging.isControl(path))
    const work = await mergeTrees(
      merging,
      { base: after.tree, ours, theirs: before.tree },
      (path) => paths.has(path) && isWork(path),
    )
    if (work.clashes.length > 0 || before.control === undefined || after.control === undefined) return work
    return mergeTrees(
      merging,
      { base: after.control, ours: work.tree, theirs: before.control },
      (path) => paths.has(path) && merging.isControl(path),
    )
  })
}
