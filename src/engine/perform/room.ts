/**
 * A trial: arranges files in the clean room and runs the gates there. Nothing of it touches the working tree, and nothing in the room
 * tells of Ralph: its children are known by the room's own TMPDIR.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { EffectOf } from '../../domain/state/effect.ts'
import { GATE } from '../../domain/trust/environment.ts'
import { RalphError } from '../../domain/error.ts'
import { type Orphan, withOrphans } from '../../domain/tree/orphan.ts'
import type { Evidence, Gate } from '../../domain/proof/evidence.ts'
import type { Trial } from '../../domain/proof/trial.ts'
import { counts } from '../../domain/proof/verdict.ts'
import { readChanges, type Changes } from '../../judge/changes.ts'
import { isConfiguration, isTestPath, isVendored } from '../../judge/kinds.ts'
import { handedEnv } from '../../system/environment.ts'
import { ensureFolder, hashText, readIfThere } from '../../system/files/files.ts'
import { whoAmI } from '../../system/person.ts'
import { runGate } from '../../workspace/gate.ts'
import { arrange, arrangeBase } from '../../workspace/room/arrange.ts'
import { makeReady, type Ready } from '../../workspace/room/make-ready.ts'
import { decidesTools } from '../../workspace/room/ready.ts'
import { lastTmp } from '../../workspace/room/room.ts'
import { quarantinedIn } from '../../workspace/sort-completion.ts'
import type { WitnessFile, WitnessTree } from '../../workspace/witness/tree.ts'
import { evidenceOf, fileName } from './gate-evidence.ts'
import { nothingTried } from './room-trouble.ts'
import type { Aborting, Handler } from '../circle/handler.ts'
import { iterationFolder } from '../../workspace/log-folders.ts'
import { endInRoom, endLeft, notesOf, repoFor, type Here } from '../world.ts'

type TryRoom = EffectOf<'try-room'>

export function roomHandler(world: Here): Handler<TryRoom> {
  return {
    async perform(effect, put, aborting) {
      const began = world.clock.up()
      const orphans: Orphan[] = []
      const trial = await attempt(world, effect, { aborting, orphans })
      put({
        type: 'room-tried',
        worker: effect.worker,
        effect: effect.id,
        trial: { ...trial, durationMs: world.clock.up() - began },
        ...withOrphans(orphans),
      })
    },
    /** A trial that was cut off shows nothing; what it left running is ended and it is asked again. */
    async inquire(effect) {
      await endInRoom(world, effect.id, lastTmp(memoryOf(world, effect)))
      await endLeft(world, effect)
      return { is: 'unknown' }
    },
  }
}

/** What a trial is under: told to end, it does, and those whom it leaves running it names. */
interface Trying {
  aborting: Aborting
  orphans: Orphan[]
}

/** What keeps the room from being made, filled or set up is an answer, not an error. */
async function attempt(world: Here, effect: TryRoom, on: Trying): Promise<Trial> {
  try {
    return await tried(world, effect, on)
  } catch (thrown) {
    on.aborting.signal.throwIfAborted()
    return nothingTried(thrown)
  }
}

async function tried(world: Here, effect: TryRoom, { aborting, orphans }: Trying): Promise<Trial> {
  const { files, excused, changes } = arranged(world, effect)
  const ready = await madeReady(world, effect, { files, aborting })
  if (ready.missing.length > 0)
    return {
      is: 'room-failed',
      why: `not to be had any more: ${ready.missing.slice(0, 5).join(', ')}`,
      durationMs: 0,
    }
  const base = world.judging.witness.tree(effect.base.tree)
  const results: Evidence[] = []
  for (const gate of effect.gates) {
    const { evidence, left } = await oneGate(world, { effect, gate }, { ready, files, aborting })
    results.push(evidence)
    orphans.push(...left)
    if (!effect.all && !counts(evidence, excused)) break
  }
  return {
    is: 'ran',
    durationMs: 0,
    results,
    named: changes === null ? [] : namedIn(results, changes),
    lent: ready.lent.slice(0, LENT_NAMED),
    wrote: effect.gates.length === 0 ? [] : judging(await ready.changed(), base).slice(0, LENT_NAMED),
    excused,
  }
}

function arranged(
  { judging: { witness, proof } }: Here,
  effect: TryRoom,
): {
  files: ReadonlyMap<string, WitnessFile>
  excused: string[]
  changes: Changes | null
} {
  const base = witness.tree(effect.base.tree)
  if (effect.arrangement.is === 'base') {
    const quarantine = quarantinedIn(witness, { base, final: base }, proof.quarantine)
    return { files: arrangeBase(witness, base, quarantine), excused: quarantine.excused, changes: null }
  }
  const changes = changesOf(effect)
  return { files: arrange(witness, changes, effect.arrangement), excused: changes.excused, changes }
}

function changesOf({ sorting }: TryRoom): Changes {
  const text = sorting === null ? null : readIfThere(sorting.file)
  const changes = text !== null && hashText(text) === sorting?.hash ? readChanges(text) : null
  if (changes === null)
    throw new RalphError('room-failed', `${sorting?.file ?? 'the list of changes'} is gone or was changed`)
  return changes
}

function madeReady(
  world: Here,
  effect: TryRoom,
  { files, aborting }: { files: ReadonlyMap<string, WitnessFile>; aborting: Aborting },
): Promise<Ready> {
  const { witness, proof } = world.judging
  const base = witness.tree(effect.base.tree)
  const isIgnored = withIgnored(effect)
  const folder = iterationFolder(world, effect.worker, effect.iteration)
  ensureFolder(folder)
  return makeReady({
    repo: repoFor(world, effect.id, aborting),
    root: world.root,
    witness,
    memory: memoryOf(world, effect),
    files,
    lend: isIgnored ? 'ignored' : effect.lend,
    isStart: effect.purpose === 'fitness' || isIgnored,
    setup: proof.setup,
    copy: proof.copy,
    texts: () => textsIn(world, { base, gates: effect.gates }),
    base,
    env: handedEnv({ handover: world.handover, receiver: GATE, add: {} }),
    home: whoAmI().home,
    log: join(folder, 'set-up.log'),
    notes: notesOf(world, effect.id),
    mask: world.mask,
    now: () => world.clock.up(),
    signal: aborting.signal,
  })
}

/** With what git ignores today, a room of its own is tried: nothing of that may come into the one that judges. */
function memoryOf({ judging: { memory } }: Here, effect: TryRoom): string {
  return withIgnored(effect) ? join(memory, 'with-ignored') : memory
}

function* textsIn(
  { judging: { witness, proof } }: Here,
  { base, gates }: { base: WitnessTree; gates: Gate[] },
): Generator<string> {
  yield [...gates.map(({ run }) => run), proof.setup ?? ''].join('\n')
  let left = READ_MAX
  for (const { hash, kept, mode, size } of base.values()) {
    if (!kept || mode === 'link' || size > TEXT_MAX || left-- <= 0) continue
    yield witness.bytes(hash).toString('utf8')
  }
}

async function oneGate(
  world: Here,
  { effect, gate }: { effect: TryRoom; gate: Gate },
  on: { ready: Ready; files: ReadonlyMap<string, WitnessFile>; aborting: Aborting },
): Promise<{ evidence: Evidence; left: Orphan[] }> {
  const { signal } = on.aborting
  const { room, env } = on.ready
  signal.throwIfAborted()
  const folder = iterationFolder(world, effect.worker, effect.iteration)
  const log = join(folder, `gate-${fileName(gate.name)}-${logName(effect)}.log`)
  const running = runGate(gate, {
    root: room.root,
    env,
    mask: world.mask,
    log,
    notes: notesOf(world, effect.id),
    now: () => world.clock.up(),
    mark: { name: 'TMPDIR', value: room.tmp },
  })
  const stop = (): void => void running.stop()
  signal.addEventListener('abort', stop)
  const run = await running.done
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  const evidence = evidenceOf(
    { run, log },
    {
      gate,
      purpose: effect.purpose,
      tree: effect.sorting?.final ?? effect.base.tree,
      guarded: hashOf(on.files),
      at: world.clock.at(),
    },
  )
  return { evidence, left: run.orphans }
}

/** Of the files that changed while the gates ran: those that judge, tools among them. Work may be formatted or generated anew. */
function judging(changed: string[], base: WitnessTree): string[] {
  const judges = (path: string): boolean => isTestPath(path) || isConfiguration(path) || decidesTools(path)
  // What the base did not have, the old judge does not have either: a report, say.
  return changed.filter((path) => isVendored(path) || (base.has(path) && judges(path)))
}

const LENT_NAMED = 20
/** Who needs a neighbour says so in some file of usual size; nobody waits for all of a large repository to be read. */
const TEXT_MAX = 256 * 1024
const READ_MAX = 5_000

function withIgnored({ arrangement }: TryRoom): boolean {
  return arrangement.is === 'final' && arrangement.ignored
}

/** Each trial has a log of its own, so that every rung can be looked at afterwards. */
function logName({ id, purpose }: TryRoom): string {
  return `${purpose}-${id}`
}

/** Everything that lay in the room, as one hash. */
function hashOf(files: ReadonlyMap<string, WitnessFile>): string {
  const hash = createHash('sha256')
  for (const [path, file] of files) hash.update(`${file.mode} ${file.hash} ${path}\0`)
  return hash.digest('hex').slice(0, 32)
}

/** Changes whose file the output of a red gate names: they are likely the ones it misses. */
function namedIn(results: Evidence[], { judge }: Changes): number[] {
  const red = results.filter(({ exit }) => exit !== 0)
  const said = red.map(({ log, summary }) => `${summary}\n${readIfThere(log) ?? ''}`).join('\n')
  if (said.trim() === '') return []
  return judge.flatMap(({ path }, number) => (said.includes(path) ? [number] : []))
}
