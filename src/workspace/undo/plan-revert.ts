/**
 * Plans how to revert the changes between two snapshots, and nothing else. Every layer is a three-way merge of the state before, the state
 * after and the present one. Files, the index and control files are merged path by path; commits are removed, and later ones are recreated.
 * The plan only writes git objects; conflicts are returned as obstacles.
 */
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import type { SnapshotRef, OwnChange } from '../../core/tree/own-change.ts'
import { gitBusyReason } from '../repo/git-busy.ts'
import { isControlPath, type ControlFileSelector } from '../snapshot/control-tree.ts'
import { isFileListHash } from '../snapshot/file-list.ts'
import { resolveObject } from '../repo/git.ts'
import type { GitFolders, Repo } from '../repo/find-repo.ts'
import { requireGitFolders, planRestore, type RestoreResult } from '../snapshot/restore-snapshot.ts'
import { takeSnapshotWithManifest, type SnapshotWithManifest } from '../snapshot/snapshot.ts'
import { withBlobs } from './blobs.ts'
import { computeRevertedTree } from './compute-reverted-tree.ts'
import {
  diffTrees,
  createEmptyTree,
  mergeTrees,
  revertEach,
  type TreeEntry,
  type MergeContext,
  type TextSides,
} from './merge-trees.ts'
import {
  commitsSince,
  remoteBranchesWith,
  replayWithoutCommits,
  treeOfCommit,
  type NamedCommit,
} from './replay-without-commits.ts'
import { computeRevertedIndex } from './compute-reverted-index.ts'

export interface RevertSpec {
  /** Oldest first. */
  ownChanges: OwnChange[]
  names: ControlFileSelector
  /** Merges the texts of a control file; null: both changed the same lines. */
  mergeControlFiles: (path: string, sides: TextSides) => string | null
}

export interface RevertPlan {
  is: 'possible'
  /** The snapshot of the present state. */
  now: SnapshotWithManifest
  goal: SnapshotRef
  files: RestoreResult
  /** Control files that change. */
  control: ControlChange[]
  commits: {
    /** Oldest first. */
    gone: NamedCommit[]
    /** Commits that the history had before and will have again. */
    back: NamedCommit[]
    /** Later commits, which are recreated. */
    kept: (NamedCommit & { as: string })[]
    /** Remote branches that contain commits of `gone`. */
    published: string[]
  }
  renamed: RewrittenCommits
  /** The branch that HEAD leaves; it keeps its commits. */
  stays: string | null
}

/** Keyed by old hash: the commit before a removed one (null: none), and the new hash of a recreated one. */
export interface RewrittenCommits {
  gone: [string, string | null][]
  kept: [string, string][]
}

export interface ControlChange {
  path: string
  /** Null: not there. */
  now: string | null
  goal: string | null
}

/** A reason why the changes cannot be reverted. */
export type Obstacle =
  | { is: 'files'; files: string[] }
  | { is: 'staged'; files: string[] }
  | { is: 'control'; files: string[] }
  | { is: 'commit'; commit: NamedCommit; files: string[] }
  /** Commits were rewritten, so Ralph's commits cannot be told from others. */
  | { is: 'history'; gone: NamedCommit[] }
  | { is: 'branch'; now: string | null; home: string | null }
  | { is: 'unmerged' }

export interface RevertConflict {
  is: 'inseparable'
  obstacles: Obstacle[]
}

export async function planRevert(repo: Repo, wanted: RevertSpec): Promise<RevertPlan | RevertConflict> {
  const place = freePlace(repo, wanted.ownChanges)
  const now = await takeSnapshotWithManifest(repo, { ref: null, control: wanted.names })
  return withMerging(repo, place, wanted, (merging) => workOut(merging, wanted, now))
}

function freePlace(repo: Repo, ownChanges: OwnChange[]): GitFolders {
  const place = requireGitFolders(
    repo,
    ownChanges.flatMap(({ before, after }) => [before.tree, after.tree]),
  )
  const busy = gitBusyReason(place)
  if (busy !== null)
    throw new RalphError('held', `cannot undo while ${busy}`, { hint: 'Finish or abort it, then try again.' })
  return place
}

/** Reverts the same changes in the tree of another snapshot; null: there are conflicts. */
export async function revertInTree(repo: Repo, wanted: RevertSpec, tree: TreeHash): Promise<TreeHash | null> {
  const place = repo.git
  if (place === null || isFileListHash(tree)) return null
  return withMerging(repo, place, wanted, async (merging) => {
    const point: SnapshotRef = { tree, head: null, branch: null, control: await createEmptyTree(repo) }
    const { clashes, tree: taken } = await treeBack(merging, wanted.ownChanges, point)
    return clashes.length === 0 ? taken : null
  })
}

async function withMerging<T>(
  repo: Repo,
  place: GitFolders,
  { names, mergeControlFiles }: RevertSpec,
  work: (merging: MergeContext) => Promise<T>,
): Promise<T> {
  const isControl = (path: string): boolean => isControlPath(path, place, names)
  return withBlobs(repo, place, (blobs) => work({ repo, place, blobs, control: mergeControlFiles, isControl }))
}

async function workOut(
  merging: MergeContext,
  { ownChanges }: RevertSpec,
  now: SnapshotWithManifest,
): Promise<RevertPlan | RevertConflict> {
  const { repo, blobs } = merging
  const { snapshot } = now
  const obstacles: Obstacle[] = []
  const branch = await branchBack(repo, ownChanges, snapshot)
  const history = 'obstacle' in branch ? null : await historyBack(merging, branch, snapshot)
  if ('obstacle' in branch) obstacles.push(branch.obstacle)
  if (history !== null && 'obstacle' in history) obstacles.push(history.obstacle)

  const files = await treeBack(merging, ownChanges, snapshot)
  if (files.clashes.length > 0) obstacles.push({ is: 'files', files: files.clashes })
  const control = await controlBack(merging, ownChanges, snapshot)
  if (control.clashes.length > 0) obstacles.push({ is: 'control', files: control.clashes })
  const { index } = snapshot
  const staged = index === undefined ? null : await computeRevertedIndex(merging, ownChanges, { ...snapshot, index })
  if (staged === null) obstacles.push({ is: 'unmerged' })
  else if (staged.clashes.length > 0) obstacles.push({ is: 'staged', files: staged.clashes })
  if ('obstacle' in branch || history === null || 'obstacle' in history || staged === null || obstacles.length > 0)
    return { is: 'inseparable', obstacles }

  const goal: SnapshotRef = {
    tree: files.tree,
    head: history.head,
    branch: branch.to,
    index: staged.tree,
    ...(control.tree === undefined ? {} : { control: control.tree }),
  }
  const planned = await planRestore(repo, goal.tree, now)
  return {
    is: 'possible',
    now,
    goal,
    files: { ...planned, kept: [...new Set([...planned.kept, ...files.left])].sort() },
    control: await controlChanges(blobs, repo, { now: snapshot.control, goal: goal.control }),
    commits: history.commits,
    renamed: history.renamed,
    stays: branch.stays,
  }
}

interface BranchBack {
  /** The commit ranges to remove, the latest own change last; empty: none. */
  heads: { from: string | null; to: string | null }[]
  /** The branch of HEAD afterwards. */
  to: string | null
  /** Null: HEAD stays on its branch. Otherwise HEAD moves to this commit of `to`. */
  switchTo: { head: string | null } | null
  stays: string | null
}

/** Decides on which branch commits are removed. HEAD changes its branch only if the run changed it and nobody committed there since. */
async function branchBack(
  repo: Repo,
  ownChanges: OwnChange[],
  now: SnapshotRef,
): Promise<BranchBack | { obstacle: Obstacle }> {
  const points = ownChanges.flatMap(({ before, after }) => [before, after])
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) throw new RalphError('bug', 'there is no change to revert')
  const home = first.branch
  const here = { to: now.branch, switchTo: null, stays: null }
  const obstacle: Obstacle = { is: 'branch', now: now.branch, home }
  if (points.every(({ branch }) => branch === home)) {
    const heads = ownChanges.map(({ before, after }) => ({ from: before.head, to: after.head }))
    if (heads.every(({ from, to }) => from === to)) return { ...here, heads: [] }
    return now.branch === home ? { ...here, heads } : { obstacle }
  }
  const onHome = points.filter(({ branch }) => branch === home).at(-1) ?? first
  if (now.branch === home) return { ...here, heads: [{ from: first.head, to: onHome.head }] }
  if (now.branch !== last.branch || now.head !== last.head) return { obstacle }
  if (home !== null && (await resolveObject(repo, `refs/heads/${home}`)) !== first.head) return { obstacle }
  return { heads: [], to: home, switchTo: { head: first.head }, stays: now.branch }
}

type History =
  | { head: string | null; commits: RevertPlan['commits']; renamed: RewrittenCommits }
  | { obstacle: Obstacle }

async function historyBack(merging: MergeContext, { heads, switchTo }: BranchBack, now: SnapshotRef): Promise<History> {
  const { repo } = merging
  const nothing = { gone: [], back: [], kept: [], published: [] }
  if (switchTo !== null) return { head: switchTo.head, commits: nothing, renamed: { gone: [], kept: [] } }
  for (const ownChange of heads) {
    const gone = now.head === null ? [] : await madeAnew(merging, ownChange, now.head)
    if (gone.length > 0) return { obstacle: { is: 'history', gone } }
  }
  let { head } = now
  const kept = new Map<string, string>()
  const gone = new Map<string, string | null>()
  for (const ownChange of heads.toReversed()) {
    const out = await replayWithoutCommits(merging, head, ownChange)
    if (out === null) {
      const { from, to } = ownChange
      return { obstacle: { is: 'history', gone: to === null ? [] : await commitsSince(repo, { from, to }) } }
    }
    const originalOf = (sha: string): string => [...kept].find(([, made]) => made === sha)?.[0] ?? sha
    if (out.clash !== null) {
      const { files, ...commit } = out.clash
      return { obstacle: { is: 'commit', commit: { ...commit, sha: originalOf(commit.sha) }, files } }
    }
    const outs = new Set(out.gone.map(({ sha }) => sha))
    const become = (sha: string | null): string | null =>
      sha === null ? null : outs.has(sha) ? ownChange.from : (out.renewed.get(sha) ?? sha)
    for (const [sha, made] of gone) gone.set(sha, become(made))
    for (const [old, made] of out.renewed) kept.set(originalOf(old), made)
    for (const sha of outs) gone.set(originalOf(sha), ownChange.from)
    ;({ head } = out)
  }
  if (head === now.head) return { head, commits: nothing, renamed: { gone: [], kept: [] } }
  const was = now.head === null ? [] : await commitsSince(repo, { from: head, to: now.head })
  const will = head === null ? [] : await commitsSince(repo, { from: now.head, to: head })
  const made = new Set(kept.values())
  const oldest = was[0]
  return {
    head,
    commits: {
      gone: was.filter(({ sha }) => gone.has(sha)),
      back: will.filter(({ sha }) => !made.has(sha)),
      kept: was.flatMap((one) => {
        const as = kept.get(one.sha)
        return as === undefined ? [] : [{ ...one, as }]
      }),
      published: oldest === undefined ? [] : await remoteBranchesWith(repo, oldest.sha),
    },
    renamed: { gone: [...gone], kept: [...kept] },
  }
}

/** Commits that are no longer in the history although HEAD contains their changes: amended, rebased, squashed or committed again. */
async function madeAnew(
  merging: MergeContext,
  { from, to }: { from: string | null; to: string | null },
  now: string,
): Promise<NamedCommit[]> {
  const { repo } = merging
  if (to === null || from === to) return []
  const there = new Set((await commitsSince(repo, { from, to: now })).map(({ sha }) => sha))
  const missing = (await commitsSince(repo, { from, to })).filter(({ sha }) => !there.has(sha))
  if (missing.length === 0) return []
  const sides = {
    base: await treeOfCommit(repo, to),
    ours: await treeOfCommit(repo, now),
    theirs: await treeOfCommit(repo, from),
  }
  const { tree, clashes } = await mergeTrees(merging, sides)
  return tree === sides.ours && clashes.length === 0 ? [] : missing
}

/** Reverts the files of the tree; control files in it are reverted separately. */
async function treeBack(
  merging: MergeContext,
  ownChanges: OwnChange[],
  now: SnapshotRef,
): Promise<{ tree: TreeHash; clashes: string[]; left: string[] }> {
  const left: string[] = []
  const reverted = await revertEach(ownChanges, now.tree, async ({ before, after }, ours) => {
    const apart = before.control !== undefined && after.control !== undefined && now.control !== undefined
    const sides = { base: after.tree, ours, theirs: before.tree }
    const back = await computeRevertedTree(merging, sides, (path) => !(apart && merging.isControl(path)))
    left.push(...back.left)
    return back
  })
  return { ...reverted, left }
}

async function controlBack(
  merging: MergeContext,
  ownChanges: OwnChange[],
  { control }: SnapshotRef,
): Promise<{ tree: TreeHash | undefined; clashes: string[] }> {
  if (control === undefined) return { tree: undefined, clashes: [] }
  return revertEach(ownChanges, control, async ({ before, after }, ours) =>
    before.control === undefined || after.control === undefined
      ? { tree: ours, clashes: [] }
      : mergeTrees(merging, { base: after.control, ours, theirs: before.control }),
  )
}

async function controlChanges(
  blobs: MergeContext['blobs'],
  repo: Repo,
  { now, goal }: { now: TreeHash | undefined; goal: TreeHash | undefined },
): Promise<ControlChange[]> {
  if (now === undefined || goal === undefined || now === goal) return []
  const changes: ControlChange[] = []
  const text = async (entry: TreeEntry | null) => (entry === null ? null : ((await blobs.text(entry.hash)) ?? ''))
  for (const [path, { from, to }] of await diffTrees(repo, now, goal))
    changes.push({ path, now: await text(from), goal: await text(to) })
  return changes
}
