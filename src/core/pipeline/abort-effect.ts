/** Ends whatever runs for a worker. The effect is still answered, if only by `effect-lost`. */
import type { WorkerId, EffectId } from '../ids.ts'
import type { Worker } from '../state/state.ts'
import { requestEffect, enterPhase, type StepContext } from '../state/context.ts'

export function abortRunningEffect(ctx: StepContext, { id, phase }: Worker, { now }: { now: boolean }): void {
  if (!('effect' in phase)) return
  // The agent's process remembers why it is ended.
  if ('aborting' in phase) enterPhase(ctx, id, { ...phase, aborting: 'stop' })
  abortEffect(ctx, id, { target: phase.effect, why: 'stop', now })
}

export function abortEffect(
  ctx: StepContext,
  worker: WorkerId,
  how: { target: EffectId; why: 'stop' | 'budget'; now: boolean },
): void {
  requestEffect(ctx, { type: 'abort', worker, ...how })
}
