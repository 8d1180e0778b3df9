/** The parts of a draft in effects: the document that a call writes, and the files that a turn may change. */
import { documentPathIn, PROJECT_DOCUMENTS } from '../../features/documents.ts'
import type { RunAgentEffect } from '../../state/effect.ts'
import type { Worker } from '../../state/state.ts'
import { draftJobOf } from '../../state/job.ts'
import { currentDraftDocument, type DraftJob } from '../../features/draft.ts'
import type { WorkerId } from '../../ids.ts'
import { patchWorker, workerOf, type StepContext } from '../../state/context.ts'
import { INTERVIEW_FILE } from '../../features/interview.ts'

export function draftCallOf(worker: Worker): Pick<RunAgentEffect, 'draft'> {
  const job = draftJobOf(worker)
  if (job === null) return {}
  const { line } = worker
  const document = currentDraftDocument({ line })
  const { name, folder, asks } = job
  return { draft: { name, folder, asks, document, turn: line?.visits[document] ?? 1 } }
}

export function patchDraft(ctx: StepContext, id: WorkerId, change: Partial<DraftJob>): void {
  const job = draftJobOf(workerOf(ctx, id))
  if (job !== null) patchWorker(ctx, id, { job: { ...job, ...change } })
}

/**
 * What the turns of a draft may change, relative to the project: its folder, which ends in a slash, or files. Everything else in the
 * project, also in `.ralph`, must stay as it was when the turn began.
 */
export function draftWritablePaths(worker: Worker): { writes?: string[] } {
  const job = draftJobOf(worker)
  if (job === null) return {}
  const { feature, folder } = job
  if (feature !== null) return { writes: [`${folder}/`] }
  return {
    writes: [...PROJECT_DOCUMENTS.map((document) => documentPathIn(folder, document)), `${folder}/${INTERVIEW_FILE}`],
  }
}
