/** A waiting worker: until an instant, or for a duration of awake time. Afterwards its stage decides again. */
import type { Instant, Millis, WorkerId } from '../ids.ts'
import type { EffectOf } from '../state/effect.ts'
import { requestEffect, enterPhase, patchWorker, workerOf, type StepContext } from '../state/context.ts'

export function requestWaitUntil(ctx: StepContext, id: WorkerId, until: Instant, why: string): void {
  requestWait(ctx, id, { until, forMs: null, why })
}

export function requestWaitFor(ctx: StepContext, id: WorkerId, forMs: Millis, why: string): void {
  requestWait(ctx, id, { until: ctx.now.at + forMs, forMs, why })
}

export function requestWait(
  ctx: StepContext,
  id: WorkerId,
  wanted: Pick<EffectOf<'wait'>, 'until' | 'forMs' | 'why' | 'outage'>,
): void {
  invalidateSnapshot(ctx, id)
  const effect = requestEffect(ctx, { type: 'wait', worker: id, ...wanted })
  enterPhase(ctx, id, { is: 'waiting', effect, until: wanted.until, why: wanted.why })
}

/** A person may edit files during the wait: a new snapshot is taken before the next iteration. */
export function invalidateSnapshot(ctx: StepContext, id: WorkerId): void {
  const { seen } = workerOf(ctx, id)
  if (seen !== null) patchWorker(ctx, id, { seen: { ...seen, fresh: false } })
}
