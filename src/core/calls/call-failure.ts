/** What happens to an agent whose call failed for reasons outside the work, by the table in `admission/retry-policy.ts`. */
import { assertNever } from '../assert-never.ts'
import type { WorkerId } from '../ids.ts'
import type { Reply, ReplyFailure } from '../agent-output/reply.ts'
import { endWorker } from '../pipeline/end-worker.ts'
import type { EndCause } from '../state/outcome.ts'
import { recordDecision, patchRun, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { formatSpan } from '../text/format-amounts.ts'
import { clip } from '../text/sanitize.ts'
import { failureAdvice, retryPolicyFor, type RetryPolicy } from '../admission/retry-policy.ts'
import { credentialOf, isCooldownOver, cooldownForLimit, cooldownForOutage } from '../admission/cooldown.ts'

export interface CallFailure {
  failure: ReplyFailure
  retryPolicy: RetryPolicy
}

/** What stopped the agent; null: nothing. After some work only a limit still matters: the next call would meet it again. */
export function findCallFailure(reply: Reply, { worked }: { worked: boolean }): CallFailure | null {
  const { failure } = reply
  if (failure === null || reply.end === 'success') return null
  const retryPolicy = retryPolicyFor(failure.kind)
  return worked && retryPolicy !== 'cooldown' ? null : { failure, retryPolicy }
}

/** The agent of the call, and the agents that could take over. */
export interface CalledAgent {
  agent: string
  order: string[]
}

/**
 * A cooldown, an outage and an unusable agent do not count as an attempt: another agent takes the call, or it waits. Ends
 * the worker if no agent is left; otherwise the caller continues.
 */
export function handleCallFailure(
  ctx: StepContext,
  id: WorkerId,
  called: CalledAgent,
  { failure, retryPolicy }: CallFailure,
): void {
  switch (retryPolicy) {
    case 'cooldown':
      return handleUsageLimit(ctx, id, called, failure)
    case 'outage':
      return handleOutage(ctx, id, called, failure)
    case 'elsewhere':
      return handleUnusableAgent(ctx, id, called, failure)
    case 'fresh-conversation':
    case 'breaker':
      return
    default:
      return assertNever(retryPolicy)
  }
}

/** A usage limit: the agent cools down until its reset and the next one in the order takes over. */
function handleUsageLimit(ctx: StepContext, id: WorkerId, called: CalledAgent, failure: ReplyFailure): void {
  const { agent } = called
  const { run } = ctx.state
  const key = credentialOf(run.rules, agent)
  const kind = failure.kind === 'rate-limit' ? 'rate-limit' : 'usage-limit'
  const resets = failure.resetsAt === undefined ? {} : { resetsAt: failure.resetsAt }
  const rest = cooldownForLimit({ kind, ...resets }, run.cooldowns[key], run.rules.retry, ctx.now.at)
  const announced = failure.resetsAt === rest.until
  const pause = formatSpan(rest.until - ctx.now.at)
  recordDecision(
    ctx,
    id,
    'limit',
    'cooldown',
    kind === 'rate-limit'
      ? `${agent} is rate-limited (${failure.message}); waiting ${pause}`
      : `${agent} hit its usage limit (${failure.message}); waiting ${announced ? 'until its reset' : `${pause} (no reset time given)`}`,
  )
  patchRun(ctx, { cooldowns: { ...run.cooldowns, [key]: rest } })
  recordAgentSwitch(ctx, id, called, 'is waiting')
}

/** An outage: another agent takes over, and this one is tried again after its back-off. */
function handleOutage(ctx: StepContext, id: WorkerId, called: CalledAgent, failure: ReplyFailure): void {
  const { agent } = called
  const { run } = ctx.state
  const key = credentialOf(run.rules, agent)
  const rest = cooldownForOutage(clip(failure.message, SAID_MAX), run.cooldowns[key], run.rules.retry, ctx.now)
  recordDecision(ctx, id, 'retry', 'outage', `${agent} cannot be reached: ${failure.message}`)
  patchRun(ctx, { cooldowns: { ...run.cooldowns, [key]: rest } })
  // The resumed conversation may be the cause, so a fresh one begins; other agents keep theirs.
  forgetConversation(ctx, id, agent)
  recordAgentSwitch(ctx, id, called, 'cannot be reached')
}

/** As much of the vendor's message as a wait repeats on every screen. */
const SAID_MAX = 160

function recordAgentSwitch(ctx: StepContext, id: WorkerId, { agent, order }: CalledAgent, why: string): void {
  const { cooldowns, rules, unusable: gone } = ctx.state.run
  const other = order.find(
    (name) =>
      name !== agent && gone[name] === undefined && isCooldownOver(cooldowns[credentialOf(rules, name)], ctx.now),
  )
  if (other !== undefined) recordDecision(ctx, id, 'agent', 'switch', `${other} takes over: ${agent} ${why}`)
}

/** Waiting does not help, so it is not called again: the next agent in the order takes over, or the run ends. */
function handleUnusableAgent(
  ctx: StepContext,
  id: WorkerId,
  { agent, order }: CalledAgent,
  failure: ReplyFailure,
): void {
  const { run } = ctx.state
  const why = describeAgentFailure(agent, failure)
  patchRun(ctx, { unusable: { ...run.unusable, [agent]: why } })
  const others = order.filter((name) => ctx.state.run.unusable[name] === undefined)
  if (others.length === 0) {
    const before = order.flatMap((name) => run.unusable[name] ?? [])
    const { kind, command = null } = failure
    const cause: EndCause = { is: 'agent', agent, kind, fix: failureAdvice(failure), command }
    return endWorker(ctx, id, { is: 'agent_unusable', why: [why, ...before].join(' '), cause })
  }
  recordDecision(ctx, id, 'agent', 'switch', `${why} ${others.join(', ')} ${others.length === 1 ? 'goes' : 'go'} on.`)
  forgetConversation(ctx, id, agent)
}

function forgetConversation(ctx: StepContext, id: WorkerId, agent: string): void {
  if (workerOf(ctx, id).conversation?.agent === agent) patchWorker(ctx, id, { conversation: null })
}

/** The vendor's own sentence, and what a person can do. */
export function describeAgentFailure(agent: string, failure: ReplyFailure): string {
  const said = failure.message.trim()
  const fix = failureAdvice(failure)
  return `${agent}: ${said}${/[.!?]$/.test(said) ? '' : '.'}${fix === null ? '' : ` ${fix}`}`
}

/** The agent was reached: its outage or limit is over, and the back-off starts from zero. */
export function markReachable(ctx: StepContext, agent: string): void {
  const key = credentialOf(ctx.state.run.rules, agent)
  const { [key]: rest, ...cooldowns } = ctx.state.run.cooldowns
  if (rest !== undefined) patchRun(ctx, { cooldowns })
}
