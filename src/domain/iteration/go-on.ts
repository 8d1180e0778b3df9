/** After a look at the tree: a plan without an open box only has to be proven, for anything else an agent is asked. */
import type { WorkerId } from '../ids.ts'
import { workerOf, type Course } from '../run/step-so-far.ts'
import { claimsByPlan, next } from './next.ts'
import { prove } from '../completion/prove.ts'

export function goOn(course: Course, id: WorkerId): void {
  if (course.house.run.is !== 'going' || !claimsByPlan(course, id)) return next(course, id)
  const since = workerOf(course, id).iteration === 0 ? ' already' : ''
  prove(course, id, { is: 'plan_complete', why: `every box of the plan is ticked${since}` })
}
