/** What an iteration means to its worker's breaker. */
import type { WorkerId } from '../ids.ts'
import { breakerAfterIteration, type BreakerInput } from './breaker.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../state/context.ts'

export function updateBreaker(ctx: StepContext, id: WorkerId, moved: BreakerInput): void {
  const before = workerOf(ctx, id).breaker
  const breaker = breakerAfterIteration(before, moved, ctx.state.run.rules.breaker, ctx.now.at)
  patchWorker(ctx, id, { breaker })
  if (breaker.is === before.is) return
  const why = breaker.is === 'closed' ? 'the agent made progress again' : breaker.reason
  recordDecision(ctx, id, 'breaker', breaker.is, why)
  // A conversation that led into a dead end is not resumed.
  if (breaker.is === 'open') patchWorker(ctx, id, { conversation: null })
}
