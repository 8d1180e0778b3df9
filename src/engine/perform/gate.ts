/**
 * Runs a gate and binds its result to the exact tree it ran on. A gate that changes the tree (a formatter, a lock file) is run
 * once more: if the tree settles, the evidence is for the settled tree; if not, nothing is proven. With old tests it runs in a
 * scratch copy, which the working tree never sees.
 */
import { join } from 'node:path'
import type { EffectOf } from '../../domain/effect.ts'
import type { EffectId, TreeHash } from '../../domain/ids.ts'
import { type Orphan, withOrphans } from '../../domain/orphan.ts'
import { failingTests } from '../../domain/proof/failures.ts'
import type { Evidence } from '../../domain/proof/evidence.ts'
import { ensureFolder, readIfThere } from '../../system/files.ts'
import { buildEnv, endMarked, MARK } from '../../system/process.ts'
import { runGate, type GateRun } from '../../workspace/gate.ts'
import { makeScratch } from '../../workspace/scratch.ts'
import { takeSnapshot } from '../../workspace/snapshot.ts'
import type { Handler, Stoppable } from '../handler.ts'
import { iterationFolder, markOf, notesOf, type World } from '../world.ts'

type RunGate = EffectOf<'run-gate'>

export function gateHandler(world: World): Handler<RunGate> & Stoppable {
  const running = new Map<EffectId, ReturnType<typeof runGate>>()
  const stopped = new Set<EffectId>()
  const orphans = new Map<EffectId, Orphan[]>()

  /** Runs the gate once in `root`. */
  async function once(effect: RunGate, root: string): Promise<{ run: GateRun; log: string }> {
    const folder = iterationFolder(world, effect.worker, effect.iteration)
    ensureFolder(folder)
    const log = join(
      folder,
      `gate-${fileName(effect.gate.name)}${effect.purpose === 'old-tests' ? '-old-tests' : ''}.log`,
    )
    const env = buildEnv({
      pass: world.pass,
      add: { ...effect.gate.env, [MARK]: markOf(world, effect.id), RALPH_INSIDE: world.run },
    })
    const notes = notesOf(world, effect.id)
    const gate = runGate(effect.gate, { root, env, log, notes, now: () => world.clock.up() })
    running.set(effect.id, gate)
    const run = await gate.done
    running.delete(effect.id)
    orphans.set(effect.id, [...(orphans.get(effect.id) ?? []), ...run.orphans])
    return { run, log }
  }

  async function onTree(effect: RunGate): Promise<Evidence> {
    const first = await once(effect, world.root)
    const tree = await treeNow()
    // One that was killed has nothing to settle: it proves nothing either way.
    if (tree === effect.tree || first.run.exit === null || stopped.has(effect.id))
      return evidenceOf(effect, first, { tree, unsettled: false })
    const last = await once(effect, world.root)
    const settled = await treeNow()
    return evidenceOf(effect, last, { tree: settled, unsettled: settled !== tree })
  }

  async function withOldTests(effect: RunGate, old: { base: TreeHash; paths: string[] }): Promise<Evidence> {
    const now = await treeNow()
    const scratch = await makeScratch({
      repo: world.repo,
      root: world.root,
      now,
      base: old.base,
      old: old.paths,
    })
    try {
      return evidenceOf(effect, await once(effect, scratch.root), { tree: now, unsettled: false })
    } finally {
      await scratch.remove()
    }
  }

  async function treeNow(): Promise<TreeHash> {
    return (await takeSnapshot(world.repo, { ref: null })).tree
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
    async perform(effect, put) {
      const known = effect.purpose === 'baseline' ? await world.knownEvidence(effect) : null
      const evidence =
        known ?? (effect.old === null ? await onTree(effect) : await withOldTests(effect, effect.old))
      const left = withOrphans(orphans.get(effect.id) ?? [])
      stopped.delete(effect.id)
      orphans.delete(effect.id)
      put({ type: 'gate-ended', worker: effect.worker, effect: effect.id, evidence, ...left })
    },
    async stop(id) {
      stopped.add(id)
      await running.get(id)?.stop()
    },
    /** A gate that was cut off proves nothing; what it left running is ended and the gate is asked again. */
    async inquire(effect) {
      await endMarked(markOf(world, effect.id), { graceMs: 0, notes: notesOf(world, effect.id) })
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
