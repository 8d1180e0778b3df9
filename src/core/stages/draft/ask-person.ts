/** A draft asks a person, or finds that nobody answers. Nothing runs meanwhile: the answer goes into the next prompt. */
import type { WorkerId } from '../../ids.ts'
import { recordDecision, enterPhase, patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { oneLine } from '../../text/sanitize.ts'
import { draftJobOf } from '../../state/job.ts'
import { patchDraft } from './draft-call.ts'
import { invalidateSnapshot } from '../../pipeline/wait.ts'

const TOLD_MAX = 200

/** The agent's open question; null: none, or the answer waits for the next prompt. */
export function unansweredQuestion(ctx: StepContext, id: WorkerId): string | null {
  const worker = workerOf(ctx, id)
  return worker.steering.length === 0 ? (draftJobOf(worker)?.question ?? null) : null
}

export function askPerson(ctx: StepContext, id: WorkerId, question: string): void {
  // The person may change the project before answering.
  invalidateSnapshot(ctx, id)
  recordDecision(ctx, id, 'draft', 'ask', `the agent asks: ${oneLine(question, TOLD_MAX)}`)
  enterPhase(ctx, id, { is: 'asking', question })
}

/** The prompt contains the answer, and the document is checked again however the turn ends. */
export function clearDraftQuestion(ctx: StepContext, id: WorkerId): void {
  patchDraft(ctx, id, { question: null, seen: null })
}

/** For an agent that asks although nobody answers. */
export const NOBODY_ANSWERS_TEXT =
  'Nobody is there to answer. Choose the careful option, list your assumptions under a heading of their own, and finish the document in this turn.'

/** Whether a person answers may change from one process to the next: a question that nobody will answer is dropped. */
export function setPersonAvailable(ctx: StepContext, id: WorkerId, asks: boolean): void {
  const worker = workerOf(ctx, id)
  const job = draftJobOf(worker)
  if (job === null || job.asks === asks) return
  patchDraft(ctx, id, { asks, question: asks ? job.question : null })
  if (!asks && job.question !== null)
    patchWorker(ctx, id, { corrections: [...worker.corrections, NOBODY_ANSWERS_TEXT] })
}
