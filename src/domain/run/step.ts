/**
 * The core: what follows from what happened. Pure, so a night can be replayed and a simulator can drive years of bad ones.
 *
 * A router over machines: each event goes to the machine that its worker's phase belongs to, and what a stage gives leads along its line
 * (`worker/gave.ts`). An iteration walks one way: survey (if something else ran since) → admit → agent → survey → commit → remember → weigh → prove,
 * and from there either the run ends or the next one begins.
 */
import { holdBack, spendCrossed } from '../call/call.ts'
import { afterBaseline, baseTaken, roomFitted } from '../completion/baseline.ts'
import { changesSorted, lookedAgain, roomTried } from '../completion/climbing.ts'
import { afterGate, prove } from '../completion/prove.ts'
import { afterOpinion, beginOpinion, opinionChecked } from '../completion/second-opinion.ts'
import { wasRestored } from '../completion/reader-back.ts'
import { paperTaken, wasCleared } from '../draft/weigh-draft.ts'
import type { Now, WorkerId } from '../ids.ts'
import { afterAgent, afterCommit, afterKept, afterSurvey } from '../iteration/after.ts'
import { cameToNothing } from '../iteration/choose-model.ts'
import { beginWork, next } from '../iteration/next.ts'
import { surveyed, takeFooting } from '../iteration/surveyed.ts'
import { never } from '../machine.ts'
import type { Decision } from './decision.ts'
import type { Stage } from '../pipeline/pipeline.ts'
import { followLines, type Given } from '../worker/gave.ts'
import { wasPutBack } from '../worker/put-back.ts'
import { claimLost, nothingReady, taskClaimed, taskSettled } from '../worker/take.ts'
import { taskAsked } from '../worker/task-asked.ts'
import { waitFor } from '../worker/wait.ts'
import { effectFailed, effectLost, lookedWell } from './cut-off.ts'
import type { Effect } from './effect.ts'
import { isAnswer, mayAnswer, type Event, type EventOf } from './event.ts'
import type { House } from './house.ts'
import { continueRun, startRun } from './start.ts'
import { endEarly, obey } from './steer.ts'
import {
  beginStep,
  decide,
  decideForRun,
  patchRun,
  patchWorker,
  workerOf,
  type Course,
} from './step-so-far.ts'

/** Bumped whenever the same event may lead to another decision; `replay --check` refolds only rows of its own number. */
export const RULES = 1

export interface Step {
  house: House
  effects: Effect[]
  decisions: Decision[]
}

export function step(house: House | null, event: Event, now: Now): Step {
  if (event.type === 'run-started') return finishStep(startRun(event, now))
  if (house === null) throw new Error(`${event.type} came before run-started`)
  const course = beginStep(house, now)
  if (house.run.is === 'ended') ignore(course, event, 'came after the end of the run')
  else if (isLate(house, event)) ignore(course, event, 'answers an effect that is no longer open')
  else {
    follow(closed(course, event), event)
    followLines(course, (stage, given) => beginStage(course, stage, given))
  }
  return finishStep(course)
}

function ignore(course: Course, event: Event, why: string): void {
  const said = `${event.type} ${why}`
  if ('worker' in event) decide(course, event.worker, 'loop', 'ignore', said)
  else decideForRun(course, 'loop', 'ignore', said)
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
    case 'task-claimed':
      return taskClaimed(course, event)
    case 'nothing-ready':
      return nothingReady(course, event)
    case 'task-settled':
      return taskSettled(course, event)
    case 'put-back':
      return putBackWhere(course, event)
    case 'knowledge-kept':
      return afterKept(course, event)
    case 'paper-taken':
      return paperTaken(course, event)
    case 'claim-lost':
      return lose(course, event)
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

function beginStage(course: Course, { deed }: Stage, { worker, said }: Given): void {
  switch (deed) {
    case 'work':
      return workAgain(course, worker, said)
    case 'draft':
      return next(course, worker)
    case 'prove':
      if (said === null || !('completion' in said))
        throw new Error('nothing was claimed, so nothing is proven')
      return prove(course, worker, said.completion)
    default:
      return never(deed)
  }
}

/** A task that is worked on again says why; an agent that failed gets its rest first. */
function workAgain(course: Course, id: WorkerId, said: Given['said']): void {
  if (said === null || !('because' in said)) return next(course, id)
  cameToNothing(course, id, { stuck: said.gaveUp === true })
  const { task } = taskAsked(workerOf(course, id))
  if (task !== undefined)
    decide(
      course,
      id,
      'task',
      'retry',
      `${task.id} is worked on again, visit ${task.visit} of ${task.of}: ${said.because}`,
    )
  if (said.afterMs === undefined) return next(course, id)
  waitFor(course, id, said.afterMs, said.because)
}

/** What runs for a lost task is ended at once. */
function lose(course: Course, event: EventOf<'claim-lost'>): void {
  const id = claimLost(course, event)
  if (id !== null) endEarly(course, workerOf(course, id), { now: false })
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

/** What a look shows is for whoever asked for it. A late one, of a phase that is over, was sorted out before. */
function surveyedWhere(course: Course, event: EventOf<'surveyed'>): void {
  const { phase } = workerOf(course, event.worker)
  takeFooting(course, event)
  switch (phase.is) {
    case 'claiming':
    case 'idle':
    case 'putting-back':
    case 'settling':
      return
    case 'surveying':
      return surveyed(course, event, phase.for)
    case 'measuring':
      return afterSurvey(course, event, phase)
    case 'checking':
      return opinionChecked(course, event)
    case 'admitting':
    case 'waiting':
    case 'working':
    case 'committing':
    case 'remembering':
    case 'basing':
    case 'baselining':
    case 'fitting':
    case 'proving':
    case 'reviewing':
    case 'restoring':
    case 'clearing':
    case 'taking':
    case 'asking':
    case 'paused':
    case 'finished':
      return
    default:
      return never(phase)
  }
}

function putBackWhere(course: Course, event: EventOf<'put-back'>): void {
  const { phase } = workerOf(course, event.worker)
  if (phase.is === 'restoring') return wasRestored(course, event)
  return phase.is === 'clearing' ? wasCleared(course, event) : wasPutBack(course, event)
}

function roomTriedWhere(course: Course, event: EventOf<'room-tried'>): void {
  noteOrphans(course, event)
  const trial = course.answered
  if (trial?.type === 'try-room' && trial.purpose === 'fitness') return roomFitted(course, event)
  roomTried(course, event)
}

/** Who was left in the project may change it at any time, as an agent's. */
function noteOrphans(course: Course, event: EventOf<'agent-ended' | 'gate-ended' | 'room-tried'>): void {
  if (event.orphans !== undefined) patchWorker(course, event.worker, { orphaned: true })
}

function agentEnded(course: Course, event: EventOf<'agent-ended'>): void {
  noteOrphans(course, event)
  const call = course.answered
  if (call?.type !== 'run-agent') return
  const { role } = call
  switch (role) {
    case 'work':
      return afterAgent(course, event.worker, event.reply)
    case 'opinion':
      return afterOpinion(course, event.worker, event.reply)
    default:
      return never(role)
  }
}

function gateEnded(course: Course, event: EventOf<'gate-ended'>): void {
  noteOrphans(course, event)
  const gate = course.answered
  if (gate?.type !== 'run-gate') return
  const { purpose } = gate
  switch (purpose) {
    case 'baseline':
      return afterBaseline(course, event.worker, event.evidence)
    case 'completion':
      return afterGate(course, event.worker, event.evidence)
    default:
      return never(purpose)
  }
}

/** A pause cuts a wait short without cancelling its timer: only the wait that the worker is still in leads on. */
function waitOver(course: Course, event: EventOf<'wait-over'>): void {
  const { phase } = workerOf(course, event.worker)
  if (phase.is === 'waiting' && phase.effect === event.effect) next(course, event.worker)
}

/** Nobody waits for it any more, or it is no answer to what was asked. */
function isLate(house: House, event: Event): boolean {
  if (!('effect' in event)) return false
  const effect = house.run.open[event.effect]
  return effect === undefined || (isAnswer(event) && !mayAnswer(event, effect))
}

/** Takes an answered effect off the open list. */
function closed(course: Course, event: Event): Course {
  if (!isAnswer(event)) return course
  const { [event.effect]: answered, ...open } = course.house.run.open
  patchRun(course, { open })
  course.answered = answered
  lookedWell(course, event)
  return course
}
