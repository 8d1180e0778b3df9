/** A draft asks a person, or finds that nobody is there. Nothing runs meanwhile: what the person says is the next prompt's. */
import type { WorkerId } from '../../ids.ts'
import { decide, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { oneLine } from '../../text/text.ts'
import { draftOf } from '../../state/job.ts'
import { unsee } from '../../pipeline/wait.ts'

const TOLD_MAX = 200

/** What it asks and nobody has answered; null: nothing, or the answer waits for the next prompt. */
export function openQuestion(course: Course, id: WorkerId): string | null {
  const worker = workerOf(course, id)
  return worker.steering.length === 0 ? (draftOf(worker)?.question ?? null) : null
}

export function askPerson(course: Course, id: WorkerId, question: string): void {
  // Whoever is asked may look into the project, and change something there.
  unsee(course, id)
  decide(course, id, 'draft', 'ask', `the agent asks: ${oneLine(question, TOLD_MAX)}`)
  enter(course, id, { is: 'asking', question })
}

/** The answer goes with the prompt, and the paper is looked at again however the turn ends. */
export function turnBegins(course: Course, id: WorkerId): void {
  const job = draftOf(workerOf(course, id))
  if (job !== null) patchWorker(course, id, { job: { ...job, question: null, seen: null } })
}

/** To an agent that asks where nobody answers. */
export const NOBODY =
  'Nobody is there to answer. Decide the careful way, write what you assumed into the paper under a heading of its own, and finish the paper in this turn.'

/** Whether somebody answers may change from one process to the next: a question that nobody will answer is taken back. */
export function answersFrom(course: Course, id: WorkerId, asks: boolean): void {
  const worker = workerOf(course, id)
  const { corrections } = worker
  const job = draftOf(worker)
  if (job === null || job.asks === asks) return
  const gone = !asks && job.question !== null
  patchWorker(course, id, {
    job: { ...job, asks, question: asks ? job.question : null },
    corrections: gone ? [...corrections, NOBODY] : corrections,
  })
}
