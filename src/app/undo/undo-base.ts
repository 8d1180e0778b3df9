/**
 * What completions are judged against, across an undo. Taking a run back is nobody's edit, so what Ralph last saw is taken back as the tree
 * was; what a person changed since the run stays a person's.
 */
import { join } from 'node:path'
import { RalphError } from '../../core/error.ts'
import type { TreeHash } from '../../core/ids.ts'
import type { AcceptanceRequest } from '../../core/proof/acceptance.ts'
import { loadBase, saveSeenTree, restoreSeenTree } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { readIfExists } from '../../system/files/files.ts'
import { controlText } from '../../workspace/snapshot/control-tree.ts'
import { prefixOf, type Repo } from '../../workspace/repo/find-repo.ts'
import { revertInTree, type RevertSpec } from '../../workspace/undo/plan-revert.ts'
import { archiveFolder } from '../../workspace/archive/archive-folder.ts'
import { openTreeArchive, type TreeArchive } from '../../workspace/archive/tree-archive.ts'

export interface UndoContext {
  root: string
  repo: Repo
  /** The plan, relative to the project; null: none is wanted. */
  plan: string | null
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** What was seen before an undo, with the plan's text itself: the tree archive forgets what nobody is judged by. */
export interface SeenState {
  seen: { tree: TreeHash; plan: string | null } | null
  acceptance: AcceptanceRequest | null
  /** What was noted instead. */
  noted: { tree: TreeHash; plan: string | null } | null
}

/** What is remembered now; null: nothing was ever judged here. */
export async function lastSeenState(sql: Sql, { root, ...proofContext }: UndoContext): Promise<SeenState | null> {
  const kept = await loadBase(sql, root)
  if (kept === null) return null
  const { seen, acceptance } = kept
  const plan = seen?.plan ?? null
  const text = plan === null ? null : textOf(archiveOf({ root, ...proofContext }), plan)
  return { seen: seen === null ? null : { tree: seen.tree, plan: text }, acceptance, noted: null }
}

/** Null: the tree archive does not have it any more, which the next run tells. */
function textOf(archive: TreeArchive, hash: string): string | null {
  try {
    return archive.bytes(hash).toString('utf8')
  } catch (error) {
    if (error instanceof RalphError) return null
    throw error
  }
}

export interface RevertedTree {
  wanted: RevertSpec
  earlier: SeenState
  /** The tree as it is now. */
  now: TreeHash
  /** All that was done since the last look is taken back, so that it is known again what there is. */
  whole: boolean
}

/** After the files were taken back. What waited to be accepted went with them. */
export async function noteReverted(
  sql: Sql,
  proofContext: UndoContext,
  { wanted, earlier, now, whole }: RevertedTree,
): Promise<SeenState> {
  const { root, repo, plan } = proofContext
  if (earlier.seen === null && !whole) {
    await restoreSeenTree(sql, root, { seen: null, acceptance: null })
    return earlier
  }
  const tree = earlier.seen === null ? now : ((await revertInTree(repo, wanted, earlier.seen.tree)) ?? now)
  const there = plan === null ? null : readIfExists(join(root, plan))
  const seenPlan = earlier.seen?.plan ?? null
  const text = seenPlan === null ? there : await planBack(proofContext, wanted, seenPlan, there)
  const noted = { tree, plan: text === null ? null : archiveOf(proofContext).keep(text) }
  await saveSeenTree(sql, root, noted)
  return { ...earlier, noted }
}

async function planBack(
  { root, repo, plan }: UndoContext,
  { ownChanges, mergeControlFiles }: RevertSpec,
  seen: string,
  there: string | null,
): Promise<string | null> {
  if (plan === null) return there
  const prefix = prefixOf(repo, root)
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

/** After the undo was taken back. Where a run has looked since, its look is taken for what it was, and nobody's edit is made of ours. */
export async function noteUndoReverted(
  sql: Sql,
  proofContext: UndoContext,
  { wanted, earlier, now }: Omit<RevertedTree, 'whole'>,
): Promise<void> {
  const kept = await loadBase(sql, proofContext.root)
  if (kept === null) return
  const isOurs = JSON.stringify(kept.seen) === JSON.stringify(earlier.noted ?? kept.seen)
  if (!isOurs) {
    const since = await lastSeenState(sql, proofContext)
    if (since !== null) await noteReverted(sql, proofContext, { wanted, earlier: since, now, whole: false })
    return
  }
  const text = earlier.seen?.plan ?? null
  const plan = text === null ? null : archiveOf(proofContext).keep(text)
  const seen = earlier.seen === null ? null : { tree: earlier.seen.tree, plan }
  await restoreSeenTree(sql, proofContext.root, { seen, acceptance: earlier.acceptance })
}

function archiveOf({ root, repo, env, home }: UndoContext): TreeArchive {
  return openTreeArchive(archiveFolder(root, repo, { env, home }))
}
