/**
 * Finds the base of completions: the last proven or accepted state, or the tree at the start of the first run. Moves it by the changes of
 * a person while no agent worked. Changes of agents never move it, whatever run made them.
 */
import { applyPlanEdits } from '../../core/plan/base-plan.ts'
import type { EffectOf, TreeAndPlan } from '../../core/state/effect.ts'
import type { EventOf } from '../../core/state/event.ts'
import { RalphError } from '../../core/error.ts'
import { NO_BASE_CHANGES, type Base, type BaseChanges } from '../../core/proof/base.ts'
import type { SavedBase } from '../../store/bases.ts'
import { changedPathsBetween } from '../../workspace/snapshot/compare-snapshots.ts'
import { hashRefs } from '../../workspace/repo/ref-hash.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { hasSharedToolsRecord } from '../../workspace/clean-room/prepare-clean-room.ts'
import { initialSharedToolsLevel, cleanRoomKey } from '../../workspace/clean-room/clean-room-key.ts'
import { archiveCommit } from '../../workspace/archive/archive-commit.ts'
import { writeArchiveProject } from '../../workspace/archive/archive-folder.ts'
import { diffTrees, treeWithPathsFrom, type ArchiveTree } from '../../workspace/archive/tree-listing.ts'
import type { TreeArchive } from '../../workspace/archive/tree-archive.ts'
import { answerTo, type Handler } from '../runtime/handler.ts'
import { recoverByRepeating, repoOfEffect, type WorkerContext } from '../handler-context.ts'
import type { ProofContext } from './proof-context.ts'

/** Limit of named paths. */
const NAMED = 5

export function resolveBaseHandler(world: WorkerContext): Handler<EffectOf<'resolve-base'>> {
  const { archive } = world.proofContext

  return {
    async perform(effect, put, aborting) {
      const repo = repoOfEffect(world, effect.id, aborting)
      const now = await archive.take(repo)
      const look: BaseLookup = { proofContext: world.proofContext, repo, now }
      writeArchiveProject(world.proofContext.memory, world.root)
      if (effect.verify !== undefined)
        return put({ ...(await resolveVerifyBase(look, effect, effect.verify)), ...answerTo(effect) })
      const found =
        effect.base === null ? await resolveBaseAtStart(look, effect.now) : await moveBase(look, effect.base, effect)
      const key = cleanRoomKey(world.proofContext.proof, { tree: treeFor(look, found.base), gates: effect.gates })
      put({
        type: 'base-resolved',
        ...answerTo(effect),
        ...found,
        now: now.id,
        room: key,
        cleanRoomCheck: await world.proofContext.cleanRoomCheck(key),
        sharedTools: await initialSharedToolsLevel(world.proofContext.proof, repo),
      })
    },
    // Reading changes nothing, so the effect is repeated.
    recoverAnswer: recoverByRepeating(world),
  }
}

type ResolvedBase = Omit<EventOf<'base-resolved'>, 'worker' | 'effect'>

/**
 * The base of a verification: the named commit, the saved base, or else the last commit. An agent may have made the last commit, so it
 * replaces a lost base only if a person names it.
 */
async function resolveVerifyBase(
  look: BaseLookup,
  { now, gates }: EffectOf<'resolve-base'>,
  { since }: { since: string | null },
): Promise<ResolvedBase> {
  const { proofContext, repo } = look
  const kept = await proofContext.base()
  // A manual verification includes the person's own edits, so they do not move the base.
  const { base: found } = await resolveBaseAtStart(look, now)
  const isLost = found.from === 'lost'
  const isKept = since === null && kept !== null && !isLost
  const isCommit = repo.git !== null && !isKept && !(isLost && since === null)
  const base: Base = isCommit
    ? {
        tree: await archiveCommit(repo, proofContext.archive, since ?? 'HEAD'),
        plan: now.plan,
        refs: null,
        from: 'first',
      }
    : isKept
      ? kept.base
      : found
  const key = cleanRoomKey(proofContext.proof, { tree: treeFor(look, found), gates })
  const known = await proofContext.cleanRoomCheck(key)
  const fit = known?.is === 'fit' ? known : null
  const sharedTools = fit?.sharedTools ?? (await initialSharedToolsLevel(proofContext.proof, repo))
  // A run may have moved the base by a person's changes, which no trial has seen: the tried base is then a different one.
  const isSame = fit !== null && fit.base === base.tree
  const tried = isKept && fit !== null ? fit.base : base.tree
  return {
    type: 'base-resolved',
    base,
    news: NO_BASE_CHANGES,
    now: look.now.id,
    room: key,
    cleanRoomCheck: {
      is: 'fit',
      sharedTools,
      tests: isSame ? fit.tests : null,
      base: tried,
      writtenFiles: fit?.writtenFiles ?? [],
    },
    sharedTools,
    verify: {
      ready: hasSharedToolsRecord(proofContext.memory),
      commit: isCommit ? (since === null ? 'last' : 'named') : null,
    },
  }
}

function treeFor({ proofContext: { archive }, now }: BaseLookup, { tree }: Base): ArchiveTree {
  return archive.has(tree) ? archive.tree(tree) : now.tree
}

/** The current tree, and what it is compared with. */
interface BaseLookup {
  proofContext: ProofContext
  repo: Repo
  now: { id: string; tree: ArchiveTree }
}

interface Found {
  base: Base
  news: BaseChanges
}

/** At the start of a run. */
async function resolveBaseAtStart(look: BaseLookup, seen: TreeAndPlan): Promise<Found> {
  const { proofContext, repo, now } = look
  const kept = await proofContext.base()
  const first: Base = { tree: now.id, plan: seen.plan, refs: await hashRefs(repo), from: 'first' }
  if (kept === null) return { base: first, news: NO_BASE_CHANGES }
  if (!isWhole(look, kept)) return { base: { ...first, from: 'lost' }, news: NO_BASE_CHANGES }
  const rejected = await proofContext.refused()
  if (kept.seen !== null) {
    const found = await moveBase(look, kept.base, { since: kept.seen, now: seen })
    return { base: found.base, news: { ...found.news, rejected } }
  }
  const news = { ...baseChangesOf(look, kept.base, []), rejected }
  const warnings =
    news.inheritedCount === 0
      ? []
      : [
          'an agent may have worked here since the last snapshot, so Ralph treats all changes since then as agent changes',
        ]
  return { base: kept.base, news: { ...news, warnings } }
}

/** Whether the archive can still restore the base. Unchanged files of the working tree were just archived again. */
function isWhole({ proofContext: { archive }, now }: BaseLookup, { base, seen }: SavedBase): boolean {
  if (!archive.has(base.tree)) return false
  const then = archive.tree(base.tree)
  const files = diffTrees(then, now.tree).flatMap(({ path }) => {
    const file = then.get(path)
    return file?.kept === true ? [file.hash] : []
  })
  const plans = [base.plan, seen?.plan ?? null].filter((hash) => hash !== null)
  return [...files, ...plans].every((hash) => isThere(archive, hash))
}

function isThere(archive: TreeArchive, hash: string): boolean {
  try {
    archive.bytes(hash)
    return true
  } catch (error) {
    if (error instanceof RalphError && error.code === 'witness-lost') return false
    throw error
  }
}

/** Changes between the two snapshots were made by a person. */
async function moveBase(
  look: BaseLookup,
  base: Base,
  { since, now: seen }: { since: TreeAndPlan | null; now: TreeAndPlan },
): Promise<Found> {
  const { archive } = look.proofContext
  if (!archive.has(base.tree)) {
    // The next completion reports it and its consequences.
    const warning = 'the snapshot from the start of the work is gone or damaged'
    return { base, news: { ...NO_BASE_CHANGES, warnings: [warning] } }
  }
  if (since === null) return { base, news: baseChangesOf(look, base, []) }
  const paths = await changedPathsBetween(look.repo, since.tree, seen.tree)
  if (paths === null) {
    const warning = 'the last snapshot is gone, so Ralph cannot tell who made the changes since then'
    return { base, news: { ...baseChangesOf(look, base, []), warnings: [warning] } }
  }
  const result = treeWithPathsFrom(archive.tree(base.tree), { paths, to: look.now.tree })
  const after: Base = {
    ...base,
    tree: result.moved.length === 0 ? base.tree : archive.put(result.tree),
    plan: planAfter(archive, base.plan, { from: since.plan, to: seen.plan }),
  }
  return { base: after, news: baseChangesOf(look, after, result.moved) }
}

function baseChangesOf({ proofContext: { archive }, now }: BaseLookup, base: Base, movedPaths: string[]): BaseChanges {
  const inherited = diffTrees(archive.tree(base.tree), now.tree).map(({ path }) => path)
  return {
    ...NO_BASE_CHANGES,
    moved: movedPaths.slice(0, NAMED),
    movedCount: movedPaths.length,
    inherited: inherited.slice(0, NAMED),
    inheritedCount: inherited.length,
  }
}

/** The base's plan with the lines that a person added or removed. */
function planAfter(
  archive: TreeArchive,
  base: string | null,
  { from, to }: { from: string | null; to: string | null },
): string | null {
  if (from === to) return base
  const text = (hash: string | null): string => (hash === null ? '' : archive.bytes(hash).toString('utf8'))
  if (base === null && from === null) return to
  return archive.keep(applyPlanEdits(text(base), { from: text(from), to: text(to) }))
}
