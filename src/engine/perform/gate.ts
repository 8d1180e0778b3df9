/**
 * Runs a gate and binds its result to the exact tree it ran on. A gate that changes the tree (a formatter, a lock file) is run
 * once more: if the tree settles, the evidence is for the settled tree; if not, nothing is proven. With old tests it runs in a
 * scratch copy, which the working tree never sees.
 */
import { join } from 'node:path'
import type { EffectOf } from '../../domain/effect.ts'
import { GATE } from '../../domain/environment.ts'
import type { EffectId, TreeHash } from '../../domain/ids.ts'
import { type Orphan, withOrphans } from '../../domain/orphan.ts'
import { failingTests } from '../../domain/proof/failures.ts'
import type { Evidence } from '../../domain/proof/evidence.ts'
import { ensureFolder, readIfThere } from '../../system/files.ts'
import { handedEnv } from '../../system/environment.ts'
import { MARK } from '../../system/process.ts'
import { runGate, type GateRun } from '../../workspace/gate.ts'
import type { Repo } from '../../workspace/place.ts'
import { makeScratch } from '../../workspace/scratch.ts'
import { takeSnapshot } from '../../workspace/snapshot.ts'
import type { Aborting, Handler } from '../handler.ts'
import { endLeft, iterationFolder, markOf, notesOf, repoFor, type World } from '../world.ts'

type RunGate = EffectOf<'run-gate'>

export function gateHandler(world: World): Handler<RunGate> {
  const orphans = new Map<EffectId, Orphan[]>()

  /** Runs the gate once in `root`. One that is cut off proves nothing either way: it is not even evidence. */
  async function once(
    effect: RunGate,
    root: string,
    { signal }: Pick<Aborting, 'signal'>,
  ): Promise<{ run: GateRun; log: string }> {
    signal.throwIfAborted()
    const folder = iterationFolder(world, effect.worker, effect.iteration)
    ensureFolder(folder)
    const log = join(
      folder,
      `gate-${fileName(effect.gate.name)}${effect.purpose === 'old-tests' ? '-old-tests' : ''}.log`,
    )
    const env = handedEnv({
      handover: world.handover,
      receiver: GATE,
      add: { ...effect.gate.env, [MARK]: markOf(world, effect.id), RALPH_INSIDE: world.run },
    })
    const notes = notesOf(world, effect.id)
    const gate = runGate(effect.gate, {
      root,
      env,
      mask: world.mask,
      log,
      notes,
      now: () => world.clock.up(),
    })
    const stop = (): void => void gate.stop()
    signal.addEventListener('abort', stop)
    const run = await gate.done
    signal.removeEventListener('abort', stop)
    signal.throwIfAborted()
    orphans.set(effect.id, [...(orphans.get(effect.id) ?? []), ...run.orphans])
    return { run, log }
  }

  async function onTree(effect: RunGate, aborting: Aborting): Promise<Evidence> {
    const repo = repoFor(world, effect.id, aborting)
    const first = await once(effect, world.root, aborting)
    const tree = await treeNow(repo)
    // One that was killed has nothing to settle: it proves nothing either way.
    if (tree === effect.tree || first.run.exit === null)
      return evidenceOf(effect, first, { tree, unsettled: false })
    const last = await once(effect, world.root, aborting)
    const settled = await treeNow(repo)
    return evidenceOf(effect, last, { tree: settled, unsettled: settled !== tree })
  }

  async function withOldTests(
    effect: RunGate,
    old: { base: TreeHash; paths: string[] },
    aborting: Aborting,
  ): Promise<Evidence> {
    const repo = repoFor(world, effect.id, aborting)
    const now = await treeNow(repo)
    const scratch = await makeScratch({
      repo,
      root: world.root,
      now,
      base: old.base,
      old: old.paths,
    })
    try {
      return evidenceOf(effect, await once(effect, scratch.root, aborting), { tree: now, unsettled: false })
    } finally {
      await scratch.remove()
    }
  }

  async function treeNow(repo: Repo): Promise<TreeHash> {
    return (await takeSnapshot(repo, { ref: null })).tree
  }

  function evidenceOf(
    effect: RunGate,
    ran: { run: GateRun; log: string },
    on: { tree: TreeHash; unsettled: boolean },
  ): Evidence {
    const { exit, signal, timedOut, missing, durationMs, summary } = ran.run
    const failing = exit === 0 ? [] : failingTests(readIfThere(ran.log) ?? '').slice(0, FAILING_MAX)
    return {
      gate: effect.gate.name,
      purpose: effect.purpose,
      command: effect.gate.run,
      guarded: effect.guarded,
      exit,
      signal,
      timedOut,
      missing,
      durationMs,
      at: world.clock.at(),
      log: ran.log,
      summary,
      failing,
      ...on,
    }
  }

  return {
    async perform(effect, put, aborting) {
      const known = effect.purpose === 'baseline' ? await world.knownEvidence(effect) : null
      const evidence =
        known ??
        (effect.old === null
          ? await onTree(effect, aborting)
          : await withOldTests(effect, effect.old, aborting))
      const left = withOrphans(orphans.get(effect.id) ?? [])
      orphans.delete(effect.id)
      put({ type: 'gate-ended', worker: effect.worker, effect: effect.id, evidence, ...left })
    },
    /** A gate that was cut off proves nothing; what it left running is ended and the gate is asked again. */
    async inquire(effect) {
      await endLeft(world, effect)
      return { is: 'unknown' }
    },
  }
}

/** Enough to compare two runs; the whole list would make the record heavy. */
const FAILING_MAX = 30

/** Gate names are the user's words; as file names they keep only what every file system takes. */
function fileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 80)
}
