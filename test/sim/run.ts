/**
 * One simulated run, from its seed to its end: the real core, inbox, `runEventLoop`, `recoverOpenEffects` and store, served by one engine life
 * after another, while the world misbehaves. Nothing waits for real time.
 */
import { RalphError } from '../../src/core/error.ts'
import type { Event } from '../../src/core/state/event.ts'
import type { VerifyRequest } from '../../src/core/proof/verify-request.ts'
import type { DraftRequest } from '../../src/core/features/draft.ts'
import type { RunState } from '../../src/core/state/state.ts'
import type { Now, RunId } from '../../src/core/ids.ts'
import type { Outcome } from '../../src/core/state/outcome.ts'
import type { Row } from '../../src/core/state/row.ts'
import type { Rules } from '../../src/core/state/rules.ts'
import { applyEvents, type RunPosition } from '../../src/engine/runtime/apply-events.ts'
import { IMPORT_RUN_ID } from '../../src/store/usage.ts'
import { verifyRecord } from '../../src/watch/verify-record.ts'
import { runEventLoop, type Engine } from '../../src/engine/runtime/event-loop.ts'
import type { Handler, Handlers, HandledEffect } from '../../src/engine/runtime/handler.ts'
import { openTaskLeases } from '../../src/engine/runtime/task-leases.ts'
import { openInbox } from '../../src/engine/runtime/inbox.ts'
import { openRunningEffects } from '../../src/engine/runtime/running-effects.ts'
import { loadRunPosition, recoverOpenEffects } from '../../src/engine/runtime/recover-run.ts'
import { loadBase, loadCleanRoomCheck, saveMovedBase, saveSeenTree, type SavedBase } from '../../src/store/bases.ts'
import type { Base } from '../../src/core/proof/base.ts'
import type { Store } from '../../src/store/db/open-store.ts'
import { foldDigest, EMPTY_DIGEST } from '../../src/core/presentation/run-digest.ts'
import { loadDigest } from '../../src/store/digests.ts'
import { loadRowsAfter } from '../../src/store/record.ts'
import { loadRunState } from '../../src/store/run-state.ts'
import { deleteRun } from '../../src/store/runs.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { usageOfRun } from '../../src/store/usage.ts'
import { seededRandom } from './seeded-random.ts'
import { createDoubles } from './doubles.ts'
import { InvariantViolation, fail } from './invariant-rules.ts'
import { describeRow, openChecker, type Checker } from './invariants.ts'
import { drawInherited, drawFaultRates, drawRules, drawWorkers, type FaultRates } from './fault-rates.ts'
import { disturb, type SimulatedPerson, openSimulatedPerson } from './simulated-people.ts'
import { compareSaved, compareSavedView } from './screen-checker.ts'
import { createSimTasks, type SimTasks } from './tasks.ts'
import type { Clock } from '../../src/system/clock.ts'
import { numberIn, stateAt, treeName, type SimWorkspace } from './sim-workspace.ts'
import { SIMULTANEOUS_MS, openWorld, type World } from './world.ts'

export interface SimulationResult {
  seed: number
  rows: number
  steps: number
  lives: number
  outcome: Outcome | null
  /** What was broken, with the last rows; null: all rules held. */
  failure: string | null
}

export interface SimulationHooks {
  note: (what: string) => void
  row?: (row: Row) => void
}

/** Every so many runs go through tasks. */
const TASKS_EVERY = 3

/** And every so many of the others draft documents, with somebody who answers in half of them. */
const DRAFTS_EVERY = 11

function draftOf(seed: number, { tasks, workers }: ForcedFaults): DraftRequest | null {
  if (tasks !== undefined || workers !== undefined) return null
  if (seed % TASKS_EVERY === 0 || seed % DRAFTS_EVERY !== DRAFTS_EVERY - 1) return null
  const documents: DraftRequest['documents'] = ['spec', 'plan', 'tasks']
  return { feature: 'f-sim', name: 'sim', folder: '.ralph/features/sim', documents, asks: seed % 2 === 0 }
}

/** And some only verify what is there. */
const VERIFIES_EVERY = 13

function verifyOf(seed: number, { tasks, workers }: ForcedFaults): VerifyRequest | null {
  if (tasks !== undefined || workers !== undefined) return null
  if (seed % TASKS_EVERY === 0 || seed % VERIFIES_EVERY !== VERIFIES_EVERY - 1) return null
  return { gate: null, since: null, quick: seed % 4 === 0 }
}

/** And some import a document. */
const IMPORTS_EVERY = 17

function isImport(seed: number, { tasks, workers }: ForcedFaults): boolean {
  return tasks === undefined && workers === undefined && seed % TASKS_EVERY !== 0 && seed % IMPORTS_EVERY === 0
}

/** Reading the record back costs as much as a fifth of the run, so not every run does it. */
const REFOLD_EVERY = 8

/** Between two turns in which what is saved is compared while the engine lives. It costs as much as twenty rows. */
const SAVED_EVERY = 80

/** The engine process is gone: a power cut, a kill -9. Never caught by the engine itself. */
class Crash extends Error {}

/** Virtual turns until a person's patience ends, and how many more the run may then take to end. */
const PATIENCE = 400
const LAST_TURNS = 300
const REPEATED_EVERY = 50

const PROJECT = '/sim'

/** What is not left to the seed; absent: it is. */
export interface ForcedFaults {
  workers?: number
  faultRates?: (drawn: FaultRates) => FaultRates
  tasks?: boolean
}

export async function simulate(
  store: Store,
  seed: number,
  watching: SimulationHooks,
  forced: ForcedFaults = {},
): Promise<SimulationResult> {
  const random = seededRandom(seed)
  const faultRates = (forced.faultRates ?? asDrawn)(drawFaultRates(random))
  const settings = drawRules(random)
  const drawn = drawWorkers(random)
  const draft = draftOf(seed, forced)
  const verify = draft === null ? verifyOf(seed, forced) : null
  const imports = draft === null && verify === null && isImport(seed, forced)
  // Whoever begins a draft leaves the gates out.
  const rules = draft === null && !imports ? settings : { ...settings, gates: [] }
  const workers = draft === null && verify === null && !imports ? (forced.workers ?? drawn) : 1
  const world = openWorld({ random, faultRates, rules, workers, note: watching.note })
  const sim: Sim = {
    run: `r${seed}`,
    store,
    world,
    faultRates,
    rules,
    checker: openChecker(world),
    watching,
    crashes: 0,
    lives: 0,
    steps: 0,
    refold: seed % REFOLD_EVERY === 0,
    firstCompared: seed % SAVED_EVERY,
    cameIn: new WeakMap(),
    tasks: null,
    draft,
    verify,
    imports,
  }
  let failure: string | null = null
  try {
    if (forced.tasks ?? seed % TASKS_EVERY === 0)
      sim.tasks = await createSimTasks(store.sql, { seed, run: sim.run, at: world.at(), note: watching.note })
    await leaveBase(sim)
    await live(sim)
    sim.checker.finish()
    await compareStore(sim)
    await compareSaved(store.sql, sim.run, sim.checker.view())
    await compareBase(sim)
  } catch (error) {
    failure = describeFailure(sim, seed, error)
  }
  await sim.tasks?.remove()
  await store.sql.transaction((tx) => deleteRun(tx, sim.run))
  // What imports used outlives them.
  await store.sql.run('delete from usage where run = ?', IMPORT_RUN_ID)
  for (const table of ['bases', 'clean_room_checks'])
    await store.sql.run(`delete from ${table} where workspace = ?`, PROJECT)
  const outcome = sim.checker.state()?.run.outcome ?? null
  return { seed, rows: sim.checker.seq(), steps: sim.steps, lives: sim.lives, outcome, failure }
}

const asDrawn = (faultRates: FaultRates): FaultRates => faultRates

interface Sim {
  run: RunId
  store: Store
  world: World
  faultRates: FaultRates
  rules: Rules
  checker: Checker
  watching: SimulationHooks
  crashes: number
  lives: number
  steps: number
  refold: boolean
  /** So that each turn of a night is the one in some seed. */
  firstCompared: number
  /** Null: a plain loop. */
  tasks: SimTasks | null
  /** Null: nothing is drafted. */
  draft: DraftRequest | null
  /** Null: it works. */
  verify: VerifyRequest | null
  imports: boolean
  /** When each event came in, on the world's own clock. */
  cameIn: WeakMap<Event, number>
}

/** One process of the engine. */
interface Life {
  engine: Engine
  clock: Pick<Clock, 'at' | 'up'>
  /** Dies at once: nothing it would still do reaches the world or the store. */
  kill(): void
  /** Null while it lives; then why it ended. */
  end: { is: 'done' } | { is: 'crashed' } | { is: 'threw'; error: unknown } | null
  /** Events that were put so far. */
  puts(): number
}

/** Lives follow each other until the run has ended: after a crash, and after an outage that was not waited out. */
async function live(sim: Sim): Promise<void> {
  const person = openSimulatedPerson(sim.world, { sql: sim.store.sql, run: sim.run })
  for (;;) {
    const life = await begin(sim, person)
    if (life === null) return
    await serve(sim, life, person)
    if (life.end?.is === 'threw') throw life.end.error
    await catchUp(sim)
    const left = sim.checker.state()?.run.is === 'left'
    if (life.end?.is === 'done' && !left) return
    if (left) sim.world.note('left in an outage')
    else sim.crashes += 1
    sim.world.engineDied()
    sim.world.pass(sim.world.random.is(0.5) ? sim.world.random.int(0, 2_000) : sim.world.random.int(0, 7_200_000))
  }
}

/** Starts a life: the first one, or one that resumes what a crash left behind. Null: the run was given up instead. */
async function begin(sim: Sim, person: SimulatedPerson): Promise<Life | null> {
  const { world, run, rules, store } = sim
  sim.lives += 1
  // Before the first row nothing is kept; what was kept of the rows is what they lead to.
  const kept = sim.checker.seq() === 0 ? null : await loadRunPosition(store.sql, run)
  if (kept !== null && JSON.stringify(kept.state) !== JSON.stringify(sim.checker.state()))
    fail(3, 'the kept state is not what the rows lead to')
  if (kept !== null) compareSavedView(kept.view, sim.checker.view())
  const baseUp = kept?.up ?? 0
  const born = world.mono()
  const clock = (): Now => ({ at: world.at(), up: baseUp + world.mono() - born })
  // Nobody goes on with a run of one stage that was interrupted.
  if (kept !== null && (sim.verify !== null || sim.imports || world.random.is(sim.faultRates.abandons))) {
    await abandon(sim, kept, clock)
    return null
  }
  world.mustNotStart = kept?.state.run.is === 'stopping'
  const life = newLife(sim, clock)
  const position: RunPosition = kept ?? { run, state: null, seq: 0, view: null }
  person.moveIn((event) => life.engine.inbox.put(event))
  if (kept === null) {
    const carried = drawInherited(world.random, rules, world.at())
    const workers = world.workers.length
    life.engine.inbox.put({
      type: 'run-started',
      run,
      rules,
      workers,
      project: PROJECT,
      command: 'loop',
      programs: { agents: {}, programs: {} },
      ...carried,
      ...(sim.tasks === null ? {} : { breaker: null, conversation: null, tasks: sim.tasks.scope }),
      ...(sim.draft === null ? {} : { breaker: null, conversation: null, draft: sim.draft }),
      ...(sim.verify === null ? {} : { breaker: null, conversation: null, limited: {}, verify: sim.verify }),
      ...(sim.imports ? { breaker: null, conversation: null, import: { folder: '/tmp/import' } } : {}),
      pid: 1,
      version: '0',
    })
  } else {
    const { is } = kept.state.run
    const after = is === 'paused' ? 'pause' : is === 'left' ? 'outage' : 'crash'
    world.note(`taken up after: ${after}`)
    await recoverOpenEffects(life.engine, kept.state, { type: 'run-resumed', pid: sim.lives, after, version: '0' })
  }
  runEventLoop(life.engine, position).then(
    () => void (life.end ??= { is: 'done' }),
    (error: unknown) => {
      life.kill()
      life.end = leavesUnfinished(error) ? { is: 'crashed' } : { is: 'threw', error }
    },
  )
  return life
}

/** A crash, or the emergency door: whoever cures the disk starts the same command again. */
function leavesUnfinished(error: unknown): boolean {
  return error instanceof Crash || (error instanceof RalphError && error.code === 'disk')
}

/** As `--fresh` does: what still runs is ended first, then the run is called given up. */
async function abandon(sim: Sim, kept: RunPosition & { state: RunState }, clock: () => Now): Promise<void> {
  sim.world.note('abandoned for a new run')
  for (const process of sim.world.agents.values()) process.running = false
  sim.world.gates.clear()
  const event: Event = { type: 'request-received', request: { id: null, from: '--fresh', do: 'abandon' } }
  await applyEvents(sim.store, kept, [event], clock)
  await catchUp(sim)
}

function newLife(sim: Sim, clock: () => Now): Life {
  const { world } = sim
  const real = openInbox()
  const runningEffects = openRunningEffects()
  let dead = false
  let puts = 0
  const life: Life = {
    clock: { at: () => clock().at, up: () => clock().up },
    engine: {
      store: dyingStore(sim, () => life.kill()),
      clock,
      after: (ms, fire) => world.after('engine', ms, fire),
      runningEffects,
      bus: {
        rows(rows) {
          for (const row of rows) {
            inTime(sim, row)
            take(sim, row)
          }
        },
      },
      handlers: dyingHandlers(sim, createDoubles(world, runningEffects, sim.rules.proof.quarantine), {
        isDead: () => dead,
        die: () => life.kill(),
      }),
      inbox: {
        put(event) {
          if (dead) return
          puts += 1
          sim.cameIn.set(event, world.mono())
          real.put(event)
        },
        fail(error) {
          if (!dead) real.fail(error)
        },
        async take() {
          if (dead) throw new Crash()
          const events = await real.take()
          if (dead) throw new Crash()
          return events
        },
      },
    },
    kill() {
      if (dead) return
      dead = true
      real.put({ type: 'remark', about: 'sim', text: 'the end' })
    },
    end: null,
    puts: () => puts,
  }
  return life
}

/** A store under a process that may die just before or just after a commit. */
function dyingStore(sim: Sim, die: () => void): Store {
  const { store, faultRates, world } = sim
  const mayCrash = (probability: number): boolean => sim.crashes < faultRates.crash.most && world.random.is(probability)
  const sql: Sql = {
    ...store.sql,
    async transaction(work) {
      const { beforeCommit, afterCommit, afterStop } = faultRates.crash
      if (mayCrash(beforeCommit)) {
        world.note('crash before the commit')
        die()
        return store.sql.transaction(async (tx) => {
          await work(tx)
          throw new Crash()
        })
      }
      const done = await store.sql.transaction(work)
      if (!mayCrash(world.stopAsked ? afterStop : afterCommit)) return done
      world.note('crash after the commit')
      die()
      throw new Crash()
    },
  }
  return { ...store, sql }
}

/** Handlers of a process that may die between two of the effects it begins. */
function dyingHandlers(sim: Sim, handlers: Handlers, life: { isDead(): boolean; die(): void }): Handlers {
  const { faultRates, world } = sim
  const wrap = <E extends HandledEffect>(handler: Handler<E>): Handler<E> => ({
    async perform(effect, put, aborting) {
      if (life.isDead()) return
      if (sim.crashes < faultRates.crash.most && world.random.is(faultRates.crash.midPerform)) {
        world.note('crash while effects begin')
        life.die()
        if (world.random.is(0.5)) return
      }
      await handler.perform(effect, put, aborting)
    },
    recoverAnswer: (effect) => handler.recoverAnswer(effect),
  })
  return {
    snapshot: wrap(handlers.snapshot),
    'run-agent': wrap(handlers['run-agent']),
    'run-gate': wrap(handlers['run-gate']),
    commit: wrap(handlers.commit),
    'resolve-base': wrap(handlers['resolve-base']),
    'classify-changes': wrap(handlers['classify-changes']),
    'run-trial': wrap(handlers['run-trial']),
    'check-final-tree': wrap(handlers['check-final-tree']),
    revert: wrap(handlers['revert']),
    'save-knowledge': wrap(handlers['save-knowledge']),
    'check-document': wrap(handlers['check-document']),
    'check-import': wrap(handlers['check-import']),
    wait: wrap(handlers.wait),
    abort: wrap(handlers.abort),
  }
}

/** Time goes on, one thing after the other, until this life is over. */
async function serve(sim: Sim, life: Life, person: SimulatedPerson): Promise<void> {
  const { world, checker } = sim
  const hold = openTaskLeases({ sql: sim.store.sql, run: sim.run, clock: life.clock })
  for (;;) {
    await settled()
    if (world.broken !== null) throw new InvariantViolation(world.broken)
    if (life.end !== null) return
    sim.steps += 1
    const puts = life.puts()
    // Said again until it is heard: a signal may meet an engine that is just leaving, and another one takes the run up.
    const impatient = sim.steps >= PATIENCE && (sim.steps - PATIENCE) % REPEATED_EVERY === 0
    if (impatient && checker.stopAskedAt() === null) await person.lastWord()
    if (sim.steps > PATIENCE + LAST_TURNS) fail(7, `the run has not ended after ${sim.steps} turns`)
    // What is asked of a run that has ended finds nobody; its engine only ends what is left.
    const over = checker.state()?.run.is === 'ended'
    if (sim.steps < PATIENCE && !over) {
      const proofRunning = inProofSteps(checker.state())
      await disturb(world, person, { inProofSteps: proofRunning })
      const { anyTime, afterStop, inProofSteps: whileTried } = sim.faultRates.crash
      const stopped = checker.stopAskedAt() !== null
      const often = stopped ? afterStop : proofRunning ? Math.max(anyTime, whileTried) : anyTime
      if (sim.crashes < sim.faultRates.crash.most && world.random.is(often)) {
        world.note(stopped ? 'crash after a stop' : 'crash at any time')
        life.kill()
        continue
      }
    }
    if ((sim.steps + sim.firstCompared) % SAVED_EVERY === 0) await compareMidLife(sim)
    await person.deliver()
    if (sim.tasks !== null) {
      await sim.tasks.disturb(world.at())
      for (const event of await hold.renew(checker.state())) person.put(event)
      await sim.tasks.check(checker)
    }
    if (life.puts() > puts) {
      // The engine is at work. What is due in this very moment may come in meanwhile; time does not run away from it.
      if (world.random.is(sim.faultRates.crowd)) world.turn(SIMULTANEOUS_MS)
      continue
    }
    if (world.turn()) {
      for (let more = world.random.is(sim.faultRates.crowd); more; more = world.random.is(0.5))
        world.turn(SIMULTANEOUS_MS)
      continue
    }
    await settled()
    if (life.end !== null || life.puts() > puts || !world.idle()) continue
    const state = checker.state()
    if (hangsForEver(world)) {
      await person.lastWord()
      continue
    }
    if (state?.run.is !== 'paused' && isAsking(state)) {
      await person.answer()
      continue
    }
    if (state?.run.is !== 'paused') {
      const phases = Object.values(state?.workers ?? {}).map((worker) => `${worker.id} ${worker.phase.is}`)
      fail(
        4,
        `nothing will ever happen again: the run is ${state?.run.is ?? 'not begun'}, workers ${phases.join(', ')}`,
      )
    }
    if (sim.crashes < sim.faultRates.crash.most && world.random.is(0.3)) life.kill()
    else await person.wakeUp()
  }
}

/** What is saved is what the rows lead to, unless the engine has saved what they do not show yet. In one go, so that it moves nothing meanwhile. */
async function compareMidLife({ store, run, checker }: Sim): Promise<void> {
  await store.sql.transaction(async (tx) => {
    const saved = await loadRunState(tx, run)
    if (saved === null || saved.seq !== checker.seq()) return
    if (JSON.stringify(saved.state) !== JSON.stringify(checker.state()))
      fail(3, 'the saved state is not what the rows lead to')
    await compareSaved(tx, run, checker.view())
  })
}

function inProofSteps(state: RunState | null): boolean {
  const phases = Object.values(state?.workers ?? {}).map(({ phase }) => phase)
  return phases.some((phase) => phase.is === 'proving' && phase.proof.at.is === 'proofSteps')
}

function isAsking(state: RunState | null): boolean {
  return Object.values(state?.workers ?? {}).some(({ phase }) => phase.is === 'asking')
}

/** Whoever switches both limits off must end a hung agent himself. */
function hangsForEver(world: World): boolean {
  return [...world.agents.values()].some((process) => process.running)
}

/** Every promise that can go on has gone on: nothing in here waits for anything but another promise. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** Events may crowd in while the engine is at work, each a moment after the other; more than this is time that ran away from it. */
const AT_ONCE_MS = 1_000

/**
 * A stop was once said to take 17 seconds, because a look was answered 17 seconds after it was asked. That seed was played again in a
 * hundred versions of core and engine, and none shows it. A look of a run that is to stop is given one second and told to end, by a timer
 * of the world; what own changes it is time that runs away from the engine. A person who asked once let the world turn to whatever was due
 * next, however far off, with an answer lying in the inbox, and its row was stamped only then (with that turn unlimited again, seed 318
 * of three workers has a gate's answer taken 6.7 seconds late). So this is looked at by itself, `stop.test.ts` stops runs in slow looks
 * under a clock that jumps, and a stop that is slow for this reason does not pass for a fault of the core.
 */
function inTime({ cameIn, world }: Sim, { event }: Row): void {
  const late = world.mono() - (cameIn.get(event) ?? world.mono())
  if (late > AT_ONCE_MS) fail(18, `${event.type} came in and was taken ${late} ms later`)
}

function take(sim: Sim, row: Row): void {
  sim.watching.row?.(row)
  sim.checker.take(row)
}

/** Rows that were committed although nobody lived to publish them. */
async function catchUp(sim: Sim): Promise<void> {
  for (const row of await loadRowsAfter(sim.store.sql, sim.run, sim.checker.seq(), 10_000)) take(sim, row)
}

/** The tables must tell what the world saw and what the record says. */
async function compareStore(sim: Sim): Promise<void> {
  const { store, run, checker, world } = sim
  const kept = await loadRunState(store.sql, run)
  if (JSON.stringify(kept?.state) !== JSON.stringify(checker.state()))
    fail(3, 'the kept state is not what the rows lead to')
  if (sim.refold) await refold(sim)
  const usage = await usageOfRun(store.sql, run)
  let usd = 0
  let tokens = 0
  for (const id of checker.settled) {
    const told = world.told.get(id)?.usage
    usd += told?.usd ?? 0
    tokens += (told?.input ?? 0) + (told?.output ?? 0)
  }
  if (Math.abs((usage.usd ?? 0) - usd) > 1e-6)
    fail(11, `the store counted ${usage.usd ?? 0} dollars, the agents told ${usd}`)
  if (usage.tokens !== tokens) fail(11, `the store counted ${usage.tokens} tokens, the agents told ${tokens}`)
  const table = await store.sql.get<{ evidence: number; pending: number; outcome: string | null }>(
    `select (select count(*) from evidence where run = ?1) as evidence,
       (select count(*) from requests where run = ?1 and state in ('waiting', 'accepted') and at < runs.ended_at) as pending,
       runs.outcome from runs where id = ?1`,
    run,
  )
  if (table?.evidence !== checker.gates())
    fail(6, `${table?.evidence ?? 0} pieces of evidence are kept, ${checker.gates()} were taken`)
  if (table.pending !== 0) fail(6, `${table.pending} requests were never answered`)
  if (table.outcome !== checker.state()?.run.outcome?.is)
    fail(12, `the table of runs says ${table.outcome ?? 'nothing'}`)
}

/** An earlier run left its base, and where it looked last. Only the first worker's is kept: a loop has no other. */
async function leaveBase({ store, world }: Sim): Promise<void> {
  const { earlier } = world.space('1')
  if (earlier === null) return
  const base = { tree: 'earlier', plan: null, refs: null, from: earlier.from }
  await saveMovedBase(store.sql, PROJECT, { base, run: 'r0', at: world.at(), tests: null })
  if (earlier.seen !== null) await saveSeenTree(store.sql, PROJECT, { tree: treeName('1', earlier.seen), plan: null })
}

/** A verification moves the base to what it proved, asks a person, or leaves everything as it was. */
function compareVerified({ checker, world }: Sim, base: Base, kept: SavedBase | null): void {
  const outcome = checker.state()?.run.outcome ?? null
  const before = world.space('1').earlier === null ? null : 'earlier'
  const isAsked = outcome?.acceptance !== undefined
  const expected = outcome?.verdict === 'proven' || (isAsked && before === null) ? base.tree : before
  if ((kept?.base.tree ?? null) !== expected)
    fail(16, `${kept?.base.tree ?? 'no base'} is remembered after a verification, and not ${expected}`)
  if (JSON.stringify(kept?.acceptance ?? null) !== JSON.stringify(outcome?.acceptance ?? null))
    fail(16, 'what a person is asked about is not what is remembered')
}

/** What later runs will judge against is what this one ended with, and nobody's doing will pass for a person's. */
async function compareBase(sim: Sim): Promise<void> {
  const { store, world, checker } = sim
  const state = checker.state()
  const worker = state?.workers['1']
  const kept = await loadBase(store.sql, PROJECT)
  const space = world.space('1')
  if (worker === undefined || worker.base === null) {
    if ((kept?.base.tree ?? null) !== (space.earlier === null ? null : 'earlier'))
      fail(16, 'a run that found no base changed the one that is remembered')
    return
  }
  if (sim.verify !== null) return compareVerified(sim, worker.base, kept)
  const { base, measured, hasOrphans, seen, room, cleanRoomKey } = worker
  if (JSON.stringify(kept?.base) !== JSON.stringify(base))
    fail(16, `the base is ${JSON.stringify(base)}, and ${JSON.stringify(kept?.base)} is remembered`)
  const asked = state?.run.outcome?.acceptance ?? null
  if (JSON.stringify(kept?.acceptance) !== JSON.stringify(asked))
    fail(16, 'what a person is asked about is not what is remembered')
  const expected = measured && !hasOrphans ? (seen?.tree ?? null) : null
  if ((kept?.seen?.tree ?? null) !== expected) fail(16, 'the last look is not what is remembered of it')
  if (kept?.seen?.tree !== undefined) untouched(space, numberIn(kept.seen.tree))
  const cleanRoomCheck = cleanRoomKey === null ? null : await loadCleanRoomCheck(store.sql, PROJECT, cleanRoomKey)
  if (room?.is === 'fit' && JSON.stringify(cleanRoomCheck) !== JSON.stringify(room))
    fail(16, 'the fitness of the room is not what is remembered of it')
}

/** Whatever changed after the last look will count as a person's in the next run, so it had better be one's. */
function untouched(space: SimWorkspace, seen: number): void {
  for (let tree = seen + 1; tree <= space.tree; tree++) {
    const { by } = stateAt(space, tree)
    if (by !== 'person') fail(16, `the next run will take what the ${by} did for a person's`)
  }
}

/** The whole record as `replay --check` reads it. The checker has stepped every row already; this also tries the way back. */
async function refold({ store, run, checker }: Sim): Promise<void> {
  const kept = await loadRunState(store.sql, run)
  const rows = await loadRowsAfter(store.sql, run, 0, 100_000)
  const { difference, rows: count } = await verifyRecord(each(rows), kept)
  if (difference !== null) fail(3, `row ${difference.seq}: ${difference.what} differ: ${JSON.stringify(difference)}`)
  if (count !== checker.seq()) fail(3, `${count} rows are kept, ${checker.seq()} were seen`)
  const told = JSON.stringify(await loadDigest(store.sql, run))
  if (told !== JSON.stringify(rows.reduce(foldDigest, EMPTY_DIGEST)))
    fail(12, 'the digest and the rows since tell another run than all of its rows')
}

async function* each(rows: Row[]): AsyncGenerator<Row> {
  yield* rows
}

function describeFailure(sim: Sim, seed: number, error: unknown): string {
  const known = error instanceof InvariantViolation || error instanceof RalphError
  const what = known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  const rows = sim.checker.recent().map(describeRow)
  return [`seed ${seed}, turn ${sim.steps}, life ${sim.lives}: ${what}`, ...rows.map((row) => `  ${row}`)].join('\n')
}
