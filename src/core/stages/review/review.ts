/**
 * The stage in which a second agent reads a completion that holds so far: it can veto, never overrule a red gate. It reads only.
 *
 * The completion is what the stage was entered with. Its call goes the way of every call (`calls/call.ts`): an agent at its limit is waited
 * for, or another one is asked. If files change meanwhile, the completion is proven again.
 */
import { settleCallCost, deferCall, startCall, admitCallOrWait, findAvailableAgent } from '../../calls/call.ts'
import { countsAsAttempt } from '../../admission/retry-policy.ts'
import { markReachable, handleCallFailure, findCallFailure } from '../../calls/call-failure.ts'
import { acceptCompletion } from '../../completion/accept-completion.ts'
import { completionGates } from '../../completion/completion-gates.ts'
import { rejectCompletion } from '../../completion/reject-completion.ts'
import type { WorkerId } from '../../ids.ts'
import { lastSnapshotFrom } from '../../tree/last-snapshot.ts'
import { snapshotRefOf } from '../../tree/own-change.ts'
import { assertNever } from '../../assert-never.ts'
import { abortRunningEffect } from '../../pipeline/abort-effect.ts'
import { finishStage, continueWorker, type StageOutput } from '../../pipeline/finish-stage.ts'
import type { StageModule } from '../../pipeline/stage.ts'
import { reportedReview } from '../../proof/review.ts'
import type { Reply } from '../../agent-output/reply.ts'
import type { EventOf } from '../../state/event.ts'
import type { Ending } from '../../pipeline/end-worker.ts'
import type { ReviewOutcome } from '../../state/state.ts'
import { recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { saveBase } from '../../tree/base.ts'
import {
  moveBaseIfEdited,
  requestSnapshotBefore,
  requestSnapshotAfter,
  applySnapshotBefore,
} from '../../tree/request-snapshot.ts'
import { mayContinue, isStopping } from '../../admission/worker-directive.ts'
import { recordSnapshotAfter } from '../../tree/job-change.ts'
import { taskCallOf } from '../../calls/task-call.ts'
import {
  onReviewerChangesNotReverted,
  revertReviewerChanges,
  onReviewerChangesReverted,
  type ReviewCallResult,
} from './revert-reviewer-changes.ts'
import { onReviewFailed, reviewersFor } from './reviewers.ts'

export const REVIEW_STAGE: StageModule = {
  kind: 'review',
  phases: ['taking-snapshot', 'resolving-base', 'admitting', 'reviewing', 'checking', 'reverting-reviewer'],
  begin(ctx, id, entered) {
    if (entered === undefined) requestSnapshotBefore(ctx, id)
    else enterReview(ctx, id, entered)
  },
  on: {
    'snapshot-taken': snapshotTaken,
    'base-resolved'(ctx, event) {
      saveBase(ctx, event)
      askReviewer(ctx, event.worker)
    },
    'call-deferred': deferCall,
    admitted: (ctx, event) => beginReview(ctx, event.worker),
    'agent-ended': (ctx, event) => afterReview(ctx, event.worker, event.reply),
    reverted: onReviewerChangesReverted,
  },
  abort: abortRunningEffect,
  describe: () => 'reviewing the completion',
  failed(ctx, id, { effect, why }) {
    if (effect?.type !== 'revert') return false
    onReviewerChangesNotReverted(ctx, id, why)
    return true
  },
  // A change during an unwatched time may have any author.
  resumed(ctx, id) {
    const { review, measured } = workerOf(ctx, id)
    if (review === null || measured) return
    const { look: _, ...kept } = review
    patchWorker(ctx, id, { review: kept })
  },
}

/** Without a completion, or without a reviewer, the result of the proof is passed on. */
function enterReview(ctx: StepContext, id: WorkerId, { completion, ending }: StageOutput): void {
  if (ending === undefined) throw new Error('a review needs a proof')
  if (completion === undefined) return finishStage(ctx, id, 'PASS', { ending })
  patchWorker(ctx, id, { review: null })
  if (reviewersFor(ctx, id).length === 0) return acceptCompletion(ctx, id, ending)
  const judged = completionGates(ctx, id).length > 0
  const tree = judged ? (workerOf(ctx, id).seen?.tree ?? '') : null
  patchWorker(ctx, id, { review: { tree, failures: 0 } })
  continueWorker(ctx, id)
}

function snapshotTaken(ctx: StepContext, event: EventOf<'snapshot-taken'>): void {
  const { worker: id, snapshot } = event
  if (workerOf(ctx, id).phase.is === 'checking') return reviewChecked(ctx, event)
  const look = applySnapshotBefore(ctx, event)
  if (look === null) return
  const { review } = workerOf(ctx, id)
  // The reviewer's own changes are found by comparing with this snapshot.
  if (review !== null) patchWorker(ctx, id, { review: { ...review, look: snapshotRefOf(snapshot) } })
  if (!moveBaseIfEdited(ctx, id, look)) askReviewer(ctx, id)
}

/** No call begins in a run that is about to pause or stop: the completion waits. */
function askReviewer(ctx: StepContext, id: WorkerId): void {
  const { review, seen, line } = workerOf(ctx, id)
  if (!mayContinue(ctx, id)) return continueWorker(ctx, id)
  if (review !== null && (review.tree === null || review.tree === seen?.tree))
    return admitCallOrWait(ctx, id, 'review', findAvailableAgent(ctx, reviewersFor(ctx, id)))
  patchWorker(ctx, id, { review: null })
  recordDecision(ctx, id, 'proof', 'again', 'files changed since the gates passed; proving again')
  const completion = line?.input.completion
  finishStage(ctx, id, 'UNKNOWN', completion === undefined ? {} : { completion })
}

/** Admitted: the call is counted, the second agent starts. */
function beginReview(ctx: StepContext, id: WorkerId): void {
  const { run } = ctx.state
  const worker = workerOf(ctx, id)
  const { phase } = worker
  if (phase.is !== 'admitting') return
  const { agent } = phase
  const { iteration } = worker
  recordDecision(ctx, id, 'proof', 'review', `${agent} reviews the work`)
  const { effort, output } = run.rules.agent
  const effect = startCall(ctx, id, phase, {
    context: { iteration, openCheckboxes: null, breaker: null, previous: null, corrections: [], steering: [] },
    ...taskCallOf(worker),
    how: { model: null, effort, tools: null, permission: null, maxTurns: null, output },
    resume: null,
    resumeUsage: null,
    previousLength: null,
  })
  enterPhase(ctx, id, { is: 'reviewing', effect, agent, aborting: null })
}

function afterReview(ctx: StepContext, id: WorkerId, reply: Reply): void {
  const { phase } = workerOf(ctx, id)
  if (phase.is !== 'reviewing') return
  settleCallCost(ctx, id, reply)
  // A worker that stops ignores the review; what the reviewer wrote is reverted all the same.
  const stops = isStopping(ctx, id)
  const heard: ReviewOutcome = stops ? { is: 'again' } : reviewOutcomeOf(ctx, id, phase.agent, reply)
  if (workerOf(ctx, id).phase.is === 'finished') return
  const effect = requestSnapshotAfter(ctx, id, 'check')
  enterPhase(ctx, id, { is: 'checking', effect, agent: phase.agent, heard })
}

/** The result of the call: its review, or none. */
function reviewOutcomeOf(ctx: StepContext, id: WorkerId, agent: string, reply: Reply): ReviewOutcome {
  if (reply.end === 'over-budget') return { is: 'again' }
  if (reply.end === 'interrupted') {
    recordDecision(ctx, id, 'retry', 'repeat', 'the review was interrupted; asking again')
    return { is: 'again' }
  }
  const callFailure = findCallFailure(reply, { worked: false })
  if (callFailure !== null && !countsAsAttempt(callFailure.retryPolicy)) {
    handleCallFailure(ctx, id, { agent, order: reviewersFor(ctx, id) }, callFailure)
    return { is: 'again' }
  }
  markReachable(ctx, agent)
  if (reply.end !== 'success') return { is: 'failed', why: reply.failure?.message ?? SAID_NOTHING[reply.end] }
  const review = reportedReview(reply)
  return review.is === 'none' ? { is: 'failed', why: NO_VERDICT } : { is: 'review', review }
}

const NO_VERDICT = 'it ended without a verdict'

const SAID_NOTHING: Record<Exclude<Reply['end'], 'success' | 'interrupted' | 'over-budget'>, string> = {
  failed: 'it failed',
  stopped: 'it was stopped',
  silent: 'it produced no output and was stopped',
  'timed-out': 'it took too long and was stopped',
}

/** The reviewer may only read: if it changed the tree, what was proven is no longer what is there. */
function reviewChecked(ctx: StepContext, event: EventOf<'snapshot-taken'>): void {
  const { worker: id, snapshot } = event
  const { seen, phase } = workerOf(ctx, id)
  if (phase.is !== 'checking') return
  const moved = seen !== null && seen.tree !== snapshot.tree
  const { checkboxes, nextCheckbox } = event
  recordSnapshotAfter(ctx, id, snapshot)
  patchWorker(ctx, id, { seen: lastSnapshotFrom(seen, event), measured: true, checkboxes, nextCheckbox })
  const { heard, agent } = phase
  if (moved) return revertReviewerChanges(ctx, event, { agent, heard })
  if (isStopping(ctx, id)) return continueWorker(ctx, id)
  applyReviewOutcome(ctx, id, { agent, heard })
}

function applyReviewOutcome(ctx: StepContext, id: WorkerId, { agent, heard }: ReviewCallResult): void {
  switch (heard.is) {
    case 'again':
      return continueWorker(ctx, id)
    case 'failed':
      return onReviewFailed(ctx, id, { agent, why: heard.why })
    case 'review':
      patchWorker(ctx, id, { review: null })
      return weighReview(ctx, id, heard.review)
    default:
      return assertNever(heard)
  }
}

function weighReview(ctx: StepContext, id: WorkerId, review: Extract<ReviewOutcome, { is: 'review' }>['review']): void {
  if (review.is === 'pass') {
    const ending = endingOf(ctx, id)
    return acceptCompletion(ctx, id, { ...ending, why: `${ending.why}; the reviewer agrees` })
  }
  rejectCompletion(ctx, id, {
    why: `the reviewer objects: ${review.why}`,
    tell: `A reviewer says: ${review.why}`,
    verdict: 'failed',
    says: review.why,
  })
}

/** How the job ends unless the reviewer objects. */
function endingOf(ctx: StepContext, id: WorkerId): Ending {
  const ending = workerOf(ctx, id).line?.input.ending
  if (ending === undefined) throw new Error('a review needs a proof')
  return ending
}
