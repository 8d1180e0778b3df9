/** The doubles of those who judge by trial: find the base, sort a claim, try it in the clean room, look once more. */
import type { Effect, EffectOf } from '../../src/domain/state/effect.ts'
import { RalphError } from '../../src/domain/error.ts'
import type { Event, SaidOf } from '../../src/domain/state/event.ts'
import type { EffectId, TreeHash, WorkerId } from '../../src/domain/ids.ts'
import { NO_NEWS, type Base, type BaseNews } from '../../src/domain/proof/base.ts'
import type { Evidence, Gate } from '../../src/domain/proof/evidence.ts'
import type { Fitness } from '../../src/domain/proof/fitness.ts'
import type { Lend, Sorting, Trial } from '../../src/domain/proof/trial.ts'
import { counts } from '../../src/domain/proof/verdict.ts'
import type { Handler, PerformedEffect } from '../../src/engine/circle/handler.ts'
import { broken } from './broken.ts'
import { SHAKY } from './manners.ts'
import { GATE_GRACE_MS, passing } from './passing.ts'
import {
  differing,
  isJudge,
  movedBy,
  numberIn,
  planName,
  sameFiles,
  stateAt,
  stateNow,
  type Earlier,
  type Files,
  type Space,
  type State,
} from './trees.ts'
import { isGreen, isLentEnough, neededOf, sortedBetween, testsOn, type Case } from './truth.ts'
import { makeNoise, type World } from './world.ts'

/** As many names as fit into a sentence; the others stand in the file. */
const NAMED = 10

export function baseDouble(world: World): Handler<EffectOf<'take-base'>> {
  return looking(world, 'base', (effect) => {
    const space = world.space(effect.worker)
    const found = effect.base === null ? foundBase(world, space, effect) : movedBase(world, space, effect)
    const news: BaseNews = { ...NO_NEWS, moved: found.moved.slice(0, NAMED), movedCount: found.moved.length }
    const fitness = effect.base === null ? knownFitness(world, space, found.base) : null
    if (effect.base === null && world.chance.is(0.05)) news.rejected = ['test/0.test.ts']
    if (found.moved.length > 0) world.note('the base moves')
    const { base } = found
    // Without a set-up command the tools are lent from the beginning.
    const lend: Lend = space.fitWith === 'tools' || world.chance.is(0.3) ? 'tools' : 'nothing'
    const now = remember(world, space, stateNow(space))
    const taken = { type: 'base-taken' as const, ...answerTo(effect), base, news, room: 'key', lend, now }
    if (effect.verify === undefined) return { ...taken, fitness }
    const fit: Fitness = fitness ?? { is: 'fit', lend, tests: null, base: base.tree, wrote: [] }
    return { ...taken, fitness: fit, verify: { ready: world.chance.is(0.7), commit: null } }
  })
}

interface Found {
  base: Base
  moved: string[]
}

/** As an earlier run left it, with what a person changed since; or the tree as the first run finds it. */
function foundBase(world: World, space: Space, { now }: EffectOf<'take-base'>): Found {
  const { earlier } = space
  const here = stateAt(space, numberIn(now.tree))
  if (earlier === null)
    return {
      base: { tree: remember(world, space, here), plan: now.plan, refs: null, from: 'first' },
      moved: [],
    }
  const { files, moved } = afterPerson(space, earlier, here.files)
  const truth = sameFiles(files, here.files) ? here.truth : stateAt(space, earlier.tree).truth
  const state: State = { files, by: 'nobody', truth }
  return {
    base: { tree: remember(world, space, state), plan: now.plan, refs: null, from: earlier.from },
    moved,
  }
}

function afterPerson(space: Space, earlier: Earlier, now: Files): { files: Files; moved: string[] } {
  const base = stateAt(space, earlier.tree).files
  if (earlier.seen === null) return { files: base, moved: [] }
  const from = stateAt(space, earlier.seen).files
  return { files: movedBy(base, { from, to: now }), moved: differing(from, now) }
}

function movedBase(world: World, space: Space, { base, since, now }: EffectOf<'take-base'>): Found {
  if (base === null) throw new Error('there is no base to be moved')
  if (since === null) return { base, moved: [] }
  const from = stateAt(space, numberIn(since.tree)).files
  const to = stateAt(space, numberIn(now.tree)).files
  const before = witnessed(world, base.tree)
  const files = movedBy(before.files, { from, to })
  const plan = since.plan === now.plan ? base.plan : now.plan
  const moved = differing(from, to)
  return { base: { ...base, tree: remember(world, space, { ...before, files }), plan }, moved }
}

/** The same files have the same name, however they were come by. */
function remember(world: World, { worker }: Space, state: State): TreeHash {
  const known = [...world.witness].find(
    ([id, one]) => id.startsWith(`w-${worker}-`) && one.files === state.files,
  )
  if (known !== undefined) return known[0]
  const id = `w-${worker}-${world.witness.size + 1}`
  world.witness.set(id, state)
  return id
}

export function witnessed(world: World, tree: TreeHash): State {
  const state = world.witness.get(tree)
  if (state === undefined) throw new Error(`the witness never saw ${tree}`)
  return state
}

/** What an earlier run found out about its own base, with as many tests as there were then. */
function knownFitness(world: World, space: Space, base: Base): Fitness | null {
  if (!space.fitnessKnown || space.fitWith === 'never') return null
  const then = space.earlier === null ? witnessed(world, base.tree) : stateAt(space, space.earlier.tree)
  const tests = world.manners.room.tells > 0 ? [...then.files.keys()].filter(isJudge).length : null
  const tree = space.earlier === null ? base.tree : remember(world, space, then)
  return { is: 'fit', lend: space.fitWith, tests, base: tree, wrote: [] }
}

export function sortDouble(world: World): Handler<EffectOf<'sort-changes'>> {
  return looking(world, 'sort', (effect) => {
    const space = world.space(effect.worker)
    const final = stateNow(space)
    const {
      judge: changed,
      work,
      documents,
    } = sortedBetween(witnessed(world, effect.base.tree).files, final.files)
    // Those that may change come first.
    const allowed = changed.filter((path) => isPermitted(world, path))
    const judge = [...allowed, ...changed.filter((path) => !isPermitted(world, path))]
    const { truth } = final
    const hash = `sheet-${effect.worker}-${world.sheets.size + 1}`
    const id = remember(world, space, final)
    world.sheets.set(hash, { base: effect.base.tree, final: id, judge })
    const sorting: Sorting = {
      file: `logs/${effect.worker}.${effect.iteration}/changes.json`,
      hash,
      final: id,
      plan: planName(space),
      refs: null,
      work: work.length,
      documents,
      breakable: work.length - documents,
      wrongable: truth.wrongable && work.length > documents,
      testable: truth.wrongable ? 1 : 0,
      judge: judge.length,
      judgeAdded: judge.filter((path) => !witnessed(world, effect.base.tree).files.has(path)).length,
      permitted: allowed.length,
      unclear: Array.from({ length: truth.unclear }, (_, n) => ({
        path: `test/big-${n}.bin`,
        why: 'too large',
      })),
      lostBoxes: truth.lostBoxes,
      names: { work: work.slice(0, NAMED), judge: judge.slice(0, NAMED) },
      notes: world.chance.is(0.1) ? ['src/a.ts asks whether a test is running'] : [],
    }
    return { type: 'changes-sorted', ...answerTo(effect), sorting }
  })
}

export function isPermitted({ manners }: World, path: string): boolean {
  if (manners.permits !== 'some') return manners.permits === 'all'
  // Every second one, as two kinds of tests lie beside each other.
  return Number(/(\d+)\.test\.ts$/.exec(path)?.[1] ?? 0) % 2 === 0
}

export function lookDouble(world: World): Handler<EffectOf<'look-again'>> {
  return looking(world, 'look', (effect) => {
    const now = stateNow(world.space(effect.worker)).files
    const changed = differing(witnessed(world, effect.final).files, now)
    if (changed.length > 0) world.note('the tree changed while a claim was tried')
    return { type: 'looked-again', ...answerTo(effect), changed: changed.slice(0, NAMED) }
  })
}

/** Whoever only looks: moments or minutes, a failure now and then, and an answer that may come twice. */
function looking<E extends EffectOf<'take-base' | 'sort-changes' | 'look-again'>>(
  world: World,
  who: 'base' | 'sort' | 'look',
  answer: (effect: E) => SaidOf<E['type']>,
): Handler<E> {
  const { chance, manners } = world
  return {
    async perform(effect, put, { signal }) {
      mayBegin(world, effect)
      const slow = chance.is(manners.git.slow)
      await passing(world, slow ? chance.int(1, 15) * 60_000 : chance.int(1, 2_000), signal)
      if (chance.is(manners[who].throws)) {
        world.note(`${effect.type} throws`)
        if (chance.is(0.3)) throw new RalphError('disk', 'the witness could not be written')
        // What was remembered is lost: that is an answer about the room, and no failure of the engine.
        if (who !== 'base' && chance.is(0.5)) return put(lost(effect) as SaidOf<E['type']>)
        throw new RalphError('git-failed', 'git could not list the files')
      }
      const event = answer(effect)
      put(event)
      if (chance.is(manners[who].twice)) {
        world.note(`${effect.type} answers twice`)
        world.after('world', chance.int(0, 60_000), () => put(event))
      }
    },
    inquire: async () => ({ is: 'not-begun' }),
  }
}

export function roomDouble(world: World, quarantine: string[]): Handler<EffectOf<'try-room'>> {
  const { chance, manners } = world
  return {
    async perform(effect, put, { signal }) {
      mayBegin(world, effect)
      if (chance.is(manners.room.throws)) {
        world.note('room handler throws')
        throw chance.is(0.5)
          ? new RalphError('disk', 'the disk is full')
          : new RalphError('git-failed', 'the room could not be given a history')
      }
      if ([...world.gates.values()].includes(effect.worker))
        world.broken ??= broken(
          15,
          `${effect.id} was begun while another trial runs for worker ${effect.worker}`,
        )
      const began = world.mono()
      const trial = await tried(effect, signal)
      const orphans = chance.is(manners.room.orphans)
        ? { orphans: { named: [{ pid: 4_712, startTime: '1', command: 'sh serve.sh' }], more: 0 } }
        : {}
      const durationMs = world.mono() - began
      const event: Event = {
        type: 'room-tried',
        ...answerTo(effect),
        trial: { ...trial, durationMs },
        ...orphans,
      }
      put(event)
      if (chance.is(manners.room.twice)) {
        world.note('room answers twice')
        world.after('world', chance.int(0, 60_000), () => put(event))
      }
    },
    async inquire(effect) {
      world.gates.delete(effect.id)
      return { is: chance.is(manners.room.forgets) ? 'not-begun' : 'unknown' }
    },
  }

  /** The room is filled, its tools are set up, the gates run one after the other: each may be cut short. */
  async function tried(effect: EffectOf<'try-room'>, signal: AbortSignal): Promise<Trial> {
    const pass = (ms: number): Promise<void> => passing(world, ms, signal, GATE_GRACE_MS)
    world.gates.set(effect.id, effect.worker)
    try {
      await pass(chance.int(1, 3_000))
      if (chance.is(manners.room.fails)) return failed(effect)
      await pass(chance.is(manners.room.slow) ? chance.int(1, 14) * 60_000 : chance.int(1, 5_000))
      const results: Evidence[] = []
      const excused = quarantine.includes(SHAKY) && chance.is(0.5) ? [SHAKY] : []
      for (const gate of effect.gates) {
        await pass(chance.int(1, 60_000))
        const result = show(effect, gate, excused)
        results.push(result)
        if (!counts(result, excused) && !effect.all) break
      }
      return {
        is: 'ran',
        durationMs: 0,
        results,
        named: namedBy(effect),
        lent: lentTo(effect),
        wrote: [],
        excused,
      }
    } finally {
      world.gates.delete(effect.id)
    }
  }

  function failed(effect: EffectOf<'try-room'>): Trial {
    world.note('the room fails')
    makeNoise(world, effect.worker)
    return { is: 'room-failed', durationMs: 0, why: 'npm ci: no network' }
  }

  function show(effect: EffectOf<'try-room'>, gate: Gate, excused: string[]): Evidence {
    const one = caseOf(world, effect)
    const culprit = effect.gates.find((other) => tells(world, other)) ?? effect.gates[0]
    const fine = effect.arrangement.is !== 'base' && one.final.truth.sound && gate !== culprit
    const truly = fine || isGreen(one, effect.arrangement)
    const fault = drawFault(effect, excused)
    const green = fault === null && truly
    if (fault !== null && excused.length === 0) makeNoise(world, effect.worker)
    world.note(`${effect.purpose} ${green ? 'green' : (fault ?? 'red')}`)
    return {
      gate: gate.name,
      purpose: effect.purpose,
      command: gate.run,
      tree: effect.sorting?.final ?? effect.base.tree,
      guarded: 'judge',
      exit: fault === 'timed out' || fault === 'missing' ? null : green ? 0 : 1,
      signal: null,
      timedOut: fault === 'timed out',
      missing: fault === 'missing',
      durationMs: 1_000,
      at: world.at(),
      log: `room-${gate.name}.log`,
      summary: green ? '' : manners.agent.full > 0 ? 'ö'.repeat(1_500) : '1 test failed',
      unsettled: false,
      failing: green
        ? []
        : fault === 'flaky' && truly
          ? [SHAKY]
          : [isLentEnough(one) ? 'a test' : 'what is not there'],
      tests: tells(world, gate) ? testsOn(one, effect.arrangement) : null,
    }
  }

  /** Quarantined tests are taken out of the room; where they could not be, they fail now and then and are excused. */
  function drawFault(
    { purpose }: EffectOf<'try-room'>,
    excused: string[],
  ): 'flaky' | 'timed out' | 'missing' | null {
    if (chance.is(manners.room.flaky) && (excused.length > 0 || !quarantine.includes(SHAKY))) return 'flaky'
    if (excused.length > 0) return null
    if (chance.is(manners.room.timedOut * (purpose === 'fitness' ? 0.3 : 1))) return 'timed out'
    return chance.is(manners.room.missing * 0.3) ? 'missing' : null
  }

  /** Failing tests name some of the files, needed or not. */
  function namedBy(effect: EffectOf<'try-room'>): number[] {
    if (effect.sorting === null || effect.purpose !== 'old-judge') return []
    const one = caseOf(world, effect)
    const crowd = one.judge.length > 1_000
    if (!crowd && chance.is(0.5)) return []
    const needed = new Set(neededOf(one))
    const wrong = crowd ? 0.5 : chance.pick([0, 0.1, 0.5])
    return one.judge.flatMap((path, at) =>
      (needed.has(path) ? chance.is(0.8) : chance.is(wrong)) ? [at] : [],
    )
  }

  function lentTo({ arrangement }: EffectOf<'try-room'>): string[] {
    return arrangement.is === 'final' && arrangement.ignored ? ['.cache/', '.env'] : []
  }
}

/** One gate tells how many tests it runs, where any does. */
function tells({ manners }: World, gate: Gate): boolean {
  return manners.room.tells > 0 && gate.name === 'test'
}

/** The claim that lies in the room, as the world knows it. */
export function caseOf(
  world: World,
  effect: Pick<EffectOf<'try-room'>, 'worker' | 'base' | 'sorting' | 'lend' | 'gates'>,
): Case {
  const base = witnessed(world, effect.base.tree)
  const sheet = effect.sorting === null ? null : world.sheets.get(effect.sorting.hash)
  if (sheet === undefined) throw new Error('the list of changes is gone')
  const judge = sheet?.judge ?? []
  return {
    base,
    final: sheet === null ? base : witnessed(world, sheet.final),
    judge,
    lost: effect.base.from === 'lost',
    permitted: new Set(judge.filter((path) => isPermitted(world, path))),
    lend: effect.lend,
    fitWith: world.space(effect.worker).fitWith,
    tells: effect.gates.some((gate) => tells(world, gate)),
    counted: true,
  }
}

/** Nobody judges what is still being worked on, nor anything at all once the run is to stop. */
function mayBegin(world: World, effect: PerformedEffect): void {
  if (world.mustNotStart)
    world.broken ??= broken(
      5,
      `${effect.id} was started although the run was to stop before this engine began`,
    )
  for (const other of world.agents.values()) {
    if (other.running && other.worker === effect.worker)
      world.broken ??= broken(
        15,
        `${effect.type} ${effect.id} was begun while agent ${other.effect} runs for worker ${effect.worker}`,
      )
  }
}

function lost({ worker, id }: { worker: WorkerId; id: EffectId }): SaidOf<'sort-changes' | 'look-again'> {
  const why = 'what was remembered of the working tree is lost'
  return { type: 'room-tried', worker, effect: id, trial: { is: 'room-failed', why, durationMs: 0 } }
}

function answerTo({ worker, id }: Effect): { worker: string; effect: string } {
  return { worker, effect: id }
}
