/** The way to the next iteration: every limit is asked before an agent is started, the cheapest question first. */
import type { EffectOf } from '../run/effect.ts'
import type { EventOf } from '../run/event.ts'
import type { Instant, Millis, WorkerId } from '../ids.ts'
import { sayDuration } from '../text/kind.ts'
import type { LoopRules } from '../run/rules.ts'
import { coolDown, describeBreaker } from './breaker.ts'
import { leftInFlight, reserve, wallWithin, withReservation } from '../call/budget.ts'
import { resumable } from '../call/conversation.ts'
import { planComplete } from './exit.ts'
import { ask, decide, enter, patchRun, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { finish, release, restIfIdle } from '../run/finish.ts'
import { chooseAgent, describeRests, outOfReach, type OutOfReach } from '../call/rest.ts'

/** Begins the next iteration of a worker, or waits, pauses or ends. */
export function next(course: Course, id: WorkerId): void {
  const { run } = course.house
  const { rules } = run
  const worker = workerOf(course, id)
  if (worker.phase.is === 'finished') return
  if (run.is === 'stopping')
    return finish(course, id, { is: run.stopAs, why: run.why ?? 'a stop was asked for' })
  if (run.is === 'pausing' || run.is === 'paused')
    return pause(course, id, run.why ?? 'a pause was asked for')
  if (run.is === 'leaving' || run.is === 'left') return stepAside(course, id)
  // No limit and no breaker stands before what costs nothing: the plan is looked at once more, and its claim is proven.
  if (claimsByPlan(course, id)) return survey(course, id, 'before')
  const limit = limitReached(course, id)
  if (limit !== null) return finish(course, id, limit)
  const breaker = coolDown(worker.breaker, rules.breaker, course.now.at)
  if (breaker !== worker.breaker) {
    patchWorker(course, id, { breaker })
    decide(course, 'breaker', 'half-open', breaker.is === 'half-open' ? breaker.reason : 'cool-down over')
  }
  if (breaker.is === 'open') {
    if (!rules.breaker.wait) {
      const { why, said = '', allow } = breaker
      return finish(course, id, {
        is: 'breaker',
        why: `the breaker is open: ${breaker.reason}`,
        cause: { is: 'stuck', why, said, ...(allow === undefined ? {} : { allow }) },
      })
    }
    return waitUntil(
      course,
      id,
      breaker.openedAt + rules.breaker.cooldownMs,
      `the breaker is open: ${breaker.reason}`,
    )
  }
  const usable = rules.agent.order.filter((name) => run.unusable[name] === undefined)
  if (usable.length === 0)
    return finish(course, id, { is: 'agent_unusable', why: Object.values(run.unusable).join(' ') })
  const nobody = outOfReach(usable, run.rests)
  // Asked before somebody is tried once more: agents that take long to fail would go round for ever.
  if (nobody !== null && patience(course, nobody) <= 0) return leave(course, id, usable)
  const choice = chooseAgent(usable, run.rests, course.now)
  if (choice.agent === null) return waitForAgents(course, id, { usable, until: choice.until, nobody })
  if (worker.seen === null || !worker.seen.fresh) return survey(course, id, 'before')
  admit(course, id, choice.agent)
}

/** The plan alone says that all is done, and nobody has been told yet that it is not: no agent is needed to find out. */
export function claimsByPlan(course: Course, id: WorkerId): boolean {
  const { boxes, refusals, iteration, corrections } = workerOf(course, id)
  if (!planComplete(boxes) || refusals > 0) return false
  // Whoever said something, or did not accept the last run's claim, wants it heard.
  return course.house.run.steering.length === 0 && (iteration > 0 || corrections.length === 0)
}

function limitReached(
  course: Course,
  id: WorkerId,
): { is: 'iteration_limit' | 'cost_limit' | 'token_limit' | 'time_limit'; why: string } | null {
  const { run } = course.house
  const max = run.rules.loop.iterationsMax
  if (max > 0 && workerOf(course, id).counted >= max) {
    return {
      is: 'iteration_limit',
      why: iterationsWhy(run.rules.loop),
    }
  }
  const reservation = reserve(run.budget, run.rules.budget, spentMs(course))
  return reservation.ok ? null : { is: reservation.limit, why: reservation.why }
}

function iterationsWhy({ iterationsMax, once }: LoopRules): string {
  if (once === true) return 'one iteration was asked for (--once) and made'
  return `${iterationsMax} ${iterationsMax === 1 ? 'iteration was' : 'iterations were'} allowed and made`
}

function spentMs(course: Course): Millis {
  return course.now.up - course.house.run.startedUp
}

export function survey(course: Course, id: WorkerId, why: 'start' | 'before'): void {
  const worker = workerOf(course, id)
  const effect = ask(course, {
    type: 'survey',
    worker: id,
    for: why,
    iteration: worker.iteration + 1,
    since: worker.seen?.tree ?? null,
    sinceHead: worker.seen?.head ?? null,
  })
  enter(course, id, { is: 'surveying', effect, for: why })
}

function admit(course: Course, id: WorkerId, agent: string): void {
  const { rules, budget } = course.house.run
  const reservation = reserve(budget, rules.budget, spentMs(course))
  if (!reservation.ok) return finish(course, id, { is: reservation.limit, why: reservation.why })
  patchRun(course, { budget: withReservation(budget, id, reservation.usd) })
  const iteration = workerOf(course, id).iteration + 1
  const effect = ask(course, {
    type: 'admit-iteration',
    worker: id,
    iteration,
    quota: rules.quota,
    reserveUsd: reservation.usd,
  })
  enter(course, id, { is: 'admitting', effect, agent })
}

/** The quota is spent: give the reservation back and wait for the next hour. */
export function holdBack(course: Course, event: EventOf<'held-back'>): void {
  release(course, event.worker)
  decide(course, 'quota', 'wait', event.why)
  waitUntil(course, event.worker, event.until, event.why)
}

/** Admitted: the call is counted, the agent starts. */
export function beginAgent(course: Course, id: WorkerId): void {
  const { run } = course.house
  const worker = workerOf(course, id)
  if (worker.phase.is !== 'admitting') return
  const { agent } = worker.phase
  const iteration = worker.iteration + 1
  const left = leftInFlight(run.budget, run.rules.budget, id)
  const { limits, model, effort, tools, permission, maxTurns, output, format } = run.rules.agent
  const resume = resumable(worker.conversation, run.rules.agent, agent, course.now.at)
  const effect = ask(course, {
    type: 'run-agent',
    worker: id,
    iteration,
    agent,
    role: 'work',
    context: {
      iteration,
      openBoxes: worker.boxes?.open ?? null,
      breaker: describeBreaker(worker.breaker),
      previous: worker.previous,
      corrections: worker.corrections,
      steering: run.steering.map((one) => one.text),
    },
    prompt: run.rules.loop.prompt,
    how: {
      model,
      effort,
      tools,
      permission,
      maxTurns,
      output,
      ...(format === undefined ? {} : { format }),
    },
    resume,
    resumeUsage: resume === null ? null : (worker.conversation?.usage ?? null),
    previousLength: worker.lastLength,
    limits: { ...limits, wallMs: wallWithin(limits.wallMs, run.rules.budget, spentMs(course)) },
    usdLeft: left.usd,
    tokensLeft: left.tokens,
  })
  for (const one of run.steering)
    decide(course, 'steer', 'apply', `told the agent in iteration ${iteration}: ${one.text}`)
  patchRun(course, { steering: [] })
  // Corrections stay until an agent has worked with them: one that meets its usage limit at once has not.
  patchWorker(course, id, { iteration, measured: false })
  enter(course, id, { is: 'working', effect, agent, aborting: null })
}

export function waitUntil(course: Course, id: WorkerId, until: Instant, why: string): void {
  wait(course, id, { until, forMs: null, why })
}

export function waitFor(course: Course, id: WorkerId, forMs: Millis, why: string): void {
  wait(course, id, { until: course.now.at + forMs, forMs, why })
}

function wait(
  course: Course,
  id: WorkerId,
  wanted: Pick<EffectOf<'wait'>, 'until' | 'forMs' | 'why' | 'outage'>,
): void {
  unsee(course, id)
  const effect = ask(course, { type: 'wait', worker: id, ...wanted })
  enter(course, id, { is: 'waiting', effect, until: wanted.until, why: wanted.why })
}

/** Nobody is free: until the first reset, or with back-off while nobody can be reached at all. */
function waitForAgents(
  course: Course,
  id: WorkerId,
  { usable, until, nobody }: { usable: string[]; until: Instant; nobody: OutOfReach | null },
): void {
  const why = describeRests(usable, course.house.run.rests)
  if (nobody === null) return waitUntil(course, id, until, why)
  const left = patience(course, nobody)
  const forMs = Math.min(nobody.nextUp - course.now.up, left)
  const outage = { since: nobody.since, givesUpAt: course.now.at + left }
  wait(course, id, { until: course.now.at + forMs, forMs, why, outage })
}

/** How much longer an outage is waited out. */
function patience(course: Course, nobody: OutOfReach): Millis {
  return nobody.sinceUp + course.house.run.rules.retry.outageMs - course.now.up
}

/** Waiting longer is for a person to decide. Who works finishes first; then the engine goes and the run stays unfinished. */
function leave(course: Course, id: WorkerId, usable: string[]): void {
  const { rests, rules } = course.house.run
  const why = `no agent could be reached for ${sayDuration(rules.retry.outageMs)}: ${describeRests(usable, rests)}`
  decide(course, 'retry', 'leave', `${why}; the run is left unfinished`)
  patchRun(course, { is: 'leaving', why })
  stepAside(course, id)
  for (const worker of Object.values(course.house.workers)) {
    if (worker.phase.is === 'waiting') stepAside(course, worker.id)
  }
}

function stepAside(course: Course, id: WorkerId): void {
  unsee(course, id)
  enter(course, id, { is: 'paused', why: course.house.run.why ?? 'the run was left' })
  restIfIdle(course)
}

export function pause(course: Course, id: WorkerId, why: string): void {
  unsee(course, id)
  decide(course, 'loop', 'pause', why)
  enter(course, id, { is: 'paused', why })
  restIfIdle(course)
}

/** While nobody works, somebody else may: the tree must be looked at again before the next iteration. */
function unsee(course: Course, id: WorkerId): void {
  const { seen } = workerOf(course, id)
  if (seen !== null) patchWorker(course, id, { seen: { ...seen, fresh: false } })
}
