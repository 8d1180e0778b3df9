/**
 * A reviewer may only read: what it changed is reverted and saved, and its result does not count. A change whose author is unknown
 * stays, with a decision that says so.
 */
import type { WorkerId } from '../../ids.ts'
import { continueWorker } from '../../pipeline/finish-stage.ts'
import { snapshotRefOf } from '../../tree/own-change.ts'
import { assertNever } from '../../assert-never.ts'
import type { EventOf } from '../../state/event.ts'
import type { ReviewOutcome } from '../../state/state.ts'
import {
  requestEffect,
  recordDecision,
  enterPhase,
  patchWorker,
  workerOf,
  type StepContext,
} from '../../state/context.ts'
import { isStopping } from '../../admission/worker-directive.ts'
import { recordSnapshotAfter, recordRevert } from '../../tree/job-change.ts'
import { howToRestore, describeNotReverted, formatFileNames, describeReverted } from '../../tree/revert-text.ts'
import { onReviewFailed } from './reviewers.ts'
import { rejectCompletion } from '../../completion/reject-completion.ts'

/** `heard`: the review that it wrote before. */
export interface ReviewCallResult {
  agent: string
  heard: ReviewOutcome
}

export function revertReviewerChanges(
  ctx: StepContext,
  event: EventOf<'snapshot-taken'>,
  reading: ReviewCallResult,
): void {
  const { worker: id, snapshot, change } = event
  const { agent, heard } = reading
  const look = workerOf(ctx, id).review?.look
  if (look === undefined) {
    const named = formatFileNames(
      (change?.paths ?? []).map(({ path }) => path),
      change?.files ?? 0,
    )
    return recordNotReverted(
      ctx,
      id,
      reading,
      `Ralph was not running meanwhile, so somebody else may have changed them${named}`,
    )
  }
  const effect = requestEffect(ctx, {
    type: 'revert',
    worker: id,
    task: null,
    attempt: 0,
    iteration: workerOf(ctx, id).iteration,
    before: look,
    since: snapshotRefOf(snapshot),
    reader: agent,
  })
  enterPhase(ctx, id, { is: 'reverting-reviewer', effect, agent, heard })
}

export function onReviewerChangesReverted(ctx: StepContext, event: EventOf<'reverted'>): void {
  const { worker: id } = event
  const { phase } = workerOf(ctx, id)
  if (phase.is !== 'reverting-reviewer') return
  const { agent, heard } = phase
  switch (event.is) {
    case 'stays':
      return recordNotReverted(ctx, id, { agent, heard }, event.why)
    case 'back': {
      recordRevert(ctx, event)
      recordSnapshotAfter(ctx, id, event.snapshot)
      recordDecision(ctx, id, 'proof', 'revert', sayRestored(agent, event))
      const reading = { agent, heard }
      return event.left.length === 0 ? failReviewAttempt(ctx, id, reading) : rejectChangedTree(ctx, id, reading)
    }
    default:
      return assertNever(event)
  }
}

function sayRestored(agent: string, event: Extract<EventOf<'reverted'>, { is: 'back' }>): string {
  return `${agent} may only read. Ralph reverted its changes: ${describeReverted(event)}${describeNotReverted(event)}. See the changes: ${howToRestore(event)}`
}

/** The revert failed, or was interrupted at an unknown point. */
export function onReviewerChangesNotReverted(ctx: StepContext, id: WorkerId, why: string): void {
  const { phase } = workerOf(ctx, id)
  if (phase.is !== 'reverting-reviewer') return
  // It may be half done: the files there now are not a person's edit.
  patchWorker(ctx, id, { measured: false })
  recordNotReverted(ctx, id, { agent: phase.agent, heard: phase.heard }, why)
}

function recordNotReverted(ctx: StepContext, id: WorkerId, reading: ReviewCallResult, why: string): void {
  const say = `files changed while ${reading.agent} reviewed the work, and Ralph did not revert them: ${why}. See them: git status`
  recordDecision(ctx, id, 'proof', 'stays', say)
  rejectChangedTree(ctx, id, reading)
}

/** The tree is what was proven: only the reviewer has failed. */
function failReviewAttempt(ctx: StepContext, id: WorkerId, { agent, heard }: ReviewCallResult): void {
  if (heard.is === 'again' || isStopping(ctx, id)) return continueWorker(ctx, id)
  onReviewFailed(ctx, id, { agent, why: 'it changed files although it may only read' })
}

/** The tree is not what was proven. Without a review so far the completion is proven again, as after any other change. */
function rejectChangedTree(ctx: StepContext, id: WorkerId, { heard }: ReviewCallResult): void {
  if (heard.is === 'again' || isStopping(ctx, id)) return continueWorker(ctx, id)
  patchWorker(ctx, id, { review: null })
  rejectCompletion(ctx, id, {
    why: 'files changed during the review, so it does not count',
    tell: 'Files changed during the review; check the tree.',
    verdict: 'unproven',
  })
}
