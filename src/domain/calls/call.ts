/**
 * One agent process, whatever its role: who takes it, whether it is admitted, what it may spend, and what it came to. Quota,
 * reservation, limits, outages and fail-over are the same for all of them and stand here once; what a role does with a reply is its own
 * (`stages/`).
 *
 * A call that nobody can take now waits. Afterwards its stage begins again.
 */
import type { EffectId, Instant, Millis, WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import type { Reply } from '../reply/reply.ts'
import type { OutageWait, RunAgent } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import { finish, release } from '../pipeline/finish.ts'
import { ask, decide, enter, patchRun, patchWorker, type Course } from '../state/context.ts'
import type { Phase } from '../state/state.ts'
import { sayDuration } from '../text/kind.ts'
import { mayBegin, spentMs } from '../admission/admission.ts'
import { abortEffect } from '../pipeline/abort.ts'
import { leave } from '../pipeline/pause.ts'
import { wait, waitUntil } from '../pipeline/wait.ts'
import {
  isOverdrawn,
  leftInFlight,
  reserve,
  settle,
  tokensOf,
  wallWithin,
  withReservation,
  withSpending,
} from '../admission/budget.ts'
import { isAttempt } from '../admission/retry-policy.ts'
import { chooseAgent, describeRests, outOfReach, restsByAgent } from '../admission/cooldown.ts'
import type { Role } from './role.ts'
import { troubleIn } from './failure.ts'

/** How a call comes to an agent. */
export type WayToAgent =
  | { is: 'free'; agent: string }
  | { is: 'wait'; until: Instant; forMs: Millis | null; why: string; outage?: OutageWait }
  /** Nobody could be reached for too long. */
  | { is: 'leave'; why: string }
  /** Waiting cures none of them. */
  | { is: 'nobody'; why: string }

/** Who of these takes the next call: the first that is free, in the order of the user. */
export function wayTo(course: Course, order: string[]): WayToAgent {
  const { run } = course.house
  const { unusable, rules } = run
  const usable = order.filter((name) => unusable[name] === undefined)
  if (usable.length === 0) return { is: 'nobody', why: whyUnusable(course, order) }
  const rests = restsByAgent(run, usable)
  const nobody = outOfReach(usable, rests)
  const patience = nobody === null ? 0 : nobody.sinceUp + rules.retry.outageMs - course.now.up
  const describe = (): string => describeRests(usable, rests)
  // Asked before somebody is tried once more: agents that take long to fail would go round for ever.
  if (nobody !== null && patience <= 0) {
    const long = sayDuration(rules.retry.outageMs)
    return { is: 'leave', why: `no agent could be reached for ${long}: ${describe()}` }
  }
  const choice = chooseAgent(usable, rests, course.now)
  if (choice.agent !== null) return { is: 'free', agent: choice.agent }
  if (nobody === null) return { is: 'wait', until: choice.until, forMs: null, why: describe() }
  const forMs = Math.min(nobody.nextUp - course.now.up, patience)
  const outage = { since: nobody.since, givesUpAt: course.now.at + patience }
  return { is: 'wait', until: course.now.at + forMs, forMs, why: describe(), outage }
}

function whyUnusable(course: Course, order: string[]): string {
  const { unusable } = course.house.run
  return order.flatMap((name) => unusable[name] ?? []).join(' ')
}

/** True: no limit and no breaker is in the way. Otherwise the worker waits or ends here. */
export function passesLimits(course: Course, id: WorkerId): boolean {
  const may = mayBegin(course, id)
  if (may.is === 'wait') waitUntil(course, id, may.until, may.why)
  if (may.is === 'never') finish(course, id, may.ending)
  return may.is === 'yes'
}

/** Goes the way that was found. */
export function takeWay(course: Course, id: WorkerId, role: Role, way: WayToAgent): void {
  switch (way.is) {
    case 'free':
      return admit(course, id, role, way.agent)
    case 'wait': {
      const { is: _, ...wanted } = way
      return wait(course, id, wanted)
    }
    case 'leave':
      return leave(course, id, way.why)
    case 'nobody':
      return finish(course, id, { is: 'agent_unusable', why: way.why })
    default:
      return never(way)
  }
}

/** Money is set aside, then the quota is asked: in the very transaction that asks, from the calls of all runs. */
function admit(course: Course, id: WorkerId, role: Role, agent: string): void {
  const { rules, budget } = course.house.run
  const reservation = reserve(budget, rules.budget, spentMs(course))
  if (!reservation.ok) return finish(course, id, { is: reservation.limit, why: reservation.why })
  patchRun(course, { budget: withReservation(budget, id, reservation) })
  const effect = ask(course, {
    type: 'admit-iteration',
    worker: id,
    ...(role === 'work' ? {} : { role }),
    iteration: callNumber(course, id, role),
    quota: rules.quota,
    reserveUsd: reservation.usd,
  })
  enter(course, id, { is: 'admitting', effect, agent, role })
}

/** Work begins an iteration; every other call belongs to the one that is there. */
export function callNumber(course: Course, id: WorkerId, role: Role): number {
  const iteration = course.house.workers[id]?.iteration ?? 0
  return role === 'work' ? iteration + 1 : iteration
}

/** The quota is spent: give the reservation back and wait for the next hour. */
export function holdBack(course: Course, event: EventOf<'held-back'>): void {
  release(course, event.worker)
  decide(course, event.worker, 'quota', 'wait', event.why)
  waitUntil(course, event.worker, event.until, event.why)
}

/** What a stage says of its call; who takes it, its number and its limits are the same for all. */
export type CallWanted = Omit<RunAgent, 'type' | 'iteration' | 'agent' | 'role' | 'prompt' | keyof CallLimits>

/** The call was admitted: its agent starts, and nobody knows yet what it leaves in the tree. */
export function startCall(
  course: Course,
  id: WorkerId,
  { agent, role }: Extract<Phase, { is: 'admitting' }>,
  wanted: CallWanted,
): EffectId {
  patchWorker(course, id, { measured: false })
  return ask(course, {
    type: 'run-agent',
    worker: id,
    iteration: callNumber(course, id, role),
    agent,
    role,
    prompt: course.house.run.rules.loop.prompt,
    ...wanted,
    ...limitsOf(course, id),
  })
}

type CallLimits = Pick<RunAgent, 'limits' | 'usdLeft' | 'tokensLeft'>

/** What every call gets of the limits: its own, as far as the run still has time and money. */
export function limitsOf(course: Course, id: WorkerId): CallLimits {
  const { rules, budget } = course.house.run
  const left = leftInFlight(budget, rules.budget, id)
  const { limits } = rules.agent
  return {
    limits: { ...limits, wallMs: wallWithin(limits.wallMs, rules.budget, spentMs(course)) },
    usdLeft: left.usd,
    tokensLeft: left.tokens,
  }
}

/**
 * Tenths of the allowance. What is spent is set aside at once, so that nobody else is promised it; at ten, or when all workers together have
 * no more, the budget is gone while the agent still works.
 */
export function spendCrossed(course: Course, event: EventOf<'spend-crossed'>): void {
  const { run, workers } = course.house
  const phase = workers[event.worker]?.phase
  const effect = run.open[event.effect]
  if (phase === undefined || !('aborting' in phase) || effect?.type !== 'run-agent') return
  const allowed = { usd: effect.usdLeft, tokens: effect.tokensLeft }
  const budget = withSpending(run.budget, event.worker, event.usage, allowed)
  patchRun(course, { budget })
  if (phase.aborting !== null || (event.tenth < 10 && !isOverdrawn(budget, run.rules.budget))) return
  decide(
    course,
    event.worker,
    'budget',
    'abort',
    'the budget is spent, so the agent is ended in the middle of its work',
  )
  enter(course, event.worker, { ...phase, aborting: 'budget' })
  abortEffect(course, event.worker, { target: phase.effect, why: 'budget', now: false })
}

/** The money is settled as soon as the process has ended. */
export function settleCall(course: Course, id: WorkerId, reply: Reply): void {
  // A call that was refused at the door costs nothing.
  if (refusedAtTheDoor(reply)) return release(course, id)
  const { budget, rules } = course.house.run
  const bill = { usage: reply.usage, cutOff: reply.end === 'interrupted' }
  patchRun(course, { budget: settle(budget, rules.budget, id, bill) })
}

/** A limit, an outage or a bad key before the agent did anything, and no cost told: neither spent nor unknown. */
export function refusedAtTheDoor(reply: Reply): boolean {
  const trouble = troubleIn(reply, { worked: false })
  if (trouble === null || isAttempt(trouble.remedy) || reply.tools > 0) return false
  return reply.usage === null || (tokensOf(reply.usage) === 0 && (reply.usage.usd ?? 0) === 0)
}
