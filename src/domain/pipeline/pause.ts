/** A worker that stands still: because a person wants it so, or because nobody could be reached for too long. */
import type { WorkerId } from '../ids.ts'
import { restIfIdle } from './finish.ts'
import { decide, decideForRun, enter, patchRun, type Course } from '../state/context.ts'
import { unsee } from './wait.ts'

export function pause(course: Course, id: WorkerId, why: string): void {
  unsee(course, id)
  decide(course, id, 'loop', 'pause', why)
  enter(course, id, { is: 'paused', why })
  restIfIdle(course)
}

/** Waiting longer is for a person to decide. Who works finishes first; then the engine goes and the run stays unfinished. */
export function leave(course: Course, id: WorkerId, why: string): void {
  decideForRun(course, 'retry', 'leave', `${why}; the run is left unfinished`)
  patchRun(course, { is: 'leaving', why })
  stepAside(course, id)
  for (const worker of Object.values(course.house.workers)) {
    if (worker.phase.is === 'waiting' || worker.phase.is === 'idle') stepAside(course, worker.id)
  }
}

export function stepAside(course: Course, id: WorkerId): void {
  unsee(course, id)
  enter(course, id, { is: 'paused', why: course.house.run.why ?? 'the run was left' })
  restIfIdle(course)
}
