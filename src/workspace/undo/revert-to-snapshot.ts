/**
 * Reverts the tree to an earlier snapshot when one known actor made all changes since. The present state is saved first. It is idempotent:
 * an interrupted revert keeps its saved state and continues from the present one.
 */
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import { isSameSnapshot, snapshotRefOf, type SnapshotRef } from '../../core/tree/own-change.ts'
import type { ControlFileSelector } from '../snapshot/control-tree.ts'
import { gitOrThrow, resolveObject } from '../repo/git.ts'
import type { Repo } from '../repo/find-repo.ts'
import { createSnapshotCommit } from '../snapshot/snapshot-commit.ts'
import { takeSnapshot } from '../snapshot/snapshot.ts'
import { applyRevert, saveRevertSnapshots } from './apply-revert.ts'
import { diffTrees, editTree } from './merge-trees.ts'
import { describeObstacle } from './describe-obstacle.ts'
import { planRevert, type RevertPlan, type RevertSpec } from './plan-revert.ts'

export interface RevertToSnapshotOptions {
  before: SnapshotRef
  /** The state that the tree must have now; null: any. */
  since: SnapshotRef | null
  names: ControlFileSelector
  mergeControlFiles: RevertSpec['mergeControlFiles']
  refs: { before: string; goal: string }
  /** The ref that keeps everything reverted as one change, control files included, for `git show`; null: none. */
  shown: string | null
  /** For the reflog. */
  why: string
}

/** `paths`: relative to the top of the working tree. */
export type RevertToSnapshotResult =
  | { is: 'back'; paths: string[]; commits: number; left: string[] }
  | { is: 'stays'; why: string }

/** `last`: applies the revert; it ignores a request to stop, because a half-reverted tree helps nobody. */
export async function revertToSnapshot(
  repo: Repo,
  last: Repo,
  wanted: RevertToSnapshotOptions,
): Promise<RevertToSnapshotResult> {
  try {
    const plan = await planned(repo, wanted)
    if (plan.is === 'stays') return plan
    const { names, why, shown } = wanted
    if (shown !== null) await keepAsChange(repo, plan.plan, shown)
    const { files } = await applyRevert(last, plan.plan, { names, copies: {}, why, links: 'go' })
    const { commits, control } = plan.plan
    const steered = control.map(({ path }) => path).filter((path) => !files.kept.includes(path))
    return {
      is: 'back',
      paths: [...files.restored, ...files.removed, ...steered],
      commits: commits.gone.length,
      left: files.kept,
    }
  } catch (error) {
    // Nothing was changed before these errors: git is busy or absent, or somebody is changing files right now.
    if (error instanceof RalphError && (error.code === 'held' || error.code === 'not-found'))
      return { is: 'stays', why: error.message }
    throw error
  }
}

/** Written before anything is changed, and never again after an interruption: the tree is half reverted by then. */
async function keepAsChange(repo: Repo, { now, goal }: RevertPlan, ref: string): Promise<void> {
  const { git: place } = repo
  const { tree, control } = now.snapshot
  if (place === null || (await resolveObject(repo, ref)) !== null) return
  const extras =
    control === undefined || goal.control === undefined ? [] : [...(await diffTrees(repo, goal.control, control))]
  const treeOf = (work: TreeHash, side: 'from' | 'to'): Promise<TreeHash> =>
    editTree({ repo, place }, work, new Map(extras.map(([path, entries]) => [path, entries[side]])))
  const began = await createSnapshotCommit(repo, {
    tree: await treeOf(goal.tree, 'from'),
    head: goal.head,
    side: null,
    ref,
  })
  const did = await createSnapshotCommit(repo, { tree: await treeOf(tree, 'to'), head: began, side: null, ref })
  await gitOrThrow(repo, ['update-ref', '--no-deref', ref, did], { activity: `save the reverted work as ${ref}` })
}

async function planned(
  repo: Repo,
  { before, since, names, mergeControlFiles, refs }: RevertToSnapshotOptions,
): Promise<{ is: 'possible'; plan: RevertPlan } | { is: 'stays'; why: string }> {
  const now = snapshotRefOf(await takeSnapshot(repo, { ref: null, control: names }))
  const kept = await savedSnapshotRef(repo, refs.before, now)
  if (kept === null && since !== null && !isSameSnapshot(since, now))
    return { is: 'stays', why: 'somebody else changed files since the last snapshot' }
  // After an interruption, the saved state separates the changes to revert from changes that others made since.
  const ownChanges = [{ before, after: kept ?? now }]
  const plan = await planRevert(repo, { ownChanges, names, mergeControlFiles })
  if (plan.is === 'inseparable') {
    const why = plan.obstacles.map(describeObstacle).join('; ')
    if (kept === null) return { is: 'stays', why }
    throw new RalphError('inseparable', `the revert was interrupted halfway and cannot be finished: ${why}`, {
      hint: `Ralph saved the previous state as ${refs.before}.`,
    })
  }
  const { published } = plan.commits
  if (published.length > 0) return { is: 'stays', why: `its commits are already in ${published.join(', ')}` }
  if (kept === null) await saveRevertSnapshots(repo, plan, { names, refs })
  return { is: 'possible', plan }
}

/** The state saved when the revert began; null: it has not begun. HEAD moves last, so its branch is unchanged or everything is done. */
async function savedSnapshotRef(repo: Repo, ref: string, { branch }: SnapshotRef): Promise<SnapshotRef | null> {
  const read = (what: string): Promise<string | null> => resolveObject(repo, what)
  const tree = await read(`${ref}^{tree}`)
  if (tree === null) return null
  // The commit is on top of HEAD, if there was one; its other parent holds the control files and the index.
  const second = await read(`${ref}^2`)
  const side = second ?? (await read(`${ref}^1`))
  const head = second === null ? null : await read(`${ref}^1`)
  const [control, index] = [await read(`${side}:control`), await read(`${side}:index`)]
  return { tree, head, branch, ...(control === null ? {} : { control }), ...(index === null ? {} : { index }) }
}
