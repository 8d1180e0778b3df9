/** An iteration that failed, by its own fault or for reasons outside the work. */
import type { Millis, WorkerId } from '../ids.ts'
import { backOffDelay } from '../admission/cooldown.ts'
import {
  markReachable,
  describeAgentFailure,
  handleCallFailure,
  findCallFailure,
  type CallFailure,
} from './call-failure.ts'
import { formatSpan } from '../text/format-amounts.ts'
import type { FailureKind } from './agent-io.ts'
import type { Reply } from '../agent-output/reply.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../state/context.ts'
import { continueWorker } from '../pipeline/finish-stage.ts'
import { requestWaitFor } from '../pipeline/wait.ts'
import type { IterationHooks } from './iteration.ts'
import type { Change } from '../tree/change.ts'
import { recordFailedAttempt, modelHintCorrections } from './choose-model.ts'
import { tagProblems } from './iteration-result.ts'
import type { IterationOutcome } from '../state/decision.ts'
import { recordIterationEnd } from './record-iteration-end.ts'
import { updateBreaker } from '../admission/update-breaker.ts'

/** A call that failed: why, and the back-off before the next one. */
export interface FailedCall {
  because: string
  /** The same without its agent. */
  said: string
  /** Null: it ended without a failure of its own. */
  kind: FailureKind | null
  afterMs: Millis
}

interface Done {
  agent: string
  reply: Reply
  change: Change
}

/** The iteration is not counted, and the breaker ignores it. */
export function endUncountedIteration(
  ctx: StepContext,
  id: WorkerId,
  { agent, change }: Done,
  callFailure: CallFailure,
): void {
  if (callFailure.retryPolicy === 'outage' && change.files > 0)
    patchWorker(ctx, id, { previous: 'An outage interrupted it; its changes stay.' })
  recordIterationEnd(ctx, id, ...outcomeOf(agent, callFailure))
  handleCallFailure(ctx, id, { agent, order: ctx.state.run.rules.agent.order }, callFailure)
  continueWorker(ctx, id)
}

function outcomeOf(agent: string, { failure, retryPolicy }: CallFailure): [IterationOutcome, string] {
  if (retryPolicy === 'elsewhere') return ['unusable', describeAgentFailure(agent, failure)]
  return [retryPolicy === 'outage' ? 'unreachable' : 'limited', `${agent}: ${failure.message}`]
}

/** The work may be the cause: it counts for the breaker, and the next try starts a new conversation. */
export function handleFailedIteration(
  ctx: StepContext,
  id: WorkerId,
  done: Done,
  { afterFailure }: Pick<IterationHooks, 'afterFailure'>,
): void {
  const { reply, agent } = done
  const { rules } = ctx.state.run
  const worker = workerOf(ctx, id)
  const said = reply.failure?.message ?? describeEnd(reply)
  const failures = worker.failures + 1
  recordIterationEnd(ctx, id, 'failed', `${agent}: ${said}`)
  // A resumed context may be what poisoned the call, so a failed one is never resumed.
  patchWorker(ctx, id, {
    failures,
    conversation: null,
    previous: `It failed: ${said}`.slice(0, 200),
    // Earlier corrections are still open.
    corrections: [...new Set([...worker.corrections, ...modelHintCorrections(ctx, done), ...tagProblems(reply)])].slice(
      -8,
    ),
  })
  markReachable(ctx, agent)
  const poisoned = findCallFailure(reply, { worked: false })?.retryPolicy === 'fresh-conversation'
  if (poisoned && worker.conversation !== null) {
    recordDecision(ctx, id, 'retry', 'fresh', 'starting a new session')
    return continueWorker(ctx, id)
  }
  const delay = backOffDelay(failures, rules.retry)
  const call = { because: `${agent}: ${said}`, said, kind: reply.failure?.kind ?? null, afterMs: delay }
  if (afterFailure?.(ctx, id, call) === true) return
  updateBreaker(ctx, id, {
    progress: done.change.files > 0,
    // Silence is a lack of progress as well; other failures are no evidence about the work.
    question: reply.end !== 'silent' && reply.end !== 'timed-out',
    error: true,
    said,
    denied: false,
    declined: false,
  })
  const isOpen = workerOf(ctx, id).breaker.is === 'open'
  recordFailedAttempt(ctx, id, { stuck: isOpen })
  if (isOpen) return continueWorker(ctx, id)
  recordDecision(ctx, id, 'retry', 'wait', `retrying in ${formatSpan(delay)}`)
  requestWaitFor(ctx, id, delay, `${agent}: ${said}`)
}

function describeEnd(reply: Reply): string {
  if (reply.end === 'silent') return 'no output within the idle limit'
  if (reply.end === 'timed-out') return 'it reached its time limit and changed nothing'
  return 'it ended without giving a reason'
}
