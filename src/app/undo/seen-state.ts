/**
 * Keeps the base right across an undo. An undo is no person's edit, so the same change is reverted in the tree that Ralph last saw;
 * what a person changed since the run still counts as theirs.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import type { AcceptanceRequest } from '../../core/proof/acceptance.ts'
import { loadBase, saveSeenTree, restoreSeenTree } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { readIfExists } from '../../system/files/files.ts'
import { controlText } from '../../workspace/snapshot/control-tree.ts'
import { projectPrefix } from '../../workspace/repo/find-repo.ts'
import { revertInTree, type RevertSpec } from '../../workspace/undo/plan-revert.ts'
import type { TreeArchive } from '../../workspace/archive/tree-archive.ts'
import { archiveOf, type TreeChangeContext } from './mark-tree-seen.ts'

/** What Ralph had seen before an undo, with the plan's text, because the tree archive deletes files that no base uses. */
export interface SeenState {
  seen: { tree: TreeHash; plan: string | null } | null
  acceptance: AcceptanceRequest | null
  /** What the undo saved in its place. */
  noted: { tree: TreeHash; plan: string | null } | null
}

/** The current state; null: there is no base here. */
export async function lastSeenState(sql: Sql, proofContext: TreeChangeContext): Promise<SeenState | null> {
  const kept = await loadBase(sql, proofContext.root)
  if (kept === null) return null
  const { seen, acceptance } = kept
  const plan = seen?.plan ?? null
  const text = plan === null ? null : textOf(archiveOf(proofContext), plan)
  return { seen: seen === null ? null : { tree: seen.tree, plan: text }, acceptance, noted: null }
}

/** Null: the tree archive no longer has it, which the next run reports. */
function textOf(archive: TreeArchive, hash: string): string | null {
  try {
    return archive.bytes(hash).toString('utf8')
  } catch (error) {
    if (error instanceof RalphError) return null
    throw error
  }
}

export interface RevertContext {
  wanted: RevertSpec
  earlier: SeenState
  /** The tree as it is now. */
  now: TreeHash
  /** Everything since the last snapshot is reverted, so the current tree is known. */
  whole: boolean
}

/** Called after the files were reverted. Drops a pending acceptance with them. */
export async function markRevertedTreeSeen(
  sql: Sql,
  proofContext: TreeChangeContext,
  { wanted, earlier, now, whole }: RevertContext,
): Promise<SeenState> {
  const { root, repo, plan } = proofContext
  if (earlier.seen === null && !whole) {
    await restoreSeenTree(sql, root, { seen: null, acceptance: null })
    return earlier
  }
  const tree = earlier.seen === null ? now : ((await revertInTree(repo, wanted, earlier.seen.tree)) ?? now)
  const there = plan === null ? null : readIfExists(join(root, plan))
  const seenPlan = earlier.seen?.plan ?? null
  const text = seenPlan === null ? there : await revertPlanText(proofContext, wanted, seenPlan, there)
  const noted = { tree, plan: text === null ? null : archiveOf(proofContext).keep(text) }
  await saveSeenTree(sql, root, noted)
  return { ...earlier, noted }
}

async function revertPlanText(
  { root, repo, plan }: TreeChangeContext,
  { ownChanges, mergeControlFiles }: RevertSpec,
  seen: string,
  there: string | null,
): Promise<string | null> {
  if (plan === null) return there
  const prefix = projectPrefix(repo, root)
  const path = prefix === '' ? plan : `${prefix}/${plan}`
  let ours = seen
  for (const { before, after } of ownChanges.toReversed()) {
    if (before.control === undefined || after.control === undefined) return there
    const sides = {
      base: (await controlText(repo, after.control, path)) ?? '',
      theirs: (await controlText(repo, before.control, path)) ?? '',
    }
    const merged = mergeControlFiles(path, { ...sides, ours })
    if (merged === null) return there
    ours = merged
  }
  return ours
}

/** Called after an undo was reverted. If a run has taken a snapshot since, the change is applied to that one, so it is no person's edit. */
export async function markUndoRevertedSeen(
  sql: Sql,
  proofContext: TreeChangeContext,
  { wanted, earlier, now }: Omit<RevertContext, 'whole'>,
): Promise<void> {
  const kept = await loadBase(sql, proofContext.root)
  if (kept === null) return
  const isOurs = JSON.stringify(kept.seen) === JSON.stringify(earlier.noted ?? kept.seen)
  if (!isOurs) {
    const since = await lastSeenState(sql, proofContext)
    if (since !== null) await markRevertedTreeSeen(sql, proofContext, { wanted, earlier: since, now, whole: false })
    return
  }
  const text = earlier.seen?.plan ?? null
  const plan = text === null ? null : archiveOf(proofContext).keep(text)
  const seen = earlier.seen === null ? null : { tree: earlier.seen.tree, plan }
  await restoreSeenTree(sql, proofContext.root, { seen, acceptance: earlier.acceptance })
}
