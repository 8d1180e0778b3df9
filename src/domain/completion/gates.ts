/** The gates that a completion must pass: those of the project, and of a task its own. */
import type { WorkerId } from '../ids.ts'
import { never } from '../machine.ts'
import type { Gate } from '../proof/evidence.ts'
import type { Rules } from '../run/rules.ts'
import { workerOf, type Course } from '../run/step-so-far.ts'
import type { Job } from '../worker/job.ts'

/** As long as a gate of the settings has that says nothing else. */
const CHECK_MS = 600_000

export function completionGates(course: Course, id: WorkerId): Gate[] {
  return gatesOf(course.house.run.rules, workerOf(course, id).job)
}

/** The one list: runs, `ralph verify` and the start block all judge by it. */
export function gatesOf({ gates }: Pick<Rules, 'gates'>, job: Job): Gate[] {
  switch (job.is) {
    // Papers are judged by their shape.
    case 'draft':
      return []
    case 'task':
      return [...gates, ...job.checks.map(checkGate)]
    case 'loop':
    case 'none':
      return gates
    default:
      return never(job)
  }
}

function checkGate(run: string, index: number): Gate {
  return { name: `check-${index + 1}`, run, timeoutMs: CHECK_MS, when: 'task', cwd: '.', env: {} }
}
