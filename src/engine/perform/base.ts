/**
 * Finds what completions are judged against: the state that was proven or accepted last, or the tree as the first run finds it; and moves it
 * by what a person changed while no agent worked. An agent's own changes move nothing, in whatever run they were made.
 */
import { movePlan } from '../../compat/plan-base.ts'
import type { EffectOf, SeenTree } from '../../domain/run/effect.ts'
import { RalphError } from '../../domain/error.ts'
import { NO_NEWS, type Base, type BaseNews } from '../../domain/proof/base.ts'
import type { KeptBase } from '../../store/bases.ts'
import { pathsBetween } from '../../workspace/snapshot/measure.ts'
import { refsHash } from '../../workspace/repo/ref-hash.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { firstLend, roomKey } from '../../workspace/room/ready.ts'
import { nameWitness } from '../../workspace/witness/folder.ts'
import { differences, movePaths, type WitnessTree } from '../../workspace/witness/tree.ts'
import type { Handler } from '../circle/handler.ts'
import { endLeft, repoFor, type Here } from '../world.ts'

/** Enough to see what it is about. */
const NAMED = 5

export function baseHandler(world: Here): Handler<EffectOf<'take-base'>> {
  const { witness } = world.judging

  return {
    async perform(effect, put, aborting) {
      const repo = repoFor(world, effect.id, aborting)
      const now = await witness.take(repo)
      nameWitness(world.judging.memory, world.root)
      const found =
        effect.base === null
          ? await remembered(effect, repo, now)
          : await moved(effect.base, effect, repo, now)
      const tree = witness.has(found.base.tree) ? witness.tree(found.base.tree) : now.tree
      const key = roomKey(world.judging.proof, { tree, gates: effect.gates })
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

  interface Now {
    id: string
    tree: WitnessTree
  }

  /** At the start of a run. */
  async function remembered(
    { now: seen }: EffectOf<'take-base'>,
    repo: Repo,
    now: Now,
  ): Promise<{ base: Base; news: BaseNews }> {
    const kept = await world.judging.base()
    const first: Base = { tree: now.id, plan: seen.plan, refs: await refsHash(repo), from: 'first' }
    if (kept === null) return { base: first, news: NO_NEWS }
    if (!isWhole(kept, now.tree)) return { base: { ...first, from: 'lost' }, news: NO_NEWS }
    const rejected = await world.judging.refused()
    if (kept.seen !== null) {
      const found = await moved(kept.base, { since: kept.seen, now: seen }, repo, now)
      return { base: found.base, news: { ...found.news, rejected } }
    }
    const news = { ...newsOf(kept.base, now, []), rejected }
    const warnings =
      news.inheritedCount === 0
        ? []
        : [
            'an agent may have worked here since Ralph last looked, so no change since then counts as a person’s',
          ]
    return { base: kept.base, news: { ...news, warnings } }
  }

  /** Whether the base can still be put back. What lies there unchanged was just kept anew. */
  function isWhole({ base, seen }: KeptBase, now: WitnessTree): boolean {
    if (!witness.has(base.tree)) return false
    const then = witness.tree(base.tree)
    const files = differences(then, now).flatMap(({ path }) => {
      const file = then.get(path)
      return file?.kept === true ? [file.hash] : []
    })
    const plans = [base.plan, seen?.plan ?? null].filter((hash) => hash !== null)
    return [...files, ...plans].every(isThere)
  }

  function isThere(hash: string): boolean {
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
    base: Base,
    { since, now: seen }: { since: SeenTree | null; now: SeenTree },
    repo: Repo,
    now: Now,
  ): Promise<{ base: Base; news: BaseNews }> {
    if (!witness.has(base.tree)) {
      // The next completion says so, and what it means.
      const warning = 'what Ralph had kept of how the work began is gone or was changed'
      return { base, news: { ...NO_NEWS, warnings: [warning] } }
    }
    if (since === null) return { base, news: newsOf(base, now, []) }
    const paths = await pathsBetween(repo, since.tree, seen.tree)
    if (paths === null) {
      const warning = 'the snapshot of the last look is gone, so nobody knows who changed what since then'
      return { base, news: { ...newsOf(base, now, []), warnings: [warning] } }
    }
    const result = movePaths(witness.tree(base.tree), { paths, to: now.tree })
    const after: Base = {
      ...base,
      tree: result.moved.length === 0 ? base.tree : witness.put(result.tree),
      plan: planAfter(base.plan, since.plan, seen.plan),
    }
    return { base: after, news: newsOf(after, now, result.moved) }
  }

  function newsOf(base: Base, now: Now, movedPaths: string[]): BaseNews {
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
  function planAfter(base: string | null, from: string | null, to: string | null): string | null {
    if (from === to) return base
    const text = (hash: string | null): string => (hash === null ? '' : witness.bytes(hash).toString('utf8'))
    if (base === null && from === null) return to
    return witness.keep(movePlan(text(base), { from: text(from), to: text(to) }))
  }
}
