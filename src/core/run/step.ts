/**
 * The core: what follows from what happened. Pure, so a night can be replayed and a simulator can drive years of bad ones.
 *
 * A router: an event goes by its effect to its worker, and by the worker's position in its pipeline to a stage (`stages/`). What a stage
 * hands back leads along the pipeline (`continue-worker.ts`). An iteration goes one way: snapshot (if something else ran since) → admit →
 * agent → snapshot → commit → save knowledge → evaluate, and then the completion is proven, or the next iteration begins.
 */
import { handleSpendThreshold } from '../calls/call.ts'
import type { Now } from '../ids.ts'
import { continueWorker } from '../pipeline/finish-stage.ts'
import { stageModuleOf, type StageEvent, type StageTable } from '../pipeline/stage.ts'
import { STAGES } from '../stages/stages.ts'
import { updateBranchState } from '../tree/request-snapshot.ts'
import { onTaskReverted } from '../workers/revert-task.ts'
import { onClaimLost, onNothingReady, onTaskClaimed, onTaskFinished } from '../workers/on-task-events.ts'
import { processHandovers } from './process-handovers.ts'
import { onEffectFailed, onEffectLost, resetFailedSnapshots } from './on-effect-failed.ts'
import type { Decision } from '../state/decision.ts'
import type { Effect } from '../state/effect.ts'
import { isEffectAnswer, canAnswerEffect, type Event, type EventOf } from '../state/event.ts'
import type { RunState } from '../state/state.ts'
import { resumeRun, startRun } from './start-run.ts'
import { abortWorker, applyRequest } from './apply-request.ts'
import {
  createStepContext,
  recordDecision,
  recordRunDecision,
  patchRun,
  patchWorker,
  workerOf,
  type StepContext,
} from '../state/context.ts'

/** Bumped whenever the same event may lead to another decision; `replay --check` refolds only rows of its own number. */
export const RULES_VERSION = 1

export interface StepResult {
  state: RunState
  effects: Effect[]
  decisions: Decision[]
}

export function step(state: RunState | null, event: Event, now: Now): StepResult {
  return stepWithStages(STAGES, state, event, now)
}

/** The same with other stages. */
export function stepWithStages(stages: StageTable, state: RunState | null, event: Event, now: Now): StepResult {
  if (event.type === 'run-started') return finishStep(startRun(event, now, stages))
  if (state === null) throw new Error(`${event.type} came before run-started`)
  const ctx = createStepContext(state, now, stages)
  if (state.run.is === 'ended') ignore(ctx, event, 'came after the end of the run')
  else if (isLate(state, event)) ignore(ctx, event, 'answers an effect that is no longer open')
  else {
    dispatchEvent(closeAnsweredEffect(ctx, event), event)
    processHandovers(ctx)
  }
  return finishStep(ctx)
}

function ignore(ctx: StepContext, event: Event, why: string): void {
  const said = `${event.type} ${why}`
  if ('worker' in event) recordDecision(ctx, event.worker, 'loop', 'ignore', said)
  else recordRunDecision(ctx, 'loop', 'ignore', said)
}

function finishStep(ctx: StepContext): StepResult {
  return { state: ctx.state, effects: ctx.effects, decisions: ctx.decisions }
}

type Handlers<T extends Event['type']> = { readonly [K in T]: (ctx: StepContext, event: EventOf<K>) => void }

/** A fact for the record and the screens; nothing follows from it. */
const NOTHING = (): void => undefined

/** What follows from events that are not for a stage. */
const OF_THE_RUN: Handlers<Exclude<Event['type'], StageEvent['type'] | 'run-started'>> = {
  'run-resumed': resumeRun,
  'agent-started': NOTHING,
  'agent-denied': NOTHING,
  'conversation-known': NOTHING,
  aborted: NOTHING,
  'clock-jumped': NOTHING,
  remark: NOTHING,
  'spend-threshold-crossed': handleSpendThreshold,
  'wait-ended': onWaitEnded,
  'task-claimed': onTaskClaimed,
  'nothing-ready': onNothingReady,
  'task-finished': onTaskFinished,
  'claim-lost': abortLostTask,
  'run-ended': (ctx, { outcome }) => patchRun(ctx, { is: 'ended', outcome }),
  'run-suspended': (ctx, { outcome }) => patchRun(ctx, { is: 'left', outcome }),
  'effect-failed': onEffectFailed,
  'effect-lost': onEffectLost,
  'request-received': (ctx, { request }) => applyRequest(ctx, request),
}

/** One event, one consequence. */
function dispatchEvent(ctx: StepContext, event: Exclude<Event, { type: 'run-started' }>): void {
  if (isForStage(event)) return toStage(ctx, event)
  call(OF_THE_RUN, ctx, event)
}

function isForStage(event: Exclude<Event, { type: 'run-started' }>): event is StageEvent {
  return !Object.hasOwn(OF_THE_RUN, event.type)
}

/** The table's types say that each entry takes the event of its name; a union cannot be followed through it by the compiler. */
function call(table: object, ctx: StepContext, event: Event): void {
  const handlers = table as Readonly<Partial<Record<Event['type'], (ctx: StepContext, event: Event) => void>>>
  handlers[event.type]?.(ctx, event)
}

/** Every other event is for the stage that the worker is at. A late one, of a phase that is over, was sorted out before. */
function toStage(ctx: StepContext, event: StageEvent): void {
  const { worker: id } = event
  if (event.type === 'snapshot-taken') updateBranchState(ctx, event)
  // A process that was left in the project may change it at any time.
  if ('orphans' in event && event.orphans !== undefined) patchWorker(ctx, id, { hasOrphans: true })
  const { phase } = workerOf(ctx, id)
  if (event.type === 'reverted' && phase.is === 'reverting') return onTaskReverted(ctx, event)
  const stage = stageModuleOf(ctx, id)
  if (stage?.phases.includes(phase.is) === true) call(stage.on, ctx, event)
}

/** What runs for a lost task is ended at once. */
function abortLostTask(ctx: StepContext, event: EventOf<'claim-lost'>): void {
  const id = onClaimLost(ctx, event)
  if (id !== null) abortWorker(ctx, workerOf(ctx, id), { now: false })
}

/** A pause cuts a wait short without cancelling its timer: only the wait that the worker is still in leads on. */
function onWaitEnded(ctx: StepContext, event: EventOf<'wait-ended'>): void {
  const { phase } = workerOf(ctx, event.worker)
  if (phase.is === 'waiting' && phase.effect === event.effect) continueWorker(ctx, event.worker)
}

/** No effect waits for it any more, or it is not an answer to that effect. */
function isLate(state: RunState, event: Event): boolean {
  if (!('effect' in event)) return false
  const effect = state.run.open[event.effect]
  return effect === undefined || (isEffectAnswer(event) && !canAnswerEffect(event, effect))
}

/** Takes an answered effect off the open list. */
function closeAnsweredEffect(ctx: StepContext, event: Event): StepContext {
  if (!isEffectAnswer(event)) return ctx
  const { [event.effect]: answered, ...open } = ctx.state.run.open
  patchRun(ctx, { open })
  ctx.answered = answered
  resetFailedSnapshots(ctx, event)
  return ctx
}
