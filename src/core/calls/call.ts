/**
 * One agent process, whatever its role: which agent gets it, whether it is admitted, what it may spend, and its result. Quota,
 * reservation, limits, outages and fail-over are the same for all of them and are handled here once; what a role does with a reply is its own
 * (`stages/`).
 *
 * A call that no agent can take now waits. Afterwards its stage begins again.
 */
import type { EffectId, Instant, Millis, WorkerId } from '../ids.ts'
import { assertNever } from '../assert-never.ts'
import type { Reply } from '../agent-output/reply.ts'
import type { OutageWait, RunAgentEffect } from '../state/effect.ts'
import type { EventOf } from '../state/event.ts'
import { endWorker, releaseReservation } from '../pipeline/end-worker.ts'
import { requestEffect, recordDecision, enterPhase, patchRun, patchWorker, type StepContext } from '../state/context.ts'
import type { WorkerPhase } from '../state/state.ts'
import { formatDuration } from '../text/value-kind.ts'
import { checkBreaker, checkCallLimits, elapsedRunMs } from '../admission/admission.ts'
import { abortEffect } from '../pipeline/abort-effect.ts'
import { suspendRun } from '../pipeline/pause.ts'
import { requestWait, requestWaitUntil } from '../pipeline/wait.ts'
import {
  isOverdrawn,
  computeRemainingBudget,
  computeReservation,
  bookUsage,
  countBudgetTokens,
  capWallTime,
  withReservation,
  growReservation,
} from '../admission/budget.ts'
import { countsAsAttempt } from '../admission/retry-policy.ts'
import { chooseAgent, describeCooldowns, findTotalOutage, cooldownsByAgent } from '../admission/cooldown.ts'
import type { Role } from './role.ts'
import { findCallFailure } from './call-failure.ts'

/** How a call comes to an agent. */
export type AgentAvailability =
  | { is: 'free'; agent: string }
  | { is: 'wait'; until: Instant; forMs: Millis | null; why: string; outage?: OutageWait }
  /** No agent could be reached for too long. */
  | { is: 'suspend'; why: string }
  /** Waiting cures none of them. */
  | { is: 'nobody'; why: string }

/** Which of these gets the next call: the first that is free, in the user's order. */
export function findAvailableAgent(ctx: StepContext, order: string[]): AgentAvailability {
  const { run } = ctx.state
  const { unusable, rules } = run
  const usable = order.filter((name) => unusable[name] === undefined)
  if (usable.length === 0) return { is: 'nobody', why: order.flatMap((name) => unusable[name] ?? []).join(' ') }
  const cooldowns = cooldownsByAgent(run, usable)
  const nobody = findTotalOutage(usable, cooldowns)
  const patience = nobody === null ? 0 : nobody.sinceUp + rules.retry.outageMs - ctx.now.up
  const describe = (): string => describeCooldowns(usable, cooldowns)
  // Checked before an agent is tried once more: agents that take long to fail would alternate for ever.
  if (nobody !== null && patience <= 0) {
    const long = formatDuration(rules.retry.outageMs)
    return { is: 'suspend', why: `no agent could be reached for ${long}: ${describe()}` }
  }
  const choice = chooseAgent(usable, cooldowns, ctx.now)
  if (choice.agent !== null) return { is: 'free', agent: choice.agent }
  if (nobody === null) return { is: 'wait', until: choice.until, forMs: null, why: describe() }
  const forMs = Math.min(nobody.nextUp - ctx.now.up, patience)
  const outage = { since: nobody.since, outageDeadline: ctx.now.at + patience }
  return { is: 'wait', until: ctx.now.at + forMs, forMs, why: describe(), outage }
}

/** True: limits and breaker allow a call. Otherwise the worker waits or ends here. */
export function enforceCallLimits(ctx: StepContext, id: WorkerId): boolean {
  const may = checkCallLimits(ctx, id)
  if (may.is === 'wait') requestWaitUntil(ctx, id, may.until, may.why)
  if (may.is === 'never') endWorker(ctx, id, may.ending)
  return may.is === 'yes'
}

/** True: the breaker is open, nobody waits for it, and the worker ended. */
export function endedByBreaker(ctx: StepContext, id: WorkerId): boolean {
  const may = checkBreaker(ctx, id)
  if (may.is === 'never') endWorker(ctx, id, may.ending)
  return may.is === 'never'
}

/** Acts on the agent that was found. */
export function admitCallOrWait(ctx: StepContext, id: WorkerId, role: Role, chosen: AgentAvailability): void {
  switch (chosen.is) {
    case 'free':
      return requestAdmission(ctx, id, role, chosen.agent)
    case 'wait': {
      const { is: _, ...wanted } = chosen
      return requestWait(ctx, id, wanted)
    }
    case 'suspend':
      return suspendRun(ctx, id, chosen.why)
    case 'nobody':
      return endWorker(ctx, id, { is: 'agent_unusable', why: chosen.why })
    default:
      return assertNever(chosen)
  }
}

/** Reserves money, then requests a place in the quota, which is counted over all runs in one transaction. */
function requestAdmission(ctx: StepContext, id: WorkerId, role: Role, agent: string): void {
  const { rules, budget } = ctx.state.run
  const reservation = computeReservation(budget, rules.budget, elapsedRunMs(ctx))
  if (!reservation.ok) return endWorker(ctx, id, { is: reservation.limit, why: reservation.why })
  patchRun(ctx, { budget: withReservation(budget, id, reservation) })
  const effect = requestEffect(ctx, {
    type: 'admit-call',
    worker: id,
    ...(role === 'work' ? {} : { role }),
    iteration: iterationOfCall(ctx, id, role),
    quota: rules.quota,
    reserveUsd: reservation.usd,
  })
  enterPhase(ctx, id, { is: 'admitting', effect, agent, role })
}

/** Work begins an iteration; every other call belongs to the one that is there. */
export function iterationOfCall(ctx: StepContext, id: WorkerId, role: Role): number {
  const iteration = ctx.state.workers[id]?.iteration ?? 0
  return role === 'work' ? iteration + 1 : iteration
}

/** The quota is spent: give the reservation back and wait for the next hour. */
export function deferCall(ctx: StepContext, event: EventOf<'call-deferred'>): void {
  releaseReservation(ctx, event.worker)
  recordDecision(ctx, event.worker, 'quota', 'wait', event.why)
  requestWaitUntil(ctx, event.worker, event.until, event.why)
}

/** A stage's own part of a call; its agent, number and limits are the same for all. */
export type CallRequest = Omit<RunAgentEffect, 'type' | 'iteration' | 'agent' | 'role' | 'prompt' | keyof CallLimits>

/** The call was admitted: its agent starts, and the last snapshot is no longer current. */
export function startCall(
  ctx: StepContext,
  id: WorkerId,
  { agent, role }: Extract<WorkerPhase, { is: 'admitting' }>,
  wanted: CallRequest,
): EffectId {
  patchWorker(ctx, id, { measured: false })
  return requestEffect(ctx, {
    type: 'run-agent',
    worker: id,
    iteration: iterationOfCall(ctx, id, role),
    agent,
    role,
    prompt: ctx.state.run.rules.loop.prompt,
    ...wanted,
    ...callLimitsOf(ctx, id),
  })
}

type CallLimits = Pick<RunAgentEffect, 'limits' | 'remainingUsd' | 'remainingTokens'>

/** The limits of a call: its own, or what the run still has of time and money. */
export function callLimitsOf(ctx: StepContext, id: WorkerId): CallLimits {
  const { rules, budget } = ctx.state.run
  const left = computeRemainingBudget(budget, rules.budget, id)
  const { limits } = rules.agent
  return {
    limits: { ...limits, wallMs: capWallTime(limits.wallMs, rules.budget, elapsedRunMs(ctx)) },
    remainingUsd: left.usd,
    remainingTokens: left.tokens,
  }
}

/**
 * Tenths of the allowance. What is spent is set aside at once, so that nobody else is promised it; at ten, or when all workers together have
 * no more, the budget is gone while the agent still works.
 */
export function handleSpendThreshold(ctx: StepContext, event: EventOf<'spend-threshold-crossed'>): void {
  const { run, workers } = ctx.state
  const phase = workers[event.worker]?.phase
  const effect = run.open[event.effect]
  if (phase === undefined || !('aborting' in phase) || effect?.type !== 'run-agent') return
  const allowed = { usd: effect.remainingUsd, tokens: effect.remainingTokens }
  const budget = growReservation(run.budget, event.worker, event.usage, allowed)
  patchRun(ctx, { budget })
  if (phase.aborting !== null || (event.tenth < 10 && !isOverdrawn(budget, run.rules.budget))) return
  recordDecision(
    ctx,
    event.worker,
    'budget',
    'abort',
    'the budget is spent, so Ralph stops the agent while it is working',
  )
  enterPhase(ctx, event.worker, { ...phase, aborting: 'budget' })
  abortEffect(ctx, event.worker, { target: phase.effect, why: 'budget', now: false })
}

/** The money is settled as soon as the process has ended. */
export function settleCallCost(ctx: StepContext, id: WorkerId, reply: Reply): void {
  // A call that was refused before it did anything costs nothing.
  if (wasRejectedBeforeStart(reply)) return releaseReservation(ctx, id)
  const { budget, rules } = ctx.state.run
  const bill = { usage: reply.usage, cutOff: reply.end === 'interrupted' }
  patchRun(ctx, { budget: bookUsage(budget, rules.budget, id, bill) })
}

/** A limit, an outage or a bad key before the agent did anything, and no cost reported: neither spent nor unknown. */
export function wasRejectedBeforeStart(reply: Reply): boolean {
  const callFailure = findCallFailure(reply, { worked: false })
  if (callFailure === null || countsAsAttempt(callFailure.retryPolicy) || reply.tools > 0) return false
  return reply.usage === null || (countBudgetTokens(reply.usage) === 0 && (reply.usage.usd ?? 0) === 0)
}
