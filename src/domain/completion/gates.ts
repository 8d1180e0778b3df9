/** The gates that a completion must pass: those of the project, and of a task its own. */
import type { WorkerId } from '../ids.ts'
import type { Gate } from '../proof/evidence.ts'
import { stageKindOf } from '../pipeline/position.ts'
import type { Rules } from '../state/rules.ts'
import { workerOf, type Course } from '../state/context.ts'
import { taskOf, type Job } from '../state/job.ts'

/** As long as a gate of the settings has that says nothing else. */
const CHECK_MS = 600_000

/** The one list: every completion and `ralph verify` are judged by it. */
export function completionGates(course: Course, id: WorkerId): Gate[] {
  const worker = workerOf(course, id)
  // Papers are judged by their shape.
  if (stageKindOf(worker) === 'draft') return []
  return gatesOf(course.house.run.rules, worker.job)
}

export function gatesOf({ gates }: Pick<Rules, 'gates'>, job: Job): Gate[] {
  return [...gates, ...(taskOf({ job })?.checks.map(checkGate) ?? [])]
}

function checkGate(run: string, index: number): Gate {
  return { name: `check-${index + 1}`, run, timeoutMs: CHECK_MS, when: 'task', cwd: '.', env: {} }
}
