/**
 * What completions are judged against, across an undo. Taking a run back is nobody's edit, so what Ralph last saw is taken back as the tree
 * was; what a person changed since the run stays a person's.
 */
import { join } from 'node:path'
import { RalphError } from '../../domain/error.ts'
import type { TreeHash } from '../../domain/ids.ts'
import type { Acceptance } from '../../domain/proof/acceptance.ts'
import { baseOf, noteSeen, restoreSeen } from '../../store/bases.ts'
import type { Sql } from '../../store/db/sql.ts'
import { readIfThere } from '../../system/files/files.ts'
import { controlText } from '../../workspace/snapshot/control-tree.ts'
import { prefixOf, type Repo } from '../../workspace/repo/repository-at.ts'
import { takeBackIn, type WantedBack } from '../../workspace/undo/take-back.ts'
import { witnessFolder } from '../../workspace/witness/folder.ts'
import { openWitness, type Witness } from '../../workspace/witness/witness.ts'

export interface UndoSurroundings {
  root: string
  repo: Repo
  /** The plan, relative to the project; null: none is wanted. */
  plan: string | null
  env: Readonly<Record<string, string | undefined>>
  home: string
}

/** What was seen before an undo, with the plan's text itself: the witness forgets what nobody is judged by. */
export interface SeenThen {
  seen: { tree: TreeHash; plan: string | null } | null
  acceptance: Acceptance | null
  /** What was noted instead. */
  noted: { tree: TreeHash; plan: string | null } | null
}

/** What is remembered now; null: nothing was ever judged here. */
export async function seenNow(sql: Sql, { root, ...judging }: UndoSurroundings): Promise<SeenThen | null> {
  const kept = await baseOf(sql, root)
  if (kept === null) return null
  const { seen, acceptance } = kept
  const plan = seen?.plan ?? null
  const text = plan === null ? null : textOf(witnessOf({ root, ...judging }), plan)
  return { seen: seen === null ? null : { tree: seen.tree, plan: text }, acceptance, noted: null }
}

/** Null: the witness does not have it any more, which the next run tells. */
function textOf(witness: Witness, hash: string): string | null {
  try {
    return witness.bytes(hash).toString('utf8')
  } catch (error) {
    if (error instanceof RalphError) return null
    throw error
  }
}

export interface TakenBack {
  wanted: WantedBack
  earlier: SeenThen
  /** The tree as it is now. */
  now: TreeHash
  /** All that was done since the last look is taken back, so that it is known again what there is. */
  whole: boolean
}

/** After the files were taken back. What waited to be accepted went with them. */
export async function noteTakenBack(
  sql: Sql,
  judging: UndoSurroundings,
  { wanted, earlier, now, whole }: TakenBack,
): Promise<SeenThen> {
  const { root, repo, plan } = judging
  if (earlier.seen === null && !whole) {
    await restoreSeen(sql, root, { seen: null, acceptance: null })
    return earlier
  }
  const tree = earlier.seen === null ? now : ((await takeBackIn(repo, wanted, earlier.seen.tree)) ?? now)
  const there = plan === null ? null : readIfThere(join(root, plan))
  const seenPlan = earlier.seen?.plan ?? null
  const text = seenPlan === null ? there : await planBack(judging, wanted, seenPlan, there)
  const noted = { tree, plan: text === null ? null : witnessOf(judging).keep(text) }
  await noteSeen(sql, root, noted)
  return { ...earlier, noted }
}

async function planBack(
  { root, repo, plan }: UndoSurroundings,
  { stretches, mergeControl }: WantedBack,
  seen: string,
  there: string | null,
): Promise<string | null> {
  if (plan === null) return there
  const prefix = prefixOf(repo, root)
  const path = prefix === '' ? plan : `${prefix}/${plan}`
  let ours = seen
  for (const { before, after } of stretches.toReversed()) {
    if (before.control === undefined || after.control === undefined) return there
    const sides = {
      base: (await controlText(repo, after.control, path)) ?? '',
      theirs: (await controlText(repo, before.control, path)) ?? '',
    }
    const merged = mergeControl(path, { ...sides, ours })
    if (merged === null) return there
    ours = merged
  }
  return ours
}

/** After the undo was taken back. Where a run has looked since, its look is taken for what it was, and nobody's edit is made of ours. */
export async function noteReturned(
  sql: Sql,
  judging: UndoSurroundings,
  { wanted, earlier, now }: Omit<TakenBack, 'whole'>,
): Promise<void> {
  const kept = await baseOf(sql, judging.root)
  if (kept === null) return
  const isOurs = JSON.stringify(kept.seen) === JSON.stringify(earlier.noted ?? kept.seen)
  if (!isOurs) {
    const since = await seenNow(sql, judging)
    if (since !== null) await noteTakenBack(sql, judging, { wanted, earlier: since, now, whole: false })
    return
  }
  const text = earlier.seen?.plan ?? null
  const plan = text === null ? null : witnessOf(judging).keep(text)
  const seen = earlier.seen === null ? null : { tree: earlier.seen.tree, plan }
  await restoreSeen(sql, judging.root, { seen, acceptance: earlier.acceptance })
}

function witnessOf({ root, repo, env, home }: UndoSurroundings): Witness {
  return openWitness(witnessFolder(root, repo, { env, home }))
}
