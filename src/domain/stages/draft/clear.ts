/** A draft writes its papers and nothing else: whatever else changed in a turn is put back, however the turn ended. */
import type { WorkerId } from '../../ids.ts'
import { isSamePoint } from '../../tree/own-change.ts'
import { ask, decide, enter, patchWorker, workerOf, type Course } from '../../state/context.ts'
import { draftOf } from '../../state/job.ts'
import { unsee } from '../../pipeline/wait.ts'
import { draftWrites } from './draft-asked.ts'
import type { DraftTurn } from '../../feature/draft.ts'

/** Something changed that is not put back yet. */
export function isAstray(course: Course, id: WorkerId): boolean {
  const own = draftOf(workerOf(course, id))?.own ?? null
  return own !== null && !isSamePoint(own.before, own.after)
}

/** False: it stays, and nothing is asked for. */
export function clear(course: Course, id: WorkerId, turn: DraftTurn): boolean {
  const worker = workerOf(course, id)
  const { iteration, seen } = worker
  const own = draftOf(worker)?.own ?? null
  if (own === null) return false
  if (own.mixed) {
    stays(course, id, 'nobody can tell what the agent did from what somebody else did since')
    return false
  }
  const effect = ask(course, {
    type: 'put-back',
    worker: id,
    task: null,
    attempt: 0,
    iteration,
    before: own.before,
    // While nobody worked, somebody else may have: then all must be as it was at the last look.
    since: seen?.fresh === false ? own.after : null,
    ...draftWrites(worker),
  })
  enter(course, id, { is: 'clearing', effect, turn })
  return true
}

/** Whatever is there now is what the next turn of a draft begins with. */
export function lookAnew(course: Course, id: WorkerId): void {
  const job = draftOf(workerOf(course, id))
  if (job === null) return
  patchWorker(course, id, { job: { ...job, own: null } })
  unsee(course, id)
}

export function stays(course: Course, id: WorkerId, why: string): void {
  lookAnew(course, id)
  const say = `while a paper was written other things changed, and they stay as they are: ${why}. See them: git status`
  decide(course, id, 'draft', 'stays', say)
}
