/** How a stage hands its worker back: with its result, or to be continued. `step` acts on it when the rest of the event is done. */
import type { Millis, WorkerId } from '../ids.ts'
import type { Ending } from './finish.ts'
import type { Completion } from '../state/state.ts'
import type { Course } from '../state/context.ts'
import type { Word } from './pipeline.ts'

/** What a stage passes on to the next one, or to the end of the job. */
export interface StageResult {
  /** The completion that the agent claims. */
  completion?: Completion
  /** How the job ends if no stage comes after this one. */
  ending?: Ending
  /** Why the stage before runs again. */
  again?: Again
}

/** `afterMs`: a pause before it. */
export interface Again {
  because: string
  afterMs?: Millis
  /** False: the agent itself gave up, failed or said nothing, so no completion was judged. */
  judged: boolean
  /** The agent itself says that it cannot. */
  gaveUp?: true
}

export type WorkerHandover =
  | { is: 'finished'; worker: WorkerId; word: Word; result: StageResult }
  | { is: 'continue'; worker: WorkerId }

export function finishStage(course: Course, worker: WorkerId, word: Word, result: StageResult = {}): void {
  course.handovers.push({ is: 'finished', worker, word, result })
}

/** The worker does what its run and its job ask for now: it stops, pauses, claims a task, or its stage begins the next call. */
export function proceed(course: Course, worker: WorkerId): void {
  if (course.handovers.some((one) => one.is === 'continue' && one.worker === worker)) return
  course.handovers.push({ is: 'continue', worker })
}
