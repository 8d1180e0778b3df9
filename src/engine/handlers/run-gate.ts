/**
 * Runs a gate and records the exact tree it ran on. A gate that changes the tree (a formatter, a lock file) runs once more: if the tree
 * is then stable, the evidence is for that tree; if not, nothing is proven.
 */
import { join } from 'node:path'
import type { EffectOf } from '../../core/state/effect.ts'
import { GATE_RECEIVER } from '../../core/trust/environment.ts'
import type { EffectId, TreeHash } from '../../core/ids.ts'
import { type Orphan, orphansField } from '../../core/tree/orphan.ts'
import type { Evidence } from '../../core/proof/evidence.ts'
import { quoteShellWord } from '../../core/text/shell.ts'
import { ensureFolder, sizeOf } from '../../system/files/files.ts'
import { childEnv } from '../../system/environment.ts'
import { MARK_VARIABLE } from '../../system/process/process.ts'
import { runGate, waitForGate, type GateRunResult } from '../../workspace/run-gate.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { changedPathsBetween } from '../../workspace/snapshot/compare-snapshots.ts'
import { takeSnapshot } from '../../workspace/snapshot/snapshot.ts'
import { filterTrackedPaths } from '../../workspace/repo/tracked-files.ts'
import { evidenceOf, safeFileName } from './gate-evidence.ts'
import { answerTo, type AbortListener, type Handler } from '../runtime/handler.ts'
import { iterationLogFolder } from '../../workspace/log-folders.ts'
import {
  endProcessesOfEffect,
  processMarkOf,
  descendantFilePath,
  repoOfEffect,
  type WorkerContext,
} from '../handler-context.ts'

type RunGate = EffectOf<'run-gate'>

function isShared({ purpose, tree }: RunGate): boolean {
  return purpose === 'baseline' && tree !== null
}

/** `from`: where its output begins in the log, which may contain earlier runs. */
interface RanGate {
  run: GateRunResult
  log: string
  from: number
}

export function runGateHandler(world: WorkerContext): Handler<RunGate> {
  const orphans = new Map<EffectId, Orphan[]>()

  /** Runs the gate once in `root`. Throws if it is aborted: that is no evidence either way. */
  async function once(effect: RunGate, root: string, { signal }: Pick<AbortListener, 'signal'>): Promise<RanGate> {
    signal.throwIfAborted()
    const folder = iterationLogFolder(world, effect.worker, effect.iteration)
    ensureFolder(folder)
    const log = join(folder, `gate-${safeFileName(effect.gate.name)}.log`)
    const from = sizeOf(log) ?? 0
    const env = childEnv({
      envPolicy: world.envPolicy,
      receiver: GATE_RECEIVER,
      add: { ...effect.gate.env, [MARK_VARIABLE]: processMarkOf(world, effect.id), RALPH_INSIDE: world.run },
    })
    const notes = descendantFilePath(world, effect.id)
    const gate = runGate(effect.gate, { root, env, mask: world.mask, log, notes, now: () => world.clock.up() })
    const run = await waitForGate(gate, signal)
    orphans.set(effect.id, [...(orphans.get(effect.id) ?? []), ...run.orphans])
    return { run, log, from }
  }

  /** Workers that begin on the same tree at the same time share its baseline. */
  function shared(effect: RunGate, aborting: AbortListener): Promise<Evidence> {
    const { name, run, cwd, env } = effect.gate
    const key = JSON.stringify([effect.tree, name, run, cwd, env])
    return world.baselines.share(key, aborting.signal, () => onTree(effect, aborting))
  }

  async function onTree(effect: RunGate, aborting: AbortListener): Promise<Evidence> {
    const repo = repoOfEffect(world, effect.id, aborting)
    const first = await once(effect, world.root, aborting)
    const tree = await treeNow(repo)
    // A killed gate proves nothing either way, so it is not repeated.
    if (tree === effect.tree || first.run.exit === null) return evidence(effect, first, { tree })
    const last = await once(effect, world.root, aborting)
    const settled = await treeNow(repo)
    if (settled === tree) return evidence(effect, last, { tree: settled })
    return keepsWriting(effect, last, { repo, from: tree, to: settled })
  }

  /** Two runs in a row left different trees. An untracked report with a time in it is harmless, a tracked file is not. */
  async function keepsWriting(
    effect: RunGate,
    last: RanGate,
    { repo, from, to }: { repo: Repo; from: TreeHash; to: TreeHash },
  ): Promise<Evidence> {
    const paths = (await changedPathsBetween(repo, from, to)) ?? []
    const tracked = paths.length === 0 ? paths : await filterTrackedPaths(repo, paths)
    const unstable = paths.length === 0 || tracked.length > 0
    const shown = evidence(effect, last, { tree: to, unstable })
    if (!unstable) return shown
    const names = tracked.slice(0, 5)
    const first = quoteShellWord(names[0] ?? 'FILE')
    const fix = `The gate rewrites ${names.join(', ') || 'something'} on every run. If git does not need to track it, ignore it:\necho ${first} >> .gitignore && git rm --cached ${first}`
    return { ...shown, summary: `${fix}\n${shown.summary}`.slice(0, 1_500) }
  }

  function evidence({ gate, purpose }: RunGate, ran: RanGate, on: { tree: TreeHash; unstable?: boolean }): Evidence {
    return evidenceOf(ran, { gate, purpose, at: world.clock.at(), ...on })
  }

  async function treeNow(repo: Repo): Promise<TreeHash> {
    return (await takeSnapshot(repo, { ref: null })).tree
  }

  return {
    async perform(effect, put, aborting) {
      const known = effect.purpose === 'baseline' ? await world.knownEvidence(effect) : null
      // Earlier evidence is reused for the baseline only: it must not prove the work of this run.
      const evidence =
        known === null
          ? await (isShared(effect) ? shared(effect, aborting) : onTree(effect, aborting))
          : { ...known, purpose: effect.purpose }
      const left = orphansField(orphans.get(effect.id) ?? [])
      orphans.delete(effect.id)
      put({ type: 'gate-ended', ...answerTo(effect), evidence, ...left })
    },
    /** An interrupted gate proves nothing: its leftover processes are ended, and the gate is requested again. */
    async recoverAnswer(effect) {
      await endProcessesOfEffect(world, effect)
      return { is: 'unknown' }
    },
  }
}
