/**
 * The stage before the first iteration: it finds the base that completions are judged against, runs each gate once, so that nobody is blamed
 * for old failures, and checks that the clean room shows the same as the working tree. All of it before an agent is paid.
 */
import { passesLimits, takeWay, wayTo } from '../../calls/call.ts'
import { completionGates } from '../../completion/gates.ts'
import type { TreeHash, WorkerId } from '../../ids.ts'
import { abortPhase } from '../../pipeline/abort.ts'
import { finishStage, proceed } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import type { Evidence, Gate } from '../../proof/evidence.ts'
import { fitnessOf, lendMore, WAYS_OUT, type Fitness } from '../../proof/fitness.ts'
import type { Lend } from '../../proof/trial.ts'
import { passed } from '../../proof/verdict.ts'
import type { EventOf } from '../../state/event.ts'
import { finish } from '../../pipeline/finish.ts'
import type { Seen } from '../../state/state.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { findBase, isJudged, keepBase } from '../../tree/base.ts'
import { movesBase, survey, takeLook } from '../../tree/look.ts'
import { claimsByPlan } from '../../tree/plan-claim.ts'
import { isGoing, orderOf } from '../../admission/order.ts'

export const PREPARE: StageModule = {
  kind: 'prepare',
  phases: ['surveying', 'basing', 'baselining', 'fitting'],
  begin(course, id, entered) {
    if (entered !== undefined) return survey(course, id)
    // Nothing is prepared for a call that may not begin.
    if (!claimsByPlan(course, id)) {
      if (!passesLimits(course, id)) return
      const way = wayTo(course, course.house.run.rules.agent.order)
      if (way.is !== 'free') return takeWay(course, id, 'work', way)
    }
    survey(course, id)
  },
  on: {
    surveyed,
    'base-taken': baseTaken,
    'gate-ended': (course, event) => afterBaseline(course, event.worker, event.evidence),
    'room-tried': roomFitted,
  },
  abort: abortPhase,
  describe: () => 'preparing the proof',
}

function surveyed(course: Course, event: EventOf<'surveyed'>): void {
  const { worker: id } = event
  const { phase } = workerOf(course, id)
  const look = takeLook(course, event)
  if (look === null || phase.is !== 'surveying') return
  // A task that is put down needs no judge any more.
  const isDropped = orderOf(course, id).is === 'drop'
  if (!isDropped && (phase.for === 'start' || isUnprepared(course, id)))
    return prepare(course, id, look.before)
  if (!movesBase(course, id, look)) leave(course, id)
}

/** A pause may come before the base was found or the room made ready: no agent is asked before. */
function isUnprepared(course: Course, id: WorkerId): boolean {
  const { base, room } = workerOf(course, id)
  return isJudged(course, id) && (base === null || room === null)
}

function prepare(course: Course, id: WorkerId, before: Seen | null): void {
  if (!isGoing(course, id)) return proceed(course, id)
  if (isJudged(course, id)) return findBase(course, id, before)
  runBaseline(course, id, { known: null, lend: 'nothing', now: '' })
}

/** All is ready, unless somebody wants the worker to stand still: then the stage is not over. */
function leave(course: Course, id: WorkerId): void {
  if (isGoing(course, id)) finishStage(course, id, 'PASS')
  else proceed(course, id)
}

function baseTaken(course: Course, event: EventOf<'base-taken'>): void {
  const { worker: id } = event
  const { phase } = workerOf(course, id)
  keepBase(course, event)
  if (phase.is !== 'basing') return
  if (phase.for === 'before') return leave(course, id)
  runBaseline(course, id, { known: event.fitness, lend: event.lend, now: event.now })
}

interface Fitting {
  /** As an earlier run found it. */
  known: Fitness | null
  lend: Lend
  /** The tree that the baseline runs on, as the witness keeps it: the base, or what earlier runs made of it. */
  now: TreeHash
}

function runBaseline(course: Course, id: WorkerId, fitting: Fitting): void {
  const gates = course.house.run.rules.proof.baseline === 'off' ? [] : completionGates(course, id)
  runNext(course, id, gates, fitting)
}

function runNext(course: Course, id: WorkerId, gates: Gate[], fitting: Fitting): void {
  if (!isGoing(course, id)) return leave(course, id)
  const [gate, ...left] = gates
  if (gate === undefined) return fitRoom(course, id, fitting)
  const { seen } = workerOf(course, id)
  const effect = ask(course, {
    type: 'run-gate',
    worker: id,
    gate,
    iteration: 0,
    tree: seen?.tree ?? null,
    purpose: 'baseline',
  })
  patchWorker(course, id, { measured: false })
  enter(course, id, { is: 'baselining', effect, left: left.map((one) => one.name), ...fitting })
}

function afterBaseline(course: Course, id: WorkerId, evidence: Evidence): void {
  const worker = workerOf(course, id)
  if (worker.phase.is !== 'baselining') return
  const { left, known, lend, now } = worker.phase
  const seen = worker.seen === null ? null : { ...worker.seen, tree: evidence.tree }
  const { exit, failing } = evidence
  patchWorker(course, id, {
    seen,
    measured: true,
    baseline: { ...worker.baseline, [evidence.gate]: { passed: passed(evidence), failing, exit } },
  })
  const missing = missingProgram(evidence)
  if (missing !== null) {
    const why = `gate ${evidence.gate} (${evidence.command}) needs ${missing}, which is not there`
    const cause = { is: 'missing' as const, gate: evidence.gate, program: missing }
    return finish(course, id, { is: 'program_missing', why, cause })
  }
  if (ranNothing(evidence)) {
    const why = `gate ${evidence.gate} (${evidence.command}) is green and ran 0 tests, so it proves nothing yet`
    if (course.house.run.rules.proof.noTests === 'refuse')
      return finish(course, id, { is: 'not_started', why })
    decide(course, id, 'proof', 'empty', why)
  }
  const state = passed(evidence) ? 'passes' : evidence.timedOut ? 'does not end in time' : 'fails'
  decide(course, id, 'proof', 'baseline', `gate ${evidence.gate} ${state} before the first iteration`)
  const gates = completionGates(course, id).filter((gate) => left.includes(gate.name))
  runNext(course, id, gates, { known, lend, now })
}

/** What the shell did not find, by its name; null: it ran, or what is missing lies in the project and may still be written. */
function missingProgram({ missing, summary }: Evidence): string | null {
  if (!missing) return null
  const name = /(?:^|[\s:])([\w.+-]+): (?:command )?not found\b/m.exec(summary)?.[1]
  return name ?? null
}

function ranNothing(evidence: Evidence): boolean {
  return passed(evidence) && evidence.tests === 0
}

/** Where it is known to be fit, the room is only made ready: its tools are taken before an agent can reach them. */
function fitRoom(course: Course, id: WorkerId, { known, lend, now }: Fitting): void {
  const { base } = workerOf(course, id)
  if (!isJudged(course, id) || base === null) return leave(course, id)
  const ready = known?.is === 'fit' ? known : null
  const { baseline } = course.house.run.rules.proof
  const gates = ready !== null || baseline === 'off' ? [] : completionGates(course, id)
  const effect = ask(course, {
    type: 'try-room',
    worker: id,
    iteration: 0,
    purpose: 'fitness',
    arrangement: { is: 'base' },
    base: { ...base, tree: now },
    sorting: null,
    gates,
    lend: ready?.lend ?? lend,
    all: true,
  })
  enter(course, id, { is: 'fitting', effect, lend: ready?.lend ?? lend, known: ready, now })
}

function roomFitted(course: Course, event: EventOf<'room-tried'>): void {
  const { worker: id, trial } = event
  const { phase, baseline } = workerOf(course, id)
  if (phase.is !== 'fitting') return
  const found = fitnessOf(trial, { lend: phase.lend, baseline, base: phase.now })
  // The room that was fit is made ready again, and what it showed then still holds.
  const room = found.is === 'fit' && phase.known?.is === 'fit' ? phase.known : found
  const more = found.is === 'unfit' ? lendMore(phase.lend) : null
  // Whoever pauses now comes back to it: a room that nobody could lend more is not unfit yet.
  if (more !== null && !isGoing(course, id)) return leave(course, id)
  if (more !== null) {
    // That nothing at all is not enough goes without saying; a set-up that fails does not.
    if (phase.lend !== 'nothing' || trial.is === 'room-failed')
      decide(course, id, 'proof', 'room', `${found.is === 'unfit' ? found.why : ''}; ${LENDING[more]}`)
    return fitRoom(course, id, { known: null, lend: more, now: phase.now })
  }
  patchWorker(course, id, { room })
  decide(course, id, 'proof', room.is === 'fit' ? 'room' : 'unfit', sayFitness(room))
  leave(course, id)
}

const LENDING: Record<Lend, string> = {
  nothing: 'nothing is lent',
  tools: 'tool folders are copied into it',
  ignored: 'what git ignores is copied into it as well',
  neighbours: 'the folders beside the project are copied beside it',
}

function sayFitness(room: Fitness): string {
  if (room.is === 'unfit')
    return `the clean room is not fit to judge this project, so a completion will be unproven: ${room.why}\n${WAYS_OUT}`
  const with_ = room.lend === 'nothing' ? '' : ` (${LENDING[room.lend]})`
  return `the clean room is ready${with_}`
}
