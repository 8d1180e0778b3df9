/** What a worker does next: it obeys the run, claims a task, or its stage begins the next call. */
import type { WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import type { WorkerHandover } from '../pipeline/finish-stage.ts'
import { move, type Move } from '../pipeline/position.ts'
import { stageOf } from '../pipeline/stage.ts'
import { orderOf, type Order } from '../admission/order.ts'
import { pause, stepAside } from '../pipeline/pause.ts'
import { claim, dropTask } from '../workers/claim.ts'
import { endJob } from '../workers/end-job.ts'
import { finish, type Ending } from '../pipeline/finish.ts'
import { patchWorker, workerOf, type Course } from '../state/context.ts'

/** Acts on what stages handed over, one after the other; a stage that begins may hand over at once. */
export function followHandovers(course: Course): void {
  for (let one = course.handovers.shift(); one !== undefined; one = course.handovers.shift()) {
    if (one.is === 'continue') continueWorker(course, one.worker)
    else followStage(course, one)
  }
}

function continueWorker(course: Course, id: WorkerId): void {
  if (workerOf(course, id).phase.is === 'finished') return
  const stage = stageOf(course, id)
  if (stage?.cleanUp?.(course, id) === true) return
  const order = orderOf(course, id)
  if (order.is !== 'go') return stand(course, id, order)
  if (stage === null) return claim(course, id)
  stage.begin(course, id)
}

/** Nothing new is begun: the worker ends or stands still. */
function stand(course: Course, id: WorkerId, { is, why }: Exclude<Order, { is: 'go' }>): void {
  switch (is) {
    case 'stop':
      return finish(course, id, { is: course.house.run.stopAs, why })
    case 'pause':
      return pause(course, id, why)
    case 'leave': {
      // Whom a person paused stays so when the others go on.
      const { told } = workerOf(course, id)
      return told?.is === 'pause' ? pause(course, id, told.why) : stepAside(course, id)
    }
    case 'drop':
      return dropTask(course, id)
    default:
      return never(is)
  }
}

/** Goes where the result of a stage leads. */
function followStage(
  course: Course,
  { worker: id, word, result }: Extract<WorkerHandover, { is: 'finished' }>,
): void {
  const { line } = workerOf(course, id)
  if (line === null) return
  const moved = move(line, word, result)
  if (moved.is !== 'run') return endJob(course, id, result.ending ?? endingOf(moved, result.again))
  patchWorker(course, id, { line: moved.line })
  stageOf(course, id)?.begin(course, id, result)
}

/** Nobody said how it ends: the pipeline is at its end, or there is no way on. */
function endingOf(
  moved: Exclude<Move, { is: 'run' }>,
  again: { because: string; judged: boolean } | undefined,
): Ending {
  if (again !== undefined)
    return { is: 'cannot_prove', why: again.because, ...(again.judged ? { verdict: 'failed' } : {}) }
  return { is: 'failed', why: moved.is === 'abort' ? moved.why : 'the pipeline is at its end' }
}
