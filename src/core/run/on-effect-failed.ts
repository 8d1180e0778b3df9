/** Effects that failed or were lost: a handler could not do its job, or its result is unknown. */
import { recordUnmeasuredEnd } from '../calls/record-iteration-end.ts'
import { continueWorker } from '../pipeline/finish-stage.ts'
import { stageModuleOf, type EffectFailure } from '../pipeline/stage.ts'
import type { WorkerId } from '../ids.ts'
import { isStopping, directiveOf } from '../admission/worker-directive.ts'
import { onTaskNotReverted } from '../workers/revert-task.ts'
import type { Effect } from '../state/effect.ts'
import type { EffectEvent, EventOf } from '../state/event.ts'
import { endWorker } from '../pipeline/end-worker.ts'
import { requestEffect, recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../state/context.ts'

/** A snapshot may fail once for a passing reason (a lock, a file that was deleted meanwhile). */
const LOOKS = 3
const LOOKING: ReadonlySet<Effect['type'] | undefined> = new Set([
  'snapshot',
  'resolve-base',
  'classify-changes',
  'check-final-tree',
] as const)

/** Failed snapshots in a row are counted until one succeeds, whatever its purpose. */
export function resetFailedSnapshots(ctx: StepContext, event: EffectEvent): void {
  if (event.type === 'effect-failed' || event.type === 'effect-lost') return
  if (LOOKING.has(ctx.answered?.type)) patchWorker(ctx, event.worker, { failedSnapshots: 0 })
}

/** A handler could not do its job. A snapshot is tried again; anything else ends the work with the reason. */
export function onEffectFailed(ctx: StepContext, event: EventOf<'effect-failed'>): void {
  const worker = workerOf(ctx, event.worker)
  recordDecision(ctx, worker.id, 'loop', 'failure', event.problem)
  if (worker.phase.is === 'finished') return
  const { answered: effect } = ctx
  if (isHandled(ctx, worker.id, { effect, why: event.problem, isLost: false })) return
  // In a run that is about to stop nothing is tried again, and the failure is not the reason of its end.
  if (isStopping(ctx, worker.id)) return continueStopped(ctx, event)
  if (LOOKING.has(ctx.answered?.type) && worker.failedSnapshots + 1 < LOOKS) {
    patchWorker(ctx, worker.id, { failedSnapshots: worker.failedSnapshots + 1 })
    return askAgain(ctx, worker.id)
  }
  const why = event.hint === null ? event.problem : `${event.problem}. ${event.hint}`
  recordUnmeasuredEnd(ctx, worker.id, 'lost', why)
  endWorker(ctx, event.worker, { is: 'failed', why })
}

/** The result is unknown: request it again, unless the run is about to stop. Agent calls never come here: their log answers. */
export function onEffectLost(ctx: StepContext, event: EventOf<'effect-lost'>): void {
  const { answered: effect } = ctx
  if (isHandled(ctx, event.worker, { effect, why: 'it was interrupted', isLost: true })) return
  if (isStopping(ctx, event.worker)) return continueStopped(ctx, event)
  const during = stageModuleOf(ctx, event.worker)?.describe(workerOf(ctx, event.worker))
  const what = during === undefined ? 'an operation was' : `${during}: an operation was`
  recordDecision(ctx, event.worker, 'loop', 'repeat', `${what} interrupted; repeating it`)
  askAgain(ctx, event.worker)
}

/** The stage that requested it decides what follows. */
function isHandled(ctx: StepContext, id: WorkerId, failure: EffectFailure): boolean {
  if (workerOf(ctx, id).phase.is !== 'reverting') return stageModuleOf(ctx, id)?.failed?.(ctx, id, failure) ?? false
  onTaskNotReverted(ctx, id, failure.why)
  return true
}

/** The worker's current effect is over; a lost wait that it had left before changes nothing. */
function continueStopped(ctx: StepContext, event: EventOf<'effect-lost' | 'effect-failed'>): void {
  const { phase } = workerOf(ctx, event.worker)
  if (!('effect' in phase) || phase.effect !== event.effect) return
  const order = directiveOf(ctx, event.worker)
  if (order.is !== 'go') recordUnmeasuredEnd(ctx, event.worker, 'stopped', order.why)
  continueWorker(ctx, event.worker)
}

function askAgain(ctx: StepContext, id: WorkerId): void {
  const { phase } = workerOf(ctx, id)
  const effect = ctx.answered
  if (effect === undefined || !('effect' in phase) || phase.effect !== effect.id) return
  const { id: _, ...wanted } = effect
  enterPhase(ctx, id, { ...phase, effect: requestEffect(ctx, wanted) })
}
