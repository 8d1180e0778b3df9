/** Admission: may the next call of an agent begin? Every limit is asked before an agent is started, the cheapest question first. */
import { reserve } from './budget.ts'
import type { Instant, Millis, WorkerId } from '../ids.ts'
import { coolDown } from './breaker.ts'
import type { Ending } from '../pipeline/finish.ts'
import type { LoopRules } from '../state/rules.ts'
import { decide, patchWorker, workerOf, type Course } from '../state/context.ts'

/** Whether limits and the circuit breaker allow a call: now, at a later instant, or never. */
export type MayBegin =
  | { is: 'yes' }
  | { is: 'wait'; until: Instant; why: string }
  | { is: 'never'; ending: Ending }

export function mayBegin(course: Course, id: WorkerId): MayBegin {
  const ending = limitReached(course, id)
  return ending === null ? byBreaker(course, id) : { is: 'never', ending }
}

function byBreaker(course: Course, id: WorkerId): MayBegin {
  const { breaker: rules } = course.house.run.rules
  const { breaker: before } = workerOf(course, id)
  const breaker = coolDown(before, rules, course.now.at)
  if (breaker !== before) {
    patchWorker(course, id, { breaker })
    const why = breaker.is === 'half-open' ? breaker.reason : 'cool-down over'
    decide(course, id, 'breaker', breaker.is, why)
  }
  if (breaker.is !== 'open') return { is: 'yes' }
  const open = `the breaker is open: ${breaker.reason}`
  if (rules.wait) return { is: 'wait', until: breaker.openedAt + rules.cooldownMs, why: open }
  const { why, said = '', allow } = breaker
  const cause = { is: 'stuck' as const, why, said, ...(allow === undefined ? {} : { allow }) }
  return { is: 'never', ending: { is: 'breaker', why: open, cause } }
}

/** Null: another iteration may begin. */
export function limitReached(
  course: Course,
  id: WorkerId,
): { is: 'iteration_limit' | 'cost_limit' | 'token_limit' | 'time_limit'; why: string } | null {
  const { run } = course.house
  const max = run.rules.loop.iterationsMax
  if (max > 0 && workerOf(course, id).counted >= max)
    return { is: 'iteration_limit', why: iterationsWhy(run.rules.loop) }
  const reservation = reserve(run.budget, run.rules.budget, spentMs(course))
  return reservation.ok ? null : { is: reservation.limit, why: reservation.why }
}

function iterationsWhy({ iterationsMax, once }: LoopRules): string {
  if (once === true) return 'one iteration was asked for (--once) and made'
  return `${iterationsMax} ${iterationsMax === 1 ? 'iteration was' : 'iterations were'} allowed and made`
}

export function spentMs(course: Course): Millis {
  return course.now.up - course.house.run.startedUp
}
