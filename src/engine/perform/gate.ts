/**
 * Runs a gate and binds its result to the exact tree it ran on. A gate that changes the tree (a formatter, a lock file) is run
 * once more: if the tree settles, the evidence is for the settled tree; if not, nothing is proven.
 */
import { join } from 'node:path'
import type { EffectOf } from '../../domain/state/effect.ts'
import { GATE } from '../../domain/trust/environment.ts'
import type { EffectId, TreeHash } from '../../domain/ids.ts'
import { type Orphan, withOrphans } from '../../domain/tree/orphan.ts'
import type { Evidence } from '../../domain/proof/evidence.ts'
import { shellWord } from '../../domain/text/shell.ts'
import { ensureFolder, sizeOf } from '../../system/files/files.ts'
import { handedEnv } from '../../system/environment.ts'
import { MARK } from '../../system/process/process.ts'
import { runGate, type GateRun } from '../../workspace/gate.ts'
import type { Repo } from '../../workspace/repo/repository-at.ts'
import { pathsBetween } from '../../workspace/snapshot/measure.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { trackedAmong } from '../../workspace/repo/tracked.ts'
import { evidenceOf, fileName } from './gate-evidence.ts'
import type { Aborting, Handler } from '../circle/handler.ts'
import { iterationFolder } from '../../workspace/log-folders.ts'
import { endLeft, markOf, notesOf, repoFor, type Here } from '../world.ts'

type RunGate = EffectOf<'run-gate'>

function isShared({ purpose, tree }: RunGate): boolean {
  return purpose === 'baseline' && tree !== null
}

/** `from`: where its output begins in a log that others wrote to before. */
interface RanGate {
  run: GateRun
  log: string
  from: number
}

export function gateHandler(world: Here): Handler<RunGate> {
  const orphans = new Map<EffectId, Orphan[]>()

  /** Runs the gate once in `root`. One that is cut off proves nothing either way: it is not even evidence. */
  async function once(effect: RunGate, root: string, { signal }: Pick<Aborting, 'signal'>): Promise<RanGate> {
    signal.throwIfAborted()
    const folder = iterationFolder(world, effect.worker, effect.iteration)
    ensureFolder(folder)
    const log = join(folder, `gate-${fileName(effect.gate.name)}.log`)
    const from = sizeOf(log) ?? 0
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
    return { run, log, from }
  }

  /** Workers who begin on one tree in the same moment need its baseline once. */
  function shared(effect: RunGate, aborting: Aborting): Promise<Evidence> {
    const { name, run, cwd, env } = effect.gate
    const key = JSON.stringify([effect.tree, name, run, cwd, env])
    return world.baselines.share(key, aborting.signal, () => onTree(effect, aborting))
  }

  async function onTree(effect: RunGate, aborting: Aborting): Promise<Evidence> {
    const repo = repoFor(world, effect.id, aborting)
    const first = await once(effect, world.root, aborting)
    const tree = await treeNow(repo)
    // One that was killed has nothing to settle: it proves nothing either way.
    if (tree === effect.tree || first.run.exit === null) return evidence(effect, first, { tree })
    const last = await once(effect, world.root, aborting)
    const settled = await treeNow(repo)
    if (settled === tree) return evidence(effect, last, { tree: settled })
    return keepsWriting(effect, last, { repo, from: tree, to: settled })
  }

  /** Two runs in a row leave something else: a report with the time in it is harmless, a file that git knows is not. */
  async function keepsWriting(
    effect: RunGate,
    last: RanGate,
    { repo, from, to }: { repo: Repo; from: TreeHash; to: TreeHash },
  ): Promise<Evidence> {
    const paths = (await pathsBetween(repo, from, to)) ?? []
    const tracked = paths.length === 0 ? paths : await trackedAmong(repo, paths)
    const unsettled = paths.length === 0 || tracked.length > 0
    const shown = evidence(effect, last, { tree: to, unsettled })
    if (!unsettled) return shown
    const names = tracked.slice(0, 5)
    const first = shellWord(names[0] ?? 'FILE')
    const cure = `It writes ${names.join(', ') || 'something'} anew each time. If that belongs to nobody's work, ignore it:\necho ${first} >> .gitignore && git rm --cached ${first}`
    return { ...shown, summary: `${cure}\n${shown.summary}`.slice(0, 1_500) }
  }

  function evidence(
    { gate, purpose }: RunGate,
    ran: RanGate,
    on: { tree: TreeHash; unsettled?: boolean },
  ): Evidence {
    return evidenceOf(ran, { gate, purpose, at: world.clock.at(), ...on })
  }

  async function treeNow(repo: Repo): Promise<TreeHash> {
    return (await takeSnapshot(repo, { ref: null })).tree
  }

  return {
    async perform(effect, put, aborting) {
      const known = effect.purpose === 'baseline' ? await world.knownEvidence(effect) : null
      // What an earlier completion showed is no proof of this run's work: it is known about the tree that the run begins with.
      const evidence =
        known === null
          ? await (isShared(effect) ? shared(effect, aborting) : onTree(effect, aborting))
          : { ...known, purpose: effect.purpose }
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
