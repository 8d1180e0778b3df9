/**
 * Finds what completions are judged against: the state that was proven or accepted last, or the tree as the first run finds it; and moves it
 * by what a person changed while no agent worked. An agent's own changes move nothing, in whatever run they were made.
 */
import { movePlan } from '../../domain/plan/plan-base.ts'
import type { EffectOf, SeenTree } from '../../domain/state/effect.ts'
import type { EventOf } from '../../domain/state/event.ts'
import { RalphError } from '../../domain/error.ts'
import { NO_NEWS, type Base, type BaseNews } from '../../domain/proof/base.ts'
import type { KeptBase } from '../../store/bases.ts'
import { pathsBetween } from '../../workspace/snapshot/measure.ts'
import { refsHash } from '../../workspace/repo/ref-hash.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { wasLent } from '../../workspace/room/make-ready.ts'
import { firstLend, roomKey } from '../../workspace/room/ready.ts'
import { commitTree } from '../../workspace/witness/commit-tree.ts'
import { nameWitness } from '../../workspace/witness/folder.ts'
import { differences, movePaths, type WitnessTree } from '../../workspace/witness/tree.ts'
import type { Witness } from '../../workspace/witness/witness.ts'
import type { Handler } from '../circle/handler.ts'
import { endLeft, repoFor, type Here } from '../world.ts'
import type { Judging } from './judging.ts'

/** Enough to see what it is about. */
const NAMED = 5

export function baseHandler(world: Here): Handler<EffectOf<'take-base'>> {
  const { witness } = world.judging

  return {
    async perform(effect, put, aborting) {
      const repo = repoFor(world, effect.id, aborting)
      const now = await witness.take(repo)
      const look: Look = { judging: world.judging, repo, now }
      nameWitness(world.judging.memory, world.root)
      if (effect.verify !== undefined)
        return put({
          ...(await groundOf(look, effect, effect.verify)),
          worker: effect.worker,
          effect: effect.id,
        })
      const found =
        effect.base === null ? await remembered(look, effect.now) : await moved(look, effect.base, effect)
      const key = roomKey(world.judging.proof, { tree: treeFor(look, found.base), gates: effect.gates })
      put({
        type: 'base-taken',
        worker: effect.worker,
        effect: effect.id,
        ...found,
        now: now.id,
        room: key,
        fitness: await world.judging.fitness(key),
        lend: await firstLend(world.judging.proof, repo),
      })
    },
    // Looking changes nothing, so it is simply done again.
    async inquire(effect) {
      await endLeft(world, effect)
      return { is: 'not-begun' }
    },
  }
}

type Ground = Omit<EventOf<'base-taken'>, 'worker' | 'effect'>

/**
 * What a state is verified against: the commit that was named, the base as it is remembered, or else the last commit. An agent may have made
 * the last commit, so it stands in for a base that was lost only where a person names it.
 */
async function groundOf(
  look: Look,
  { now, gates }: EffectOf<'take-base'>,
  { since }: { since: string | null },
): Promise<Ground> {
  const { judging, repo } = look
  const kept = await judging.base()
  // Who verifies by hand means their own edits too, so they do not move the base.
  const { base: found } = await remembered(look, now)
  const isLost = found.from === 'lost'
  const isKept = since === null && kept !== null && !isLost
  const isCommit = repo.git !== null && !isKept && !(isLost && since === null)
  const base: Base = isCommit
    ? {
        tree: await commitTree(repo, judging.witness, since ?? 'HEAD'),
        plan: now.plan,
        refs: null,
        from: 'first',
      }
    : isKept
      ? kept.base
      : found
  const key = roomKey(judging.proof, { tree: treeFor(look, found), gates })
  const known = await judging.fitness(key)
  const fit = known?.is === 'fit' ? known : null
  const lend = fit?.lend ?? (await firstLend(judging.proof, repo))
  // A run has taken over what a person changed, and no trial has seen it: such a base is not the one that was tried.
  const isSame = fit !== null && fit.base === base.tree
  const tried = isKept && fit !== null ? fit.base : base.tree
  return {
    type: 'base-taken',
    base,
    news: NO_NEWS,
    now: look.now.id,
    room: key,
    fitness: { is: 'fit', lend, tests: isSame ? fit.tests : null, base: tried, wrote: fit?.wrote ?? [] },
    lend,
    verify: { ready: wasLent(judging.memory), commit: isCommit ? (since === null ? 'last' : 'named') : null },
  }
}

function treeFor({ judging: { witness }, now }: Look, { tree }: Base): WitnessTree {
  return witness.has(tree) ? witness.tree(tree) : now.tree
}

/** The tree as it is now, and what it is compared with. */
interface Look {
  judging: Judging
  repo: Repo
  now: { id: string; tree: WitnessTree }
}

interface Found {
  base: Base
  news: BaseNews
}

/** At the start of a run. */
async function remembered(look: Look, seen: SeenTree): Promise<Found> {
  const { judging, repo, now } = look
  const kept = await judging.base()
  const first: Base = { tree: now.id, plan: seen.plan, refs: await refsHash(repo), from: 'first' }
  if (kept === null) return { base: first, news: NO_NEWS }
  if (!isWhole(look, kept)) return { base: { ...first, from: 'lost' }, news: NO_NEWS }
  const rejected = await judging.refused()
  if (kept.seen !== null) {
    const found = await moved(look, kept.base, { since: kept.seen, now: seen })
    return { base: found.base, news: { ...found.news, rejected } }
  }
  const news = { ...newsOf(look, kept.base, []), rejected }
  const warnings =
    news.inheritedCount === 0
      ? []
      : [
          'an agent may have worked here since Ralph last looked, so no change since then counts as a person’s',
        ]
  return { base: kept.base, news: { ...news, warnings } }
}

/** Whether the base can still be put back. What lies there unchanged was just kept anew. */
function isWhole({ judging: { witness }, now }: Look, { base, seen }: KeptBase): boolean {
  if (!witness.has(base.tree)) return false
  const then = witness.tree(base.tree)
  const files = differences(then, now.tree).flatMap(({ path }) => {
    const file = then.get(path)
    return file?.kept === true ? [file.hash] : []
  })
  const plans = [base.plan, seen?.plan ?? null].filter((hash) => hash !== null)
  return [...files, ...plans].every((hash) => isThere(witness, hash))
}

function isThere(witness: Witness, hash: string): boolean {
  try {
    witness.bytes(hash)
    return true
  } catch (error) {
    if (error instanceof RalphError && error.code === 'witness-lost') return false
    throw error
  }
}

/** What differs between the two looks is a person's. */
async function moved(
  look: Look,
  base: Base,
  { since, now: seen }: { since: SeenTree | null; now: SeenTree },
): Promise<Found> {
  const { witness } = look.judging
  if (!witness.has(base.tree)) {
    // The next completion says so, and what it means.
    const warning = 'what Ralph had kept of how the work began is gone or was changed'
    return { base, news: { ...NO_NEWS, warnings: [warning] } }
  }
  if (since === null) return { base, news: newsOf(look, base, []) }
  const paths = await pathsBetween(look.repo, since.tree, seen.tree)
  if (paths === null) {
    const warning = 'the snapshot of the last look is gone, so nobody knows who changed what since then'
    return { base, news: { ...newsOf(look, base, []), warnings: [warning] } }
  }
  const result = movePaths(witness.tree(base.tree), { paths, to: look.now.tree })
  const after: Base = {
    ...base,
    tree: result.moved.length === 0 ? base.tree : witness.put(result.tree),
    plan: planAfter(witness, base.plan, { from: since.plan, to: seen.plan }),
  }
  return { base: after, news: newsOf(look, after, result.moved) }
}

function newsOf({ judging: { witness }, now }: Look, base: Base, movedPaths: string[]): BaseNews {
  const inherited = differences(witness.tree(base.tree), now.tree).map(({ path }) => path)
  return {
    ...NO_NEWS,
    moved: movedPaths.slice(0, NAMED),
    movedCount: movedPaths.length,
    inherited: inherited.slice(0, NAMED),
    inheritedCount: inherited.length,
  }
}

/** The base's plan with the lines that a person wrote or took away. */
function planAfter(
  witness: Witness,
  base: string | null,
  { from, to }: { from: string | null; to: string | null },
): string | null {
  if (from === to) return base
  const text = (hash: string | null): string => (hash === null ? '' : witness.bytes(hash).toString('utf8'))
  if (base === null && from === null) return to
  return witness.keep(movePlan(text(base), { from: text(from), to: text(to) }))
}
