/** After a look at the tree: a completion that waits goes on to its second opinion, a plan without an open box only has to be proven, for
 *  anything else an agent is asked. */
import type { WorkerId } from '../ids.ts'
import { prove } from '../completion/prove.ts'
import { askOpinion } from '../completion/second-opinion.ts'
import { decide, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { isGoing } from '../worker/order.ts'
import { gave } from '../worker/gave.ts'
import { claimsByPlan, next } from './next.ts'

export function goOn(course: Course, id: WorkerId): void {
  if (!isGoing(course, id)) return next(course, id)
  const { held, seen, iteration } = workerOf(course, id)
  if (held !== null && (held.tree === null || held.tree === seen?.tree)) return askOpinion(course, id)
  if (held !== null) {
    patchWorker(course, id, { held: null })
    decide(
      course,
      id,
      'proof',
      'again',
      'files changed since the gates passed: the completion is proven anew',
    )
    return prove(course, id, held.completion)
  }
  if (!claimsByPlan(course, id)) return next(course, id)
  const since = iteration === 0 ? ' already' : ''
  const why = `every box of the plan is ticked${since}`
  gave(course, id, 'PASS', { completion: { is: 'plan_complete', why } })
}
