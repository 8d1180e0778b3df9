/**
 * The core: what follows from what happened. Pure, so a night can be replayed and a simulator can drive years of bad ones.
 *
 * A router: an event goes by its effect to its worker, and by the worker's position in its pipeline to a stage (`stages/`). What a stage
 * hands back leads along the pipeline (`continue-worker.ts`). An iteration walks one way: survey (if something else ran since) → admit →
 * agent → survey → commit → remember → weigh, and then the completion is proven, or the next iteration begins.
 */
import { holdBack, spendCrossed } from '../calls/call.ts'
import type { Now } from '../ids.ts'
import { proceed } from '../pipeline/finish-stage.ts'
import { stageOf, type StageEvent, type StageTable } from '../pipeline/stage.ts'
import { STAGES } from '../stages/stages.ts'
import { takeFooting } from '../tree/look.ts'
import { wasPutBack } from '../workers/put-back.ts'
import { claimLost, nothingReady, taskClaimed, taskSettled } from '../workers/take.ts'
import { followHandovers } from './continue-worker.ts'
import { effectFailed, effectLost, lookedWell } from './cut-off.ts'
import type { Decision } from '../state/decision.ts'
import type { Effect } from '../state/effect.ts'
import { isAnswer, mayAnswer, type Event, type EventOf } from '../state/event.ts'
import type { House } from '../state/state.ts'
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
} from '../state/context.ts'

/** Bumped whenever the same event may lead to another decision; `replay --check` refolds only rows of its own number. */
export const RULES = 1

export interface Step {
  house: House
  effects: Effect[]
  decisions: Decision[]
}

export function step(house: House | null, event: Event, now: Now): Step {
  return stepWith(STAGES, house, event, now)
}

/** The same with other stages. */
export function stepWith(stages: StageTable, house: House | null, event: Event, now: Now): Step {
  if (event.type === 'run-started') return finishStep(startRun(event, now, stages))
  if (house === null) throw new Error(`${event.type} came before run-started`)
  const course = beginStep(house, now, stages)
  if (house.run.is === 'ended') ignore(course, event, 'came after the end of the run')
  else if (isLate(house, event)) ignore(course, event, 'answers an effect that is no longer open')
  else {
    follow(closed(course, event), event)
    followHandovers(course)
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

type Handlers<T extends Event['type']> = { readonly [K in T]: (course: Course, event: EventOf<K>) => void }

/** A fact for the record and the screens; nothing follows from it. */
const NOTHING = (): void => undefined

/** What follows from events that are not for a stage. */
const OF_THE_RUN: Handlers<Exclude<Event['type'], StageEvent['type'] | 'run-started'>> = {
  'run-continued': continueRun,
  'held-back': holdBack,
  'agent-began': NOTHING,
  'agent-denied': NOTHING,
  'conversation-known': NOTHING,
  aborted: NOTHING,
  'clock-jumped': NOTHING,
  remark: NOTHING,
  'spend-crossed': spendCrossed,
  'wait-over': waitOver,
  'task-claimed': taskClaimed,
  'nothing-ready': nothingReady,
  'task-settled': taskSettled,
  'claim-lost': lose,
  'run-ended': (course, { outcome }) => patchRun(course, { is: 'ended', outcome }),
  'run-left': (course, { outcome }) => patchRun(course, { is: 'left', outcome }),
  'effect-failed': effectFailed,
  'effect-lost': effectLost,
  'request-received': (course, { request }) => obey(course, request),
}

/** One event, one consequence. */
function follow(course: Course, event: Exclude<Event, { type: 'run-started' }>): void {
  if (isForStage(event)) return toStage(course, event)
  call(OF_THE_RUN, course, event)
}

function isForStage(event: Exclude<Event, { type: 'run-started' }>): event is StageEvent {
  return !Object.hasOwn(OF_THE_RUN, event.type)
}

/** The table's types say that each entry takes the event of its name; a union cannot be followed through it by the compiler. */
function call(table: object, course: Course, event: Event): void {
  const handlers = table as Readonly<Partial<Record<Event['type'], (course: Course, event: Event) => void>>>
  handlers[event.type]?.(course, event)
}

/** Every other event is for the stage that the worker is at. A late one, of a phase that is over, was sorted out before. */
function toStage(course: Course, event: StageEvent): void {
  const { worker: id } = event
  if (event.type === 'surveyed') takeFooting(course, event)
  // Who was left in the project may change it at any time, as an agent's.
  if ('orphans' in event && event.orphans !== undefined) patchWorker(course, id, { orphaned: true })
  const { phase } = workerOf(course, id)
  if (event.type === 'put-back' && phase.is === 'putting-back') return wasPutBack(course, event)
  const stage = stageOf(course, id)
  if (stage?.phases.includes(phase.is) === true) call(stage.on, course, event)
}

/** What runs for a lost task is ended at once. */
function lose(course: Course, event: EventOf<'claim-lost'>): void {
  const id = claimLost(course, event)
  if (id !== null) endEarly(course, workerOf(course, id), { now: false })
}

/** A pause cuts a wait short without cancelling its timer: only the wait that the worker is still in leads on. */
function waitOver(course: Course, event: EventOf<'wait-over'>): void {
  const { phase } = workerOf(course, event.worker)
  if (phase.is === 'waiting' && phase.effect === event.effect) proceed(course, event.worker)
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
