/**
 * A trial: arranges files in the clean room and runs the gates there. It never touches the working tree, and nothing in the clean room
 * reveals Ralph: processes of a trial are identified by the TMPDIR of the clean room.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { EffectOf } from '../../core/state/effect.ts'
import { GATE_RECEIVER } from '../../core/trust/environment.ts'
import { RalphError } from '../../core/error.ts'
import { type Orphan, orphansField } from '../../core/tree/orphan.ts'
import type { Evidence, Gate } from '../../core/proof/evidence.ts'
import type { TrialResult } from '../../core/proof/trial.ts'
import { passesExceptQuarantined } from '../../core/proof/verdict.ts'
import { parseChanges, type ClassifiedChanges } from '../../protection/classified-changes.ts'
import { isConfiguration, isManifestOrLockFile, isTestPath, isVendored } from '../../protection/file-kinds.ts'
import { childEnv } from '../../system/environment.ts'
import { ensureFolder, hashText, readIfExists } from '../../system/files/files.ts'
import { currentUser } from '../../system/current-user.ts'
import { runGate, waitForGate } from '../../workspace/run-gate.ts'
import { trialFilesFor, baseTrialFiles } from '../../workspace/clean-room/trial-files.ts'
import { prepareCleanRoom, type PreparedCleanRoom } from '../../workspace/clean-room/prepare-clean-room.ts'
import { lastTrialTmp } from '../../workspace/clean-room/clean-room.ts'
import { findQuarantinedTests } from '../../workspace/classify-completion.ts'
import type { ArchiveEntry, ArchiveTree } from '../../workspace/archive/tree-listing.ts'
import { evidenceOf, safeFileName } from './gate-evidence.ts'
import { trialResultOfError } from './clean-room-failure.ts'
import { answerTo, type AbortListener, type Handler } from '../runtime/handler.ts'
import { iterationLogFolder } from '../../workspace/log-folders.ts'
import {
  endCleanRoomProcesses,
  endProcessesOfEffect,
  descendantFilePath,
  repoOfEffect,
  type WorkerContext,
} from '../handler-context.ts'

type RunTrial = EffectOf<'run-trial'>

export function runTrialHandler(world: WorkerContext): Handler<RunTrial> {
  return {
    async perform(effect, put, aborting) {
      const began = world.clock.up()
      const orphans: Orphan[] = []
      const trial = await tryTrial(world, effect, { aborting, orphans })
      put({
        type: 'trial-ended',
        ...answerTo(effect),
        trial: { ...trial, durationMs: world.clock.up() - began },
        ...orphansField(orphans),
      })
    },
    /** An interrupted trial shows nothing: its leftover processes are ended, and it is requested again. */
    async recoverAnswer(effect) {
      await endCleanRoomProcesses(world, effect.id, lastTrialTmp(memoryOf(world, effect)))
      await endProcessesOfEffect(world, effect)
      return { is: 'unknown' }
    },
  }
}

/** The abort listener of a trial, and the orphans it reports. */
interface Trying {
  aborting: AbortListener
  orphans: Orphan[]
}

/** A clean room that cannot be created, filled or set up is a result, not an error. */
async function tryTrial(world: WorkerContext, effect: RunTrial, on: Trying): Promise<TrialResult> {
  try {
    return await runTrial(world, effect, on)
  } catch (thrown) {
    on.aborting.signal.throwIfAborted()
    return trialResultOfError(thrown)
  }
}

async function runTrial(world: WorkerContext, effect: RunTrial, { aborting, orphans }: Trying): Promise<TrialResult> {
  const { files, unremovableTests, changes } = arrangeTrialFiles(world, effect)
  const ready = await prepareTrialCleanRoom(world, effect, { files, aborting })
  if (ready.missing.length > 0)
    return { is: 'room-failed', why: `no longer available: ${ready.missing.slice(0, 5).join(', ')}`, durationMs: 0 }
  const base = world.proofContext.archive.tree(effect.base.tree)
  const results: Evidence[] = []
  for (const gate of effect.gates) {
    const { evidence, left } = await oneGate(world, { effect, gate }, { ready, files, aborting })
    results.push(evidence)
    orphans.push(...left)
    if (!effect.all && !passesExceptQuarantined(evidence, unremovableTests)) break
  }
  return {
    is: 'ran',
    durationMs: 0,
    results,
    named: changes === null ? [] : namedIn(results, changes),
    sharedPaths: ready.sharedPaths.slice(0, SHARED_NAMED),
    writtenFiles:
      effect.gates.length === 0 ? [] : changedProtectedFiles(await ready.changed(), base).slice(0, SHARED_NAMED),
    unremovableTests,
  }
}

function arrangeTrialFiles(
  { proofContext: { archive, proof } }: WorkerContext,
  effect: RunTrial,
): {
  files: ReadonlyMap<string, ArchiveEntry>
  unremovableTests: string[]
  changes: ClassifiedChanges | null
} {
  const base = archive.tree(effect.base.tree)
  if (effect.trialLayout.is === 'base') {
    const quarantine = findQuarantinedTests(archive, { base, final: base }, proof.quarantine)
    return {
      files: baseTrialFiles(archive, base, quarantine),
      unremovableTests: quarantine.unremovableTests,
      changes: null,
    }
  }
  const changes = changesOf(effect)
  return {
    files: trialFilesFor(archive, changes, effect.trialLayout),
    unremovableTests: changes.unremovableTests,
    changes,
  }
}

function changesOf({ classification }: RunTrial): ClassifiedChanges {
  const text = classification === null ? null : readIfExists(classification.file)
  const changes = text !== null && hashText(text) === classification?.hash ? parseChanges(text) : null
  if (changes === null)
    throw new RalphError('room-failed', `${classification?.file ?? 'the list of changes'} was deleted or changed`)
  return changes
}

function prepareTrialCleanRoom(
  world: WorkerContext,
  effect: RunTrial,
  { files, aborting }: { files: ReadonlyMap<string, ArchiveEntry>; aborting: AbortListener },
): Promise<PreparedCleanRoom> {
  const { archive, proof } = world.proofContext
  const base = archive.tree(effect.base.tree)
  const isIgnored = withIgnored(effect)
  const folder = iterationLogFolder(world, effect.worker, effect.iteration)
  ensureFolder(folder)
  return prepareCleanRoom({
    repo: repoOfEffect(world, effect.id, aborting),
    root: world.root,
    archive,
    memory: memoryOf(world, effect),
    files,
    sharedTools: isIgnored ? 'ignored' : effect.sharedTools,
    isStart: effect.purpose === 'clean-room-check' || isIgnored,
    setup: proof.setup,
    copy: proof.copy,
    texts: () => textsIn(world, { base, gates: effect.gates }),
    base,
    env: childEnv({ envPolicy: world.envPolicy, receiver: GATE_RECEIVER, add: {} }),
    home: currentUser().home,
    log: join(folder, 'set-up.log'),
    notes: descendantFilePath(world, effect.id),
    mask: world.mask,
    now: () => world.clock.up(),
    signal: aborting.signal,
  })
}

/** A trial with ignored files uses a separate clean room: they must not get into the one that judges completions. */
function memoryOf({ proofContext: { memory } }: WorkerContext, effect: RunTrial): string {
  return withIgnored(effect) ? join(memory, 'with-ignored') : memory
}

function* textsIn(
  { proofContext: { archive, proof } }: WorkerContext,
  { base, gates }: { base: ArchiveTree; gates: Gate[] },
): Generator<string> {
  yield [...gates.map(({ run }) => run), proof.setup ?? ''].join('\n')
  let left = READ_MAX
  for (const { hash, kept, mode, size } of base.values()) {
    if (!kept || mode === 'link' || size > TEXT_MAX || left-- <= 0) continue
    yield archive.bytes(hash).toString('utf8')
  }
}

async function oneGate(
  world: WorkerContext,
  { effect, gate }: { effect: RunTrial; gate: Gate },
  on: { ready: PreparedCleanRoom; files: ReadonlyMap<string, ArchiveEntry>; aborting: AbortListener },
): Promise<{ evidence: Evidence; left: Orphan[] }> {
  const { signal } = on.aborting
  const { room, env } = on.ready
  signal.throwIfAborted()
  const folder = iterationLogFolder(world, effect.worker, effect.iteration)
  // Each trial has its own log, so that every proof step can be inspected afterwards.
  const log = join(folder, `gate-${safeFileName(gate.name)}-${effect.purpose}-${effect.id}.log`)
  const running = runGate(gate, {
    root: room.root,
    env,
    mask: world.mask,
    log,
    notes: descendantFilePath(world, effect.id),
    now: () => world.clock.up(),
    mark: { name: 'TMPDIR', value: room.tmp },
  })
  const run = await waitForGate(running, signal)
  const evidence = evidenceOf(
    { run, log },
    {
      gate,
      purpose: effect.purpose,
      tree: effect.classification?.final ?? effect.base.tree,
      guarded: hashOf(on.files),
      at: world.clock.at(),
    },
  )
  return { evidence, left: run.orphans }
}

/** Protected files and tools that changed while the gates ran. Source files may be formatted or generated. */
function changedProtectedFiles(changed: string[], base: ArchiveTree): string[] {
  const judges = (path: string): boolean => isTestPath(path) || isConfiguration(path) || isManifestOrLockFile(path)
  // Files that are not in the base, such as reports, do not count.
  return changed.filter((path) => isVendored(path) || (base.has(path) && judges(path)))
}

const SHARED_NAMED = 20
/** Limits for the search of references to neighbour folders: files of usual size have them, and reading a large repository takes long. */
const TEXT_MAX = 256 * 1024
const READ_MAX = 5_000

function withIgnored({ trialLayout }: RunTrial): boolean {
  return trialLayout.is === 'final' && trialLayout.ignored
}

/** A hash of all files in the clean room. */
function hashOf(files: ReadonlyMap<string, ArchiveEntry>): string {
  const hash = createHash('sha256')
  for (const [path, file] of files) hash.update(`${file.mode} ${file.hash} ${path}\0`)
  return hash.digest('hex').slice(0, 32)
}

/** Changes of files that the output of a failed gate names: the gate probably needs them. */
function namedIn(results: Evidence[], { protectedFiles }: ClassifiedChanges): number[] {
  const red = results.filter(({ exit }) => exit !== 0)
  const said = red.map(({ log, summary }) => `${summary}\n${readIfExists(log) ?? ''}`).join('\n')
  if (said.trim() === '') return []
  return protectedFiles.flatMap(({ path }, number) => (said.includes(path) ? [number] : []))
}
