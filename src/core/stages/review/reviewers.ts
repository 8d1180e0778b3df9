/** Which agent reviews a completion, and what follows when a reviewer fails. */
import { backOffDelay } from '../../admission/cooldown.ts'
import type { WorkerId } from '../../ids.ts'
import { continueWorker } from '../../pipeline/finish-stage.ts'
import { endWorker } from '../../pipeline/end-worker.ts'
import { recordDecision, patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { formatSpan } from '../../text/format-amounts.ts'
import { taskJobOf } from '../../state/job.ts'
import { requestWaitFor } from '../../pipeline/wait.ts'

/**
 * The chosen one; while it rests, whoever else is in the order and did not do the work. Nobody is chosen: a task is read by whoever did not
 * work on it, and where there is no other agent by the same one, which knows nothing of what it said before.
 */
export function reviewersFor(ctx: StepContext, id: WorkerId): string[] {
  const { agent, proof, task } = ctx.state.run.rules
  const worker = workerOf(ctx, id)
  const { author, review } = worker
  const isHeard = (name: string): boolean => review?.unheard?.includes(name) !== true
  const others = agent.order.filter((name) => name !== author)
  if (proof.reviewer !== null) return [...new Set([proof.reviewer, ...others])].filter(isHeard)
  if (taskJobOf(worker) === null || !task.verify) return []
  return (others.length > 0 ? others : agent.order).filter(isHeard)
}

/** After this many failures in a row a reviewer is not asked again. */
const FAILURES = 3

/**
 * A reader's own failure says nothing about the work, so it is never held against it: the reader is asked again, then whoever else may read.
 * Where nobody is left, a person has to look at the reader, and a task goes back unharmed.
 */
export function onReviewFailed(ctx: StepContext, id: WorkerId, { agent, why }: { agent: string; why: string }): void {
  const { review } = workerOf(ctx, id)
  if (review === null) return
  const failures = review.failures + 1
  if (failures < FAILURES) {
    patchWorker(ctx, id, { review: { ...review, failures } })
    const afterMs = backOffDelay(failures, ctx.state.run.rules.retry)
    recordDecision(ctx, id, 'retry', 'wait', `${agent}: ${why}; retrying in ${formatSpan(afterMs)}`)
    return requestWaitFor(ctx, id, afterMs, `${agent}: ${why}`)
  }
  const said = `${agent} gave no review in ${FAILURES} tries: ${why}`
  patchWorker(ctx, id, { review: { ...review, failures: 0, unheard: [...(review.unheard ?? []), agent] } })
  const [other] = reviewersFor(ctx, id)
  if (other === undefined)
    return endWorker(ctx, id, { is: 'agent_unusable', why: said, cause: { is: 'unheard', agent, says: why } })
  recordDecision(ctx, id, 'agent', 'switch', `${said}; asking ${other} instead`)
  continueWorker(ctx, id)
}
