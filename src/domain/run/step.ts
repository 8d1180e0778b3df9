/**
 * The core: what follows from what happened. Pure, so a night can be replayed and a simulator can drive years of bad ones.
 *
 * An iteration walks one way: survey (if something else ran since) → admit → agent → survey → commit → weigh → prove, and
 * from there either the run ends or the next one begins.
 */
import type { Effect } from './effect.ts'
import { ANSWERS, type Event, type EventOf } from './event.ts'
import type { House, Worker } from './house.ts'
import type { Now, WorkerId } from '../ids.ts'
import { never, type Decision } from '../machine.ts'
import { afterAgent, afterCommit, afterSurvey } from '../iteration/after.ts'
import { carryOver } from '../iteration/breaker.ts'
import { EMPTY_BUDGET } from '../call/budget.ts'
import { ask, decide, enter, patchRun, patchWorker, workerOf, type Course } from './step-so-far.ts'
import { finish } from './finish.ts'
import { NO_TALLY } from '../iteration/exit.ts'
import { holdBack, spendCrossed } from '../call/call.ts'
import { beginWork, next, survey } from '../iteration/next.ts'
import { withoutOutages } from '../call/rest.ts'
import { afterBaseline, baseTaken, roomFitted } from '../completion/baseline.ts'
import { changesSorted, lookedAgain, roomTried } from '../completion/climbing.ts'
import { afterGate } from '../completion/prove.ts'
import { afterOpinion, beginOpinion, opinionChecked } from '../completion/second-opinion.ts'
import { obey } from './steer.ts'
import { isStopping } from '../worker/order.ts'
import { surveyed, takeFooting } from '../iteration/surveyed.ts'

/** Bumped whenever the same event may lead to another decision; `replay --check` refolds only rows of its own number. */
export const RULES = 5

export interface Step {
  house: House
  effects: Effect[]
  decisions: Decision[]
}

export function step(house: House | null, event: Event, now: Now): Step {
  if (event.type === 'run-started') return finishStep(startRun(event, now))
  if (house === null) throw new Error(`${event.type} came before run-started`)
  const course: Course = { house, now, effects: [], decisions: [] }
  if (house.run.is === 'ended')
    decide(course, 'loop', 'ignore', `${event.type} came after the end of the run`)
  else if (isLate(house, event))
    decide(course, 'loop', 'ignore', `${event.type} answers an effect that is no longer open`)
  else follow(closed(course, event), event)
  return finishStep(course)
}

function finishStep(course: Course): Step {
  return { house: course.house, effects: course.effects, decisions: course.decisions }
}

/** One event, one consequence. */
function follow(course: Course, event: Exclude<Event, { type: 'run-started' }>): void {
  switch (event.type) {
    case 'run-continued':
      return continueRun(course, event)
    case 'surveyed':
      return surveyedWhere(course, event)
    case 'admitted':
      return admitted(course, event.worker)
    case 'held-back':
      return holdBack(course, event)
    // Facts for the record and the screens; nothing follows from them.
    case 'agent-began':
    case 'agent-denied':
    case 'conversation-known':
    case 'aborted':
    case 'clock-jumped':
    case 'remark':
    case 'guard-taken':
    case 'guard-checked':
    case 'restored':
      return
    case 'spend-crossed':
      return spendCrossed(course, event)
    case 'agent-ended':
      return agentEnded(course, event)
    case 'gate-ended':
      return gateEnded(course, event)
    case 'base-taken':
      return baseTaken(course, event)
    case 'changes-sorted':
      return changesSorted(course, event)
    case 'room-tried':
      return roomTriedWhere(course, event)
    case 'looked-again':
      return lookedAgain(course, event)
    case 'committed':
      return afterCommit(course, event)
    case 'wait-over':
      return waitOver(course, event)
    case 'run-ended':
      return patchRun(course, { is: 'ended', outcome: event.outcome })
    case 'run-left':
      return patchRun(course, { is: 'left', outcome: event.outcome })
    case 'effect-failed':
      return effectFailed(course, event)
    case 'effect-lost':
      return effectLost(course, event)
    case 'request-received':
      return obey(course, event.request)
    default:
      return never(event)
  }
}

function startRun(event: EventOf<'run-started'>, now: Now): Course {
  const rules = event.rules
  const ids: WorkerId[] = Array.from({ length: event.workers }, (_, i) => String(i + 1))
  const workers = Object.fromEntries(ids.map((id) => [id, newWorker(id, event, now)]))
  const house: House = {
    run: {
      id: event.run,
      is: 'going',
      rules,
      startedAt: now.at,
      startedUp: now.up,
      next: 1,
      open: {},
      budget: EMPTY_BUDGET,
      rests: Object.fromEntries(
        Object.entries(event.limited).map(([agent, until]) => [
          agent,
          { is: 'usage-limit', until, tries: 1 },
        ]),
      ),
      unusable: {},
      outcome: null,
      why: null,
      stopAs: 'stopped',
    },
    workers,
  }
  const course: Course = { house, now, effects: [], decisions: [] }
  for (const id of ids) survey(course, id, 'start')
  return course
}

function newWorker(id: WorkerId, event: EventOf<'run-started'>, now: Now): Worker {
  return {
    id,
    phase: { is: 'paused', why: 'not started' },
    iteration: 0,
    told: null,
    steering: [],
    counted: 0,
    failures: 0,
    breaker: carryOver(event.breaker, event.rules.breaker, now.at),
    conversation: event.conversation,
    tally: NO_TALLY,
    refusals: 0,
    held: null,
    author: null,
    seen: null,
    footing: null,
    boxes: null,
    nextBox: null,
    previous: null,
    corrections: [],
    lastErrors: [],
    lastLength: null,
    busy: 0,
    failedLooks: 0,
    deletions: 0,
    base: null,
    room: null,
    roomKey: null,
    measured: true,
    orphaned: false,
    baseline: {},
  }
}

/** A run taken up again: open effects are answered by recovery, so only workers that wait for a person need a push. */
function continueRun(course: Course, event: EventOf<'run-continued'>): void {
  decide(course, 'loop', 'continue', CONTINUED[event.after])
  const { is, rests } = course.house.run
  if (is === 'stopping') return
  // Whoever comes back to a run that waited for a person has patience again; after a crash the time waited so far counts.
  const kept = is === 'going' ? rests : withoutOutages(rests)
  patchRun(course, { is: 'going', why: null, outcome: null, rests: kept })
  for (const { id, phase, told } of Object.values(course.house.workers)) {
    // Who comes back to a run that rested wants all of it to go on; after a crash each stands where it stood.
    if (is !== 'going' && told?.is === 'pause') patchWorker(course, id, { told: null })
    if (phase.is === 'paused' && (is !== 'going' || told === null)) next(course, id)
  }
}

const CONTINUED: Record<EventOf<'run-continued'>['after'], string> = {
  crash: 'the run was cut off and goes on',
  pause: 'the paused run goes on',
  outage: 'the run was left in an outage and goes on',
}

function admitted(course: Course, id: WorkerId): void {
  const { phase } = workerOf(course, id)
  if (phase.is !== 'admitting') return
  switch (phase.role) {
    case 'work':
      return beginWork(course, id, phase.agent)
    case 'opinion':
      return beginOpinion(course, id, phase.agent)
    default:
      return never(phase.role)
  }
}

function surveyedWhere(course: Course, event: EventOf<'surveyed'>): void {
  const { phase } = workerOf(course, event.worker)
  patchWorker(course, event.worker, { failedLooks: 0 })
  takeFooting(course, event)
  if (phase.is === 'surveying') return surveyed(course, event, phase.for)
  if (phase.is === 'measuring') return afterSurvey(course, event, phase)
  if (phase.is === 'checking') return opinionChecked(course, event)
}

function roomTriedWhere(course: Course, event: EventOf<'room-tried'>): void {
  noteOrphans(course, event)
  const { phase } = workerOf(course, event.worker)
  if (phase.is === 'fitting') return roomFitted(course, event)
  roomTried(course, event)
}

/** Who was left in the project may change it at any time, as an agent's. */
function noteOrphans(course: Course, event: EventOf<'agent-ended' | 'gate-ended' | 'room-tried'>): void {
  if (event.orphans !== undefined) patchWorker(course, event.worker, { orphaned: true })
}

function agentEnded(course: Course, event: EventOf<'agent-ended'>): void {
  noteOrphans(course, event)
  const { phase } = workerOf(course, event.worker)
  if (phase.is === 'reviewing') return afterOpinion(course, event.worker, event.reply)
  afterAgent(course, event.worker, event.reply)
}

function gateEnded(course: Course, event: EventOf<'gate-ended'>): void {
  noteOrphans(course, event)
  const { phase } = workerOf(course, event.worker)
  if (phase.is === 'baselining') return afterBaseline(course, event.worker, event.evidence)
  afterGate(course, event.worker, event.evidence)
}

/** A pause cuts a wait short without cancelling its timer: only the wait that the worker is still in leads on. */
function waitOver(course: Course, event: EventOf<'wait-over'>): void {
  const { phase } = workerOf(course, event.worker)
  if (phase.is === 'waiting' && phase.effect === event.effect) next(course, event.worker)
}

/** Looking at the tree may fail once for reasons of its own (a lock, a file that vanished under it). */
const LOOKS = 3
const LOOKING: ReadonlySet<string> = new Set(['survey', 'take-base', 'sort-changes', 'look-again'])

/** A handler could not do its job. Looking is tried again; anything else ends the work with the reason. */
function effectFailed(course: Course, event: EventOf<'effect-failed'>): void {
  const worker = workerOf(course, event.worker)
  decide(course, 'loop', 'trouble', event.problem)
  if (worker.phase.is === 'finished') return
  // Nothing is tried again in a run that is to stop, and what went wrong is no longer what ends it.
  if (isStopping(course, worker.id)) return leave(course, event)
  if (LOOKING.has(course.answered?.type ?? '') && worker.failedLooks + 1 < LOOKS) {
    patchWorker(course, worker.id, { failedLooks: worker.failedLooks + 1 })
    return askAgain(course, worker.id)
  }
  const why = event.hint === null ? event.problem : `${event.problem}. ${event.hint}`
  finish(course, event.worker, { is: 'failed', why })
}

/** Nobody knows what became of it: ask again, unless the run is to stop. Agents that ran never come here: their log answers. */
function effectLost(course: Course, event: EventOf<'effect-lost'>): void {
  if (isStopping(course, event.worker)) return leave(course, event)
  decide(course, 'loop', 'repeat', 'an effect was cut off and is asked again')
  askAgain(course, event.worker)
}

/** What the worker was at is over; a wait that it had left before concerns nobody. */
function leave(course: Course, event: EventOf<'effect-lost' | 'effect-failed'>): void {
  const { phase } = workerOf(course, event.worker)
  if ('effect' in phase && phase.effect === event.effect) next(course, event.worker)
}

function askAgain(course: Course, id: WorkerId): void {
  const { phase } = workerOf(course, id)
  const effect = course.answered
  if (effect === undefined || !('effect' in phase) || phase.effect !== effect.id) return
  // Those of early versions were turned into looks when their state was read.
  if (effect.type === 'guard' || effect.type === 'restore') return
  const { id: _, ...wanted } = effect
  enter(course, id, { ...phase, effect: ask(course, wanted) })
}

function isLate(house: House, event: Event): boolean {
  return 'effect' in event && house.run.open[event.effect] === undefined
}

/** Takes an answered effect off the open list. */
function closed(course: Course, event: Event): Course {
  if (!('effect' in event) || !ANSWERS.has(event.type)) return course
  const { [event.effect]: answered, ...open } = course.house.run.open
  patchRun(course, { open })
  course.answered = answered
  return course
}
