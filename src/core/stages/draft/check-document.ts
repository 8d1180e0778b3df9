/** Checks the document of a stage: before an agent is asked for it, and after each turn. */
import type { WorkerId } from '../../ids.ts'
import { requestEffect, enterPhase, workerOf, type StepContext } from '../../state/context.ts'
import { draftJobOf } from '../../state/job.ts'
import { patchDraft } from './draft-call.ts'
import { currentDraftDocument, precedingDocuments, type DraftTurnResult } from '../../features/draft.ts'

/** A document that is already complete, whoever wrote it, is not requested again. */
export function isDocumentUnchecked(ctx: StepContext, id: WorkerId): boolean {
  const worker = workerOf(ctx, id)
  const job = draftJobOf(worker)
  return job !== null && job.seen !== currentDraftDocument(worker)
}

/** No agent replied: an existing document only counts if it is complete. */
export const EMPTY_TURN: DraftTurnResult = { said: '', cut: true, claims: false, drift: 0 }

export function checkDocument(
  ctx: StepContext,
  id: WorkerId,
  turn: DraftTurnResult,
  when: { first?: true } = {},
): void {
  const worker = workerOf(ctx, id)
  const job = draftJobOf(worker)
  if (job === null) return
  const { iteration } = worker
  const document = currentDraftDocument(worker)
  patchDraft(ctx, id, { seen: document })
  const from = precedingDocuments(job, document)
  const effect = requestEffect(ctx, {
    type: 'check-document',
    worker: id,
    iteration,
    document,
    folder: job.folder,
    said: turn.said,
    ...when,
    ...(turn.cut ? { cut: true } : {}),
    ...(from.length === 0 ? {} : { from }),
  })
  enterPhase(ctx, id, { is: 'checking-document', effect, turn })
}
