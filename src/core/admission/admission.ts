/** Admission: may the next call of an agent begin? Every limit is asked before an agent is started, the cheapest question first. */
import { computeReservation } from './budget.ts'
import type { Instant, Millis, WorkerId } from '../ids.ts'
import { halfOpenIfCooledDown } from './breaker.ts'
import type { Ending } from '../pipeline/end-worker.ts'
import type { LoopRules } from '../state/rules.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../state/context.ts'

/** Whether limits and the circuit breaker allow a call: now, at a later instant, or never. */
export type CallLimitCheck =
  | { is: 'yes' }
  | { is: 'wait'; until: Instant; why: string }
  | { is: 'never'; ending: Ending }

export function checkCallLimits(ctx: StepContext, id: WorkerId): CallLimitCheck {
  const ending = findReachedLimit(ctx, id)
  return ending === null ? checkBreaker(ctx, id) : { is: 'never', ending }
}

export function checkBreaker(ctx: StepContext, id: WorkerId): CallLimitCheck {
  const { breaker: rules } = ctx.state.run.rules
  const { breaker: before } = workerOf(ctx, id)
  const breaker = halfOpenIfCooledDown(before, rules, ctx.now.at)
  if (breaker !== before) {
    patchWorker(ctx, id, { breaker })
    const why = breaker.is === 'half-open' ? breaker.reason : 'cooldown over'
    recordDecision(ctx, id, 'breaker', breaker.is, why)
  }
  if (breaker.is !== 'open') return { is: 'yes' }
  const open = `the breaker is open: ${breaker.reason}`
  if (rules.wait) return { is: 'wait', until: breaker.openedAt + rules.cooldownMs, why: open }
  const { why, said = '', allow } = breaker
  const cause = { is: 'stuck' as const, why, said, ...(allow === undefined ? {} : { allow }) }
  return { is: 'never', ending: { is: 'breaker', why: open, cause } }
}

/** Null: another iteration may begin. */
export function findReachedLimit(
  ctx: StepContext,
  id: WorkerId,
): { is: 'iteration_limit' | 'cost_limit' | 'token_limit' | 'time_limit'; why: string } | null {
  const { run } = ctx.state
  const max = run.rules.loop.iterationsMax
  if (max > 0 && workerOf(ctx, id).counted >= max) return { is: 'iteration_limit', why: iterationsWhy(run.rules.loop) }
  const reservation = computeReservation(run.budget, run.rules.budget, elapsedRunMs(ctx))
  return reservation.ok ? null : { is: reservation.limit, why: reservation.why }
}

function iterationsWhy({ iterationsMax, once }: LoopRules): string {
  if (once === true) return 'one iteration as requested (--once)'
  return iterationsMax === 1 ? 'the run used its one iteration' : `the run used its ${iterationsMax} iterations`
}

export function elapsedRunMs(ctx: StepContext): Millis {
  return ctx.now.up - ctx.state.run.startedAwakeMs
}
