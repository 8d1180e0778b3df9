/** A stage is over and gives its word. Where that leads is the line's affair: `step` asks it when everything else of the event is settled. */
import type { WorkerId } from '../ids.ts'
import { move } from '../pipeline/line.ts'
import type { Stage, Word } from '../pipeline/pipeline.ts'
import { finish, type Ending } from '../run/finish.ts'
import type { Completion } from '../run/house.ts'
import { patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { pipelineOf } from './job.ts'

/** What goes with a word: the completion that is claimed, or how the job ends if the line says so. */
export type Said = { completion: Completion } | { ending: Ending } | null

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
    const moved = move(pipelineOf(job), line, word)
    if (moved.is === 'run') {
      patchWorker(course, id, { line: moved.line })
      begin(moved.stage, given)
      continue
    }
    const why = moved.is === 'abort' ? moved.why : 'the pipeline is at its end'
    finish(course, id, said !== null && 'ending' in said ? said.ending : { is: 'failed', why })
  }
}
