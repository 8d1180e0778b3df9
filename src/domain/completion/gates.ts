/** The gates that a completion must pass: those of the project, and of a task its own. */
import type { WorkerId } from '../ids.ts'
import type { Gate } from '../proof/evidence.ts'
import { workerOf, type Course } from '../run/step-so-far.ts'

/** As long as a gate of the settings has that says nothing else. */
const CHECK_MS = 600_000

export function completionGates(course: Course, id: WorkerId): Gate[] {
  const { job } = workerOf(course, id)
  // Papers are judged by their shape.
  if (job.is === 'draft') return []
  const checks = job.is === 'task' ? job.checks.map(gateOf) : []
  const gates = course.house.run.rules.gates.filter(({ when }) => when === 'completion' || when === 'task')
  return [...gates, ...checks]
}

function gateOf(run: string, index: number): Gate {
  return { name: `check-${index + 1}`, run, timeoutMs: CHECK_MS, when: 'task', cwd: '.', env: {} }
}
