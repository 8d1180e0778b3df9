/** A stage is over and gives its word. Where that leads is the line's affair: `step` asks it when everything else of the event is settled. */
import type { Millis, WorkerId } from '../ids.ts'
import { move, type Move } from '../pipeline/line.ts'
import type { Stage, Word } from '../pipeline/pipeline.ts'
import type { Ending } from '../run/finish.ts'
import type { Completion } from '../run/house.ts'
import { patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { endJob } from './end-job.ts'
import { pipelineOf } from './job.ts'

/** What goes with a word: the completion that is claimed, how the job ends if the line says so, or why it is worked on again. */
export type Said = { completion: Completion } | { ending: Ending } | Again | null

/** `afterMs`: a rest before it. */
export interface Again {
  because: string
  afterMs?: Millis
  /** Nobody judged a completion: the agent itself gave up, failed or said nothing. */
  judged: boolean
  /** The agent itself says that it cannot. */
  gaveUp?: true
}

export interface Given {
  worker: WorkerId
  word: Word
  said: Said
}

export function gave(course: Course, worker: WorkerId, word: Word, said: Said = null): void {
  course.given.push({ worker, word, said })
}

/** Goes where the words lead, one after the other; a stage that is begun may give the next one at once. */
export function followLines(course: Course, begin: (stage: Stage, given: Given) => void): void {
  for (let given = course.given.shift(); given !== undefined; given = course.given.shift()) {
    const { worker: id, word, said } = given
    const { job, line } = workerOf(course, id)
    if (line === null) continue
    const moved = move(pipelineOf(job), line, word)
    if (moved.is === 'run') {
      patchWorker(course, id, { line: moved.line })
      begin(moved.stage, given)
      continue
    }
    endJob(course, id, said !== null && 'ending' in said ? said.ending : endingOf(moved, said))
  }
}

/** Nobody said how it ends: the line is at its end, or there is no way on. */
function endingOf(moved: Exclude<Move, { is: 'run' }>, said: Said): Ending {
  if (said !== null && 'because' in said)
    return { is: 'cannot_prove', why: said.because, ...(said.judged ? { verdict: 'failed' } : {}) }
  return { is: 'failed', why: moved.is === 'abort' ? moved.why : 'the pipeline is at its end' }
}
