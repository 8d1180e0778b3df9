/** The gates that a completion must pass. */
import type { Gate } from '../proof/evidence.ts'
import type { Course } from '../run/step-so-far.ts'

export function completionGates(course: Course): Gate[] {
  return course.house.run.rules.gates.filter((gate) => gate.when === 'completion' || gate.when === 'task')
}
