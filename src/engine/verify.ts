/**
 * Judges the tree as it is now, as a completion would be judged: the gates where it lies, then the same ladder against the same base.
 * There is no run and no record; what is proven moves the base, and what is asked can be accepted.
 */
import { join } from 'node:path'
import type { Settings } from '../config/resolve.ts'
import { gatesOf } from '../domain/completion/gates.ts'
import { RalphError } from '../domain/error.ts'
import type { Event } from '../domain/state/event.ts'
import { acceptanceOf, whyAsked, type Acceptance } from '../domain/proof/acceptance.ts'
import type { Base } from '../domain/proof/base.ts'
import type { Evidence, Gate, Verdict } from '../domain/proof/evidence.ts'
import { beginClimb, climb } from '../domain/proof/ladder.ts'
import {
  sortingOf,
  type About,
  type RungAnswer,
  type Climb,
  type Climbed,
  type LadderMove,
} from '../domain/proof/rung.ts'
import { PURPOSES, testsIn, type Lend } from '../domain/proof/trial.ts'
import { judge } from '../domain/proof/verdict.ts'
import { never } from '../domain/machine.ts'
import type { Rules } from '../domain/state/rules.ts'
import { suggest } from '../domain/text/suggest.ts'
import { moveBaseTo, noteAcceptance, noteSeen } from '../store/bases.ts'
import type { Store } from '../store/db/open.ts'
import { useStore } from '../store/db/use.ts'
import { realClock } from '../system/clock.ts'
import { newAbort } from '../system/process/errand.ts'
import { onSignals, type StopSignal } from '../system/signals.ts'
import { openRepo } from '../workspace/repo/git.ts'
import { storeFolder, type Repo } from '../workspace/repo/repository-at.ts'
import { removeIndexes } from '../workspace/snapshot/private-index.ts'
import { wasLent } from '../workspace/room/make-ready.ts'
import { takeSnapshot } from '../workspace/snapshot/snapshot.ts'
import { commitNamed, commitTree } from '../workspace/witness/commit-tree.ts'
import type { Aborting, Handler, Handlers, PerformedEffect } from './circle/handler.ts'
import { whileHolding } from './circle/hold.ts'
import { judgingFor } from './perform/judging.ts'
import { maskFor } from '../config/mask-for.ts'
import { openPerforming } from './circle/performing.ts'
import { keepPlan } from './perform/survey.ts'
import { withSetUp } from './before/set-up.ts'
import { wire } from './wire.ts'
import { openFlights } from './perform/flights.ts'
import { type Here, repoFor, type World } from './world.ts'

export interface VerifyOptions {
  root: string
  settings: Settings
  rules: Rules
  /** Only this gate; null: all of them. One gate alone proves nothing. */
  gate: string | null
  /** Judge against this commit; null: against the base. */
  since: string | null
  /** The gates only, where the tree lies. */
  quick: boolean
  command: string
  began(what: string): void
  ended(evidence: Evidence): void
  climbed(one: Climbed): void
  notice(text: string): void
}

export interface Verified {
  verdict: Verdict
  why: string
  evidence: Evidence[]
  /** What each rung showed. */
  climbed: Climbed[]
  acceptance: Acceptance | null
}

/** In place of a run's id: logs and marks of a verification. */
const RUN = 'verify'
/** Whoever verifies by hand is nobody's worker. */
const WORKER = 'verify'

export async function verify(options: VerifyOptions): Promise<Verified> {
  const { root } = options
  const repo = await openRepo(root)
  const folder = storeFolder(repo, root)
  const notice = (text: string): void => options.notice(text)
  const abort = newAbort()
  let heard: StopSignal | null = null
  const deaf = onSignals((signal) => {
    heard ??= signal
    abort.abort()
  })
  const aborting: Aborting = { signal: abort.signal, told: null, onAbort: () => {} }
  try {
    return await useStore(join(folder, 'ralph.db'), { create: true, notice }, (store) =>
      whileHolding(store, options, () => judgeNow({ ...options, repo, folder, store, aborting })),
    )
  } catch (error) {
    throw heard === null ? error : interrupted(heard)
  } finally {
    deaf()
    removeIndexes(repo)
  }
}

interface Verifying extends VerifyOptions {
  repo: Repo
  folder: string
  store: Store
  aborting: Aborting
}

async function judgeNow(options: Verifying): Promise<Verified> {
  const rules = withSetUp(options.rules, options.root)
  const world = worldOf(options, rules)
  const gates = chosen(gatesOf(rules, { is: 'loop' }), options.gate)
  const perform = performer(world, options.aborting)
  if (options.since !== null) await commitNamed(options.repo, options.since)
  const evidence: Evidence[] = []
  for (const gate of gates) {
    options.began(`gate ${gate.name}: ${gate.run}`)
    const { tree } = await takeSnapshot(repoFor(world, 'v0', options.aborting), { ref: null })
    const event = await perform({ type: 'run-gate', gate, iteration: 0, tree, purpose: 'completion' })
    if (event.type !== 'gate-ended') throw new RalphError('bug', `a gate was answered by ${event.type}`)
    evidence.push(event.evidence)
    options.ended(event.evidence)
  }
  const judged = judge(gates, evidence, { quarantine: rules.proof.quarantine })
  const done = { evidence, climbed: [], acceptance: null }
  if (judged.verdict !== 'proven') return { ...judged, ...done }
  const isWhole = options.gate === null && !options.quick && rules.proof.level === 'full'
  if (!isWhole)
    return { verdict: 'gates-passed', why: `gates passed: ${judged.why}; nothing more was asked`, ...done }
  return climbNow({ ...options, world, gates, perform, evidence })
}

type Perform = (wanted: Wanted) => Promise<Event>
type Wanted = PerformedEffect extends infer E
  ? E extends PerformedEffect
    ? Omit<E, 'id' | 'worker'>
    : never
  : never

/** One effect after the other, outside of any run. */
function performer(world: World, aborting: Aborting): Perform {
  const handlers = wire(world, { words: () => {}, performing: openPerforming() })
  let next = 1
  return (wanted) => {
    const effect = { ...wanted, id: `v${next++}`, worker: WORKER } as PerformedEffect
    return new Promise((resolve, reject) => {
      handlerOf(handlers, effect).perform(effect, resolve, aborting).catch(reject)
    })
  }
}

function handlerOf(handlers: Handlers, effect: PerformedEffect): Handler<PerformedEffect> {
  return handlers[effect.type] as unknown as Handler<PerformedEffect>
}

interface Climbing extends Verifying {
  world: Here
  gates: Gate[]
  perform: Perform
  evidence: Evidence[]
}

async function climbNow(options: Climbing): Promise<Verified> {
  const { world, gates, perform } = options
  const ground = await groundOf(options)
  const by: Climb = {
    gates,
    base: ground.base,
    about: ground.about,
    testsAtBase: ground.tests,
    wroteAtBase: ground.wrote,
    reruns: world.judging.proof.reruns,
    trials: world.judging.proof.trials,
  }
  let move: LadderMove = beginClimb()
  let told = 0
  for (;;) {
    for (const one of move.ladder.climbed.slice(told)) options.climbed(one)
    told = move.ladder.climbed.length
    if (move.say !== null) options.notice(move.say)
    if (move.is !== 'sort' && move.is !== 'try' && move.is !== 'look')
      return settle({ ...options, ground }, move)
    if (move.is === 'try') options.began(PURPOSES[move.purpose])
    const answer = await perform(effectOf(move, ground, gates))
    move = climb(move.ladder, answerOf(answer), by)
  }
}

interface Ground {
  base: Base
  /** The snapshot of the tree as it is now. */
  tree: string
  lend: Lend
  tests: number | null
  wrote: string[]
  about: About
}

/** What it is judged against: the commit that was named, the remembered base, or else the last commit. */
async function groundOf(options: Climbing): Promise<Ground> {
  const { world, gates, perform, since, aborting } = options
  const repo = repoFor(world, 'v0', aborting)
  const { tree } = await takeSnapshot(repo, { ref: null })
  const plan = keepPlan(world)
  const taken = await perform({ type: 'take-base', base: null, since: null, now: { tree, plan }, gates })
  if (taken.type !== 'base-taken') throw new RalphError('bug', `a base was answered by ${taken.type}`)
  const { fitness } = taken
  // As it is remembered: whoever verifies by hand means their own edits too.
  const kept = (await world.judging.base())?.base ?? null
  // An agent may have made the last commit: it stands in for a base that was lost only where a person names it.
  const isLost = taken.base.from === 'lost'
  const isKept = since === null && kept !== null && !isLost
  const isCommit = repo.git !== null && !isKept && !(isLost && since === null)
  if (isCommit && since === null)
    options.notice('Nothing was proven here yet: judged against the last commit. Another one: --since REF')
  const base: Base = isCommit
    ? {
        tree: await commitTree(repo, world.judging.witness, since ?? 'HEAD'),
        plan,
        refs: null,
        from: 'first',
      }
    : isKept
      ? kept
      : taken.base
  const fit = fitness?.is === 'fit' ? fitness : null
  // A run has taken over what a person changed, and no trial has seen it.
  const isUntried = isKept && fit !== null && fit.base !== base.tree
  const about: About = isUntried ? 'changed-state' : 'state'
  const ground = { base, tree, lend: fit?.lend ?? taken.lend, about }
  if (!wasLent(world.judging.memory)) return { ...ground, ...(await atBase(options, ground)) }
  return { ...ground, tests: fit?.base === base.tree ? fit.tests : null, wrote: fit?.wrote ?? [] }
}

/** Where no run has made the room ready, it takes its tools as they are now, and the gates show what they do there at the base. */
async function atBase(
  options: Climbing,
  { base, lend }: Pick<Ground, 'base' | 'lend'>,
): Promise<Pick<Ground, 'tests' | 'wrote'>> {
  options.began('clean room, before the work')
  const tried = await options.perform({
    type: 'try-room',
    iteration: 0,
    purpose: 'fitness',
    arrangement: { is: 'base' },
    base,
    sorting: null,
    gates: options.gates,
    lend,
    all: true,
  })
  // What failed here fails again when the completion is tried, and is told then.
  if (tried.type !== 'room-tried' || tried.trial.is !== 'ran') return { tests: null, wrote: [] }
  return { tests: testsIn(tried.trial), wrote: tried.trial.wrote }
}

function effectOf(
  move: Extract<LadderMove, { is: 'sort' | 'try' | 'look' }>,
  { base, tree, lend }: Ground,
  judgedBy: Gate[],
): Wanted {
  switch (move.is) {
    case 'sort':
      return { type: 'sort-changes', iteration: 0, base, tree, gates: judgedBy }
    case 'try': {
      const { file, hash, final } = sortingOf(move.ladder)
      const { arrangement, gates, purpose } = move
      const sorting = { file, hash, final }
      return { type: 'try-room', iteration: 0, purpose, arrangement, base, sorting, gates, lend, all: false }
    }
    case 'look':
      return { type: 'look-again', final: sortingOf(move.ladder).final }
    default:
      return never(move)
  }
}

function answerOf(event: Event): RungAnswer {
  if (event.type === 'changes-sorted') return { is: 'sorted', sorting: event.sorting }
  if (event.type === 'room-tried') return { is: 'tried', trial: event.trial }
  if (event.type === 'looked-again') return { is: 'looked', changed: event.changed }
  throw new RalphError('bug', `a rung was answered by ${event.type}`)
}

type Ended = Exclude<LadderMove, { is: 'sort' | 'try' | 'look' }>

async function settle(
  { store, root, evidence, world, ground }: Climbing & { ground: Ground },
  move: Ended,
): Promise<Verified> {
  const { climbed } = move.ladder
  const said = (verdict: Verdict, why: string): Verified => ({
    verdict,
    why,
    evidence,
    climbed,
    acceptance: null,
  })
  const at = { run: RUN, at: world.clock.at() }
  switch (move.is) {
    case 'proven': {
      const { final, plan, refs } = sortingOf(move.ladder)
      const { tests } = move.ladder
      await moveBaseTo(store.sql, root, { base: { tree: final, plan, refs, from: 'proven' }, tests, ...at })
      await noteSeen(store.sql, root, { tree: ground.tree, plan })
      return said('proven', move.why)
    }
    case 'accept': {
      const acceptance = acceptanceOf(sortingOf(move.ladder), move.needed, move.ignored)
      await noteAcceptance(store.sql, root, { acceptance, base: ground.base, ...at })
      return { ...said('needs-acceptance', whyAsked(move.why, acceptance)), acceptance }
    }
    case 'refused':
      return said(move.verdict, move.why)
    case 'unproven':
      return said('unproven', move.why)
    case 'room-failed':
      return said('unproven', `the clean room failed: ${move.why}`)
    default:
      return never(move)
  }
}

function worldOf({ root, repo, folder, store, settings }: Verifying, rules: Rules): Here {
  const here: Here = {
    run: RUN,
    project: { root, repo },
    at: () => here,
    places: () => [here],
    swept: new Set(),
    root,
    repo,
    folder,
    clock: realClock(),
    loop: rules.loop,
    custom: settings.agents,
    programs: settings.programs,
    handover: settings.handover,
    judging: judgingFor({ repo, root, sql: store.sql, handover: settings.handover }, rules),
    mask: maskFor(settings, root),
    backup: false,
    snapshotsKept: 0,
    idleByDefault: true,
    mcp: false,
    terminal: false,
    knownEvidence: () => Promise.resolve(null),
    taskTexts: (task) => Promise.reject(new Error(`nobody asks about task ${task}`)),
    baselines: openFlights(),
  }
  return here
}

function interrupted(signal: StopSignal): RalphError {
  const code = signal === 'SIGINT' ? 'interrupted' : 'terminated'
  return new RalphError(code, `the gates were stopped by ${signal}, so nothing is proven`)
}

function chosen(gates: Gate[], name: string | null): Gate[] {
  if (name === null) return gates
  const gate = gates.find((one) => one.name === name)
  if (gate !== undefined) return [gate]
  const names = gates.map((one) => one.name)
  const near = suggest(name, names)
  throw new RalphError('usage', `there is no gate "${name}"`, {
    hint: near === null ? `Gates of this project: ${names.join(', ') || 'none'}` : `Did you mean ${near}?`,
  })
}
