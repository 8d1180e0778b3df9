/** Who reads a completion and has a word on it, and what follows when a reader cannot be heard. */
import { backOff } from '../call/rest.ts'
import type { WorkerId } from '../ids.ts'
import { next } from '../iteration/next.ts'
import { finish } from '../run/finish.ts'
import type { Held } from '../run/house.ts'
import { decide, patchWorker, workerOf, type Course } from '../run/step-so-far.ts'
import { span } from '../text/amounts.ts'
import { waitFor } from '../worker/wait.ts'

/**
 * The chosen one; while it rests, whoever else is in the order and did not do the work. Nobody is chosen: a task is read by whoever did not
 * work on it, and where there is no other agent by the same one, which knows nothing of what it said before.
 */
export function readers(course: Course, id: WorkerId): string[] {
  const { agent, proof, task } = course.house.run.rules
  const { author, job, held } = workerOf(course, id)
  const isHeard = (name: string): boolean => held?.unheard?.includes(name) !== true
  const others = agent.order.filter((name) => name !== author)
  if (proof.opinion !== null) return [...new Set([proof.opinion, ...others])].filter(isHeard)
  if (job.is !== 'task' || !task.verify) return []
  return (others.length > 0 ? others : agent.order).filter(isHeard)
}

/** A reader may fail for a moment; so often it has failed for good. */
const FAILURES = 3

/**
 * A reader's own failure says nothing about the work, so it is never held against it: the reader is asked again, then whoever else may read.
 * Where nobody is left, a person has to look at the reader, and a task goes back unharmed.
 */
export function notHeard(
  course: Course,
  id: WorkerId,
  { agent, held, why }: { agent: string; held: Held; why: string },
): void {
  const failures = held.failures + 1
  if (failures < FAILURES) {
    patchWorker(course, id, { held: { ...held, failures } })
    const afterMs = backOff(failures, course.house.run.rules.retry)
    decide(course, id, 'retry', 'wait', `${agent}: ${why}; trying again in ${span(afterMs)}`)
    return waitFor(course, id, afterMs, `${agent}: ${why}`)
  }
  const said = `${agent} was asked for a second opinion ${FAILURES} times and gave none, last because of this: ${why}`
  patchWorker(course, id, { held: { ...held, failures: 0, unheard: [...(held.unheard ?? []), agent] } })
  const [other] = readers(course, id)
  if (other === undefined)
    return finish(course, id, { is: 'agent_unusable', why: said, cause: { is: 'unheard', agent, says: why } })
  decide(course, id, 'agent', 'switch', `${said}; ${other} is asked instead`)
  next(course, id)
}
