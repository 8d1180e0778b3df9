/** A completion that holds: a review comes first where the pipeline has one, then the job ends as the proof says. */
import type { WorkerId } from '../ids.ts'
import { finishStage } from '../pipeline/finish-stage.ts'
import { isAhead } from '../pipeline/position.ts'
import type { Ending } from '../pipeline/finish.ts'
import type { Completion } from '../state/state.ts'
import { decide, workerOf, type Course } from '../state/context.ts'

/** Passes a completion that holds so far on to its review, or accepts it. */
export function passOn(course: Course, id: WorkerId, completion: Completion, ending: Ending): void {
  if (isAhead(workerOf(course, id), 'review')) return finishStage(course, id, 'PASS', { completion, ending })
  accept(course, id, ending)
}

/** A later stage finds no completion here, so it only passes the ending on. */
export function accept(course: Course, id: WorkerId, ending: Ending): void {
  decide(course, id, 'proof', ending.acceptance === undefined ? 'accept' : 'ask', ending.why)
  finishStage(course, id, 'PASS', { ending })
}
