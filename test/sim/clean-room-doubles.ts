/** The doubles of those who judge by trial: find the base, sort a claim, try it in the clean room, look once more. */
import type { Effect, EffectOf } from '../../src/core/state/effect.ts'
import { RalphError } from '../../src/core/error.ts'
import type { Event, EventsFor } from '../../src/core/state/event.ts'
import type { EffectId, TreeHash, WorkerId } from '../../src/core/ids.ts'
import { NO_BASE_CHANGES, type Base, type BaseChanges } from '../../src/core/proof/base.ts'
import type { Evidence, Gate } from '../../src/core/proof/evidence.ts'
import type { CleanRoomCheckResult } from '../../src/core/proof/clean-room-check.ts'
import type { SharedToolsLevel, ClassifiedChangesSummary, TrialResult } from '../../src/core/proof/trial.ts'
import { passesExceptQuarantined } from '../../src/core/proof/verdict.ts'
import type { Handler, HandledEffect } from '../../src/engine/runtime/handler.ts'
import { broken } from './invariant-rules.ts'
import { FLAKY_TEST } from './fault-rates.ts'
import { GATE_GRACE_MS, virtualDelay } from './virtual-delay.ts'
import {
  differingPaths,
  isProtectedFile,
  applyDifference,
  numberIn,
  planName,
  sameFiles,
  stateAt,
  stateNow,
  type EarlierBase,
  type Files,
  type SimWorkspace,
  type TreeState,
} from './sim-workspace.ts'
import {
  gatesPassOn,
  hasEnoughSharedTools,
  neededProtectedFiles,
  sortedBetween,
  testCountOn,
  type ClaimCase,
} from './expected-verdict.ts'
import { countNoise, type World } from './world.ts'

/** As many names as fit into a sentence; the others stand in the file. */
const NAMED = 10

export function baseDouble(world: World): Handler<EffectOf<'resolve-base'>> {
  return looking(world, 'base', (effect) => {
    const space = world.space(effect.worker)
    const found = effect.base === null ? foundBase(world, space, effect) : movedBase(world, space, effect)
    const news: BaseChanges = {
      ...NO_BASE_CHANGES,
      moved: found.moved.slice(0, NAMED),
      movedCount: found.moved.length,
    }
    const cleanRoomCheck = effect.base === null ? knownCleanRoomCheck(world, space, found.base) : null
    if (effect.base === null && world.random.is(0.05)) news.rejected = ['test/0.test.ts']
    if (found.moved.length > 0) world.note('the base moves')
    const { base } = found
    // Without a set-up command the tools are shared from the beginning.
    const sharedTools: SharedToolsLevel = space.fitWith === 'tools' || world.random.is(0.3) ? 'tools' : 'nothing'
    const now = remember(world, space, stateNow(space))
    const taken = {
      type: 'base-resolved' as const,
      ...answerTo(effect),
      base,
      news,
      room: 'key',
      sharedTools,
      now,
    }
    if (effect.verify === undefined) return { ...taken, cleanRoomCheck }
    const fit: CleanRoomCheckResult = cleanRoomCheck ?? {
      is: 'fit',
      sharedTools,
      tests: null,
      base: base.tree,
      writtenFiles: [],
    }
    return { ...taken, cleanRoomCheck: fit, verify: { ready: world.random.is(0.7), commit: null } }
  })
}

interface Found {
  base: Base
  moved: string[]
}

/**
 * As an earlier run left it, with what a person changed since; or the tree as the first run finds it. Whoever verifies by hand means their
 * own edits too, so these do not move the base, and neither does what a gate wrote.
 */
function foundBase(world: World, space: SimWorkspace, { now, verify }: EffectOf<'resolve-base'>): Found {
  const { earlier } = space
  const here = stateAt(space, numberIn(now.tree))
  if (earlier === null)
    return {
      base: { tree: remember(world, space, here), plan: now.plan, refs: null, from: 'first' },
      moved: [],
    }
  if (verify !== undefined) {
    const tree = remember(world, space, stateAt(space, earlier.tree))
    return { base: { tree, plan: null, refs: null, from: earlier.from }, moved: [] }
  }
  const { files, moved } = afterPerson(space, earlier, here.files)
  const truth = sameFiles(files, here.files) ? here.truth : stateAt(space, earlier.tree).truth
  const state: TreeState = { files, by: 'nobody', truth }
  return {
    base: { tree: remember(world, space, state), plan: now.plan, refs: null, from: earlier.from },
    moved,
  }
}

function afterPerson(space: SimWorkspace, earlier: EarlierBase, now: Files): { files: Files; moved: string[] } {
  const base = stateAt(space, earlier.tree).files
  if (earlier.seen === null) return { files: base, moved: [] }
  const from = stateAt(space, earlier.seen).files
  return { files: applyDifference(base, { from, to: now }), moved: differingPaths(from, now) }
}

function movedBase(world: World, space: SimWorkspace, { base, since, now }: EffectOf<'resolve-base'>): Found {
  if (base === null) throw new Error('there is no base to be moved')
  if (since === null) return { base, moved: [] }
  const from = stateAt(space, numberIn(since.tree)).files
  const to = stateAt(space, numberIn(now.tree)).files
  const before = archivedState(world, base.tree)
  const files = applyDifference(before.files, { from, to })
  const plan = since.plan === now.plan ? base.plan : now.plan
  const moved = differingPaths(from, to)
  return { base: { ...base, tree: remember(world, space, { ...before, files }), plan }, moved }
}

/** The same files have the same name, however they were come by. */
function remember(world: World, { worker }: SimWorkspace, state: TreeState): TreeHash {
  const known = [...world.archive].find(([id, one]) => id.startsWith(`w-${worker}-`) && one.files === state.files)
  if (known !== undefined) return known[0]
  const id = `w-${worker}-${world.archive.size + 1}`
  world.archive.set(id, state)
  return id
}

export function archivedState(world: World, tree: TreeHash): TreeState {
  const state = world.archive.get(tree)
  if (state === undefined) throw new Error(`the witness never saw ${tree}`)
  return state
}

/** What an earlier run found out about its own base, with as many tests as there were then. */
function knownCleanRoomCheck(world: World, space: SimWorkspace, base: Base): CleanRoomCheckResult | null {
  if (!space.isCleanRoomChecked || space.fitWith === 'never') return null
  const then = space.earlier === null ? archivedState(world, base.tree) : stateAt(space, space.earlier.tree)
  const tests = world.faultRates.room.tells > 0 ? [...then.files.keys()].filter(isProtectedFile).length : null
  const tree = space.earlier === null ? base.tree : remember(world, space, then)
  return { is: 'fit', sharedTools: space.fitWith, tests, base: tree, writtenFiles: [] }
}

export function sortChangesDouble(world: World): Handler<EffectOf<'classify-changes'>> {
  return looking(world, 'sort', (effect) => {
    const space = world.space(effect.worker)
    const final = stateNow(space)
    const {
      protectedFiles: changed,
      work,
      documents,
    } = sortedBetween(archivedState(world, effect.base.tree).files, final.files)
    // Those that may change come first.
    const allowed = changed.filter((path) => isAllowedChange(world, path))
    const protectedFiles = [...allowed, ...changed.filter((path) => !isAllowedChange(world, path))]
    const { truth } = final
    const hash = `sheet-${effect.worker}-${world.sortedClaims.size + 1}`
    const id = remember(world, space, final)
    world.sortedClaims.set(hash, { base: effect.base.tree, final: id, protectedFiles })
    const classification: ClassifiedChangesSummary = {
      file: `logs/${effect.worker}.${effect.iteration}/changes.json`,
      hash,
      final: id,
      plan: planName(space),
      refs: null,
      work: work.length,
      documents,
      breakableCount: work.length - documents,
      isMutable: truth.isMutable && work.length > documents,
      mutableTests: truth.isMutable ? 1 : 0,
      protectedFiles: protectedFiles.length,
      protectedAdded: protectedFiles.filter((path) => !archivedState(world, effect.base.tree).files.has(path)).length,
      allowedCount: allowed.length,
      unclear: Array.from({ length: truth.unclear }, (_, n) => ({
        path: `test/big-${n}.bin`,
        why: 'too large',
      })),
      droppedCheckboxes: truth.droppedCheckboxes,
      names: { work: work.slice(0, NAMED), protectedFiles: protectedFiles.slice(0, NAMED) },
      notes: world.random.is(0.1) ? ['src/a.ts checks whether a test is running'] : [],
    }
    return { type: 'changes-classified', ...answerTo(effect), classification }
  })
}

export function isAllowedChange({ faultRates }: World, path: string): boolean {
  if (faultRates.permits !== 'some') return faultRates.permits === 'all'
  // Every second one, as two kinds of tests lie beside each other.
  return Number(/(\d+)\.test\.ts$/.exec(path)?.[1] ?? 0) % 2 === 0
}

export function finalTreeDouble(world: World): Handler<EffectOf<'check-final-tree'>> {
  return looking(world, 'look', (effect) => {
    const now = stateNow(world.space(effect.worker)).files
    const changed = differingPaths(archivedState(world, effect.final).files, now)
    if (changed.length > 0) world.note('the tree changed while a claim was tried')
    return { type: 'final-tree-checked', ...answerTo(effect), changed: changed.slice(0, NAMED) }
  })
}

/** Whoever only looks: moments or minutes, a failure now and then, and an answer that may come twice. */
function looking<E extends EffectOf<'resolve-base' | 'classify-changes' | 'check-final-tree'>>(
  world: World,
  who: 'base' | 'sort' | 'look',
  answer: (effect: E) => EventsFor<E['type']>,
): Handler<E> {
  const { random, faultRates } = world
  return {
    async perform(effect, put, { signal }) {
      mayBegin(world, effect)
      const slow = random.is(faultRates.git.slow)
      await virtualDelay(world, slow ? random.int(1, 15) * 60_000 : random.int(1, 2_000), signal)
      if (random.is(faultRates[who].throws)) {
        world.note(`${effect.type} throws`)
        if (random.is(0.3)) throw new RalphError('disk', 'the witness could not be written')
        // What was remembered is lost: that is an answer about the clean room, and no failure of the engine.
        if (who !== 'base' && random.is(0.5)) return put(lost(effect) as EventsFor<E['type']>)
        throw new RalphError('git-failed', 'git could not list the files')
      }
      const event = answer(effect)
      put(event)
      if (random.is(faultRates[who].twice)) {
        world.note(`${effect.type} answers twice`)
        world.after('world', random.int(0, 60_000), () => put(event))
      }
    },
    recoverAnswer: async () => ({ is: 'not-begun' }),
  }
}

export function cleanRoomDouble(world: World, quarantine: string[]): Handler<EffectOf<'run-trial'>> {
  const { random, faultRates } = world
  return {
    async perform(effect, put, { signal }) {
      mayBegin(world, effect)
      if (random.is(faultRates.room.throws)) {
        world.note('room handler throws')
        throw random.is(0.5)
          ? new RalphError('disk', 'the disk is full')
          : new RalphError('git-failed', 'the room could not be given a history')
      }
      if ([...world.gates.values()].includes(effect.worker))
        world.broken ??= broken(15, `${effect.id} was begun while another trial runs for worker ${effect.worker}`)
      const began = world.mono()
      const trial = await tried(effect, signal)
      const orphans = random.is(faultRates.room.orphans)
        ? { orphans: { named: [{ pid: 4_712, startTime: '1', command: 'sh serve.sh' }], more: 0 } }
        : {}
      const durationMs = world.mono() - began
      const event: Event = {
        type: 'trial-ended',
        ...answerTo(effect),
        trial: { ...trial, durationMs },
        ...orphans,
      }
      put(event)
      if (random.is(faultRates.room.twice)) {
        world.note('room answers twice')
        world.after('world', random.int(0, 60_000), () => put(event))
      }
    },
    async recoverAnswer(effect) {
      world.gates.delete(effect.id)
      return { is: random.is(faultRates.room.forgets) ? 'not-begun' : 'unknown' }
    },
  }

  /** The clean room is filled, its tools are set up, the gates run one after the other: each may be cut short. */
  async function tried(effect: EffectOf<'run-trial'>, signal: AbortSignal): Promise<TrialResult> {
    const pass = (ms: number): Promise<void> => virtualDelay(world, ms, signal, GATE_GRACE_MS)
    world.gates.set(effect.id, effect.worker)
    try {
      await pass(random.int(1, 3_000))
      if (random.is(faultRates.room.fails)) return failed(effect)
      await pass(random.is(faultRates.room.slow) ? random.int(1, 14) * 60_000 : random.int(1, 5_000))
      const results: Evidence[] = []
      const unremovableTests = quarantine.includes(FLAKY_TEST) && random.is(0.5) ? [FLAKY_TEST] : []
      for (const gate of effect.gates) {
        await pass(random.int(1, 60_000))
        const result = show(effect, gate, unremovableTests)
        results.push(result)
        if (!passesExceptQuarantined(result, unremovableTests) && !effect.all) break
      }
      return {
        is: 'ran',
        durationMs: 0,
        results,
        named: targetsOfCommand(effect),
        sharedPaths: sharedTo(effect),
        writtenFiles: [],
        unremovableTests,
      }
    } finally {
      world.gates.delete(effect.id)
    }
  }

  function failed(effect: EffectOf<'run-trial'>): TrialResult {
    world.note('the room fails')
    countNoise(world, effect.worker)
    return { is: 'room-failed', durationMs: 0, why: 'npm ci: no network' }
  }

  function show(effect: EffectOf<'run-trial'>, gate: Gate, unremovableTests: string[]): Evidence {
    const one = caseOf(world, effect)
    const culprit = effect.gates.find((other) => tells(world, other)) ?? effect.gates[0]
    const fine = effect.trialLayout.is !== 'base' && one.final.truth.sound && gate !== culprit
    const truly = fine || gatesPassOn(one, effect.trialLayout)
    const fault = drawFault(effect, unremovableTests)
    const green = fault === null && truly
    if (fault !== null && unremovableTests.length === 0) countNoise(world, effect.worker)
    world.note(`${effect.purpose} ${green ? 'green' : (fault ?? 'red')}`)
    return {
      gate: gate.name,
      purpose: effect.purpose,
      command: gate.run,
      tree: effect.classification?.final ?? effect.base.tree,
      guarded: 'judge',
      exit: fault === 'timed out' || fault === 'missing' ? null : green ? 0 : 1,
      signal: null,
      timedOut: fault === 'timed out',
      missing: fault === 'missing',
      durationMs: 1_000,
      at: world.at(),
      log: `room-${gate.name}.log`,
      summary: green ? '' : faultRates.agent.full > 0 ? 'ö'.repeat(1_500) : '1 test failed',
      unstable: false,
      failing: green
        ? []
        : fault === 'flaky' && truly
          ? [FLAKY_TEST]
          : [hasEnoughSharedTools(one) ? 'a test' : 'what is not there'],
      tests: tells(world, gate) ? testCountOn(one, effect.trialLayout) : null,
    }
  }

  /** Quarantined tests are taken out of the clean room; where they could not be, they fail now and then and are excused. */
  function drawFault(
    { purpose }: EffectOf<'run-trial'>,
    unremovableTests: string[],
  ): 'flaky' | 'timed out' | 'missing' | null {
    if (random.is(faultRates.room.flaky) && (unremovableTests.length > 0 || !quarantine.includes(FLAKY_TEST)))
      return 'flaky'
    if (unremovableTests.length > 0) return null
    if (random.is(faultRates.room.timedOut * (purpose === 'clean-room-check' ? 0.3 : 1))) return 'timed out'
    return random.is(faultRates.room.missing * 0.3) ? 'missing' : null
  }

  /** Failing tests name some of the files, needed or not. */
  function targetsOfCommand(effect: EffectOf<'run-trial'>): number[] {
    if (effect.classification === null || effect.purpose !== 'original-tests') return []
    const one = caseOf(world, effect)
    const crowd = one.protectedFiles.length > 1_000
    if (!crowd && random.is(0.5)) return []
    const needed = new Set(neededProtectedFiles(one))
    const wrong = crowd ? 0.5 : random.pick([0, 0.1, 0.5])
    return one.protectedFiles.flatMap((path, at) =>
      (needed.has(path) ? random.is(0.8) : random.is(wrong)) ? [at] : [],
    )
  }

  function sharedTo({ trialLayout }: EffectOf<'run-trial'>): string[] {
    return trialLayout.is === 'final' && trialLayout.ignored ? ['.cache/', '.env'] : []
  }
}

/** One gate tells how many tests it runs, where any does. */
function tells({ faultRates }: World, gate: Gate): boolean {
  return faultRates.room.tells > 0 && gate.name === 'test'
}

/** The claim that lies in the clean room, as the world knows it. */
export function caseOf(
  world: World,
  effect: Pick<EffectOf<'run-trial'>, 'worker' | 'base' | 'classification' | 'sharedTools' | 'gates'>,
): ClaimCase {
  const base = archivedState(world, effect.base.tree)
  const sheet = effect.classification === null ? null : world.sortedClaims.get(effect.classification.hash)
  if (sheet === undefined) throw new Error('the list of changes is gone')
  const protectedFiles = sheet?.protectedFiles ?? []
  return {
    base,
    final: sheet === null ? base : archivedState(world, sheet.final),
    protectedFiles,
    lost: effect.base.from === 'lost',
    allowedCount: new Set(protectedFiles.filter((path) => isAllowedChange(world, path))),
    sharedTools: effect.sharedTools,
    fitWith: world.space(effect.worker).fitWith,
    tells: effect.gates.some((gate) => tells(world, gate)),
    counted: true,
  }
}

/** Nobody judges what is still being worked on, nor anything at all once the run is to stop. */
function mayBegin(world: World, effect: HandledEffect): void {
  if (world.mustNotStart)
    world.broken ??= broken(5, `${effect.id} was started although the run was to stop before this engine began`)
  for (const other of world.agents.values()) {
    if (other.running && other.worker === effect.worker)
      world.broken ??= broken(
        15,
        `${effect.type} ${effect.id} was begun while agent ${other.effect} runs for worker ${effect.worker}`,
      )
  }
}

function lost({ worker, id }: { worker: WorkerId; id: EffectId }): EventsFor<'classify-changes' | 'check-final-tree'> {
  const why = 'what was remembered of the working tree is lost'
  return { type: 'trial-ended', worker, effect: id, trial: { is: 'room-failed', why, durationMs: 0 } }
}

function answerTo({ worker, id }: Effect): { worker: string; effect: string } {
  return { worker, effect: id }
}
