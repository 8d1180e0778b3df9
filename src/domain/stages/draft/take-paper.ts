/** The paper of a stage is looked at: before an agent is asked for it, and after each turn. */
import type { WorkerId } from '../../ids.ts'
import { ask, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { draftOf } from '../../state/job.ts'
import { paperOf, papersBefore, type DraftTurn } from '../../feature/draft.ts'

/** What is whole already, whoever wrote it, is not asked for. */
export function isUnseen(course: Course, id: WorkerId): boolean {
  const worker = workerOf(course, id)
  const job = draftOf(worker)
  return job !== null && job.seen !== paperOf(worker)
}

export function lookFirst(course: Course, id: WorkerId): void {
  takePaper(course, id, NO_TURN, { first: true })
}

/** Nobody said anything: what is there only counts if it is whole. */
export const NO_TURN: DraftTurn = { said: '', cut: true, claims: false, astray: 0 }

export function takePaper(course: Course, id: WorkerId, turn: DraftTurn, when: { first?: true } = {}): void {
  const worker = workerOf(course, id)
  const job = draftOf(worker)
  if (job === null) return
  const { iteration } = worker
  const paper = paperOf(worker)
  patchWorker(course, id, { job: { ...job, seen: paper } })
  const from = papersBefore(job, paper)
  const effect = ask(course, {
    type: 'take-paper',
    worker: id,
    iteration,
    paper,
    folder: job.folder,
    said: turn.said,
    ...when,
    ...(turn.cut ? { cut: true } : {}),
    ...(from.length === 0 ? {} : { from }),
  })
  enter(course, id, { is: 'taking', effect, turn })
}
