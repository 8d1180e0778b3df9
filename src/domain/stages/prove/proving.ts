/** A completion and how far it has come, while its worker proves it. */
import type { Completion, Proof } from '../../state/state.ts'
import type { WorkerId } from '../../ids.ts'
import { judge } from '../../proof/verdict.ts'
import { workerOf, type Course } from '../../state/context.ts'
import { completionGates } from '../../completion/gates.ts'

export interface Proving {
  completion: Completion
  proof: Proof
}

export function provingOf(course: Course, id: WorkerId): Proving | null {
  const { phase } = workerOf(course, id)
  return phase.is === 'proving' ? { completion: phase.completion, proof: phase.proof } : null
}

/** For the sentence that tells the end: which gates, where the work was made. */
export function gatesPassed(course: Course, id: WorkerId, { evidence }: Proof): string {
  const { quarantine } = course.house.run.rules.proof
  return judge(completionGates(course, id), evidence, { quarantine }).why
}

/** The same, of gates that failed first. */
export function flakyNote({ flaky }: Proof): string {
  return flaky.length > 0 ? `; flaky: ${flaky.join(', ')}` : ''
}
