/** The gates that a completion must pass: those of the project, and of a task its own. */
import type { WorkerId } from '../ids.ts'
import type { Gate } from '../proof/evidence.ts'
import { stageKindOf } from '../pipeline/position.ts'
import { workerOf, type StepContext } from '../state/context.ts'
import { taskJobOf, verifyJobOf } from '../state/job.ts'

/** The timeout of a gate in the settings that names none. */
const CHECK_MS = 600_000

/** The one list: every completion and `ralph verify` are judged by it, unless one gate was named. */
export function completionGates(ctx: StepContext, id: WorkerId): Gate[] {
  const worker = workerOf(ctx, id)
  // Documents are checked by their form, not by gates.
  if (stageKindOf(worker) === 'draft') return []
  const checks = taskJobOf(worker)?.checks.map(gateOf) ?? []
  const named = verifyJobOf(worker)?.gate ?? null
  return [...ctx.state.run.rules.gates, ...checks].filter(({ name }) => named === null || name === named)
}

function gateOf(run: string, index: number): Gate {
  return { name: `check-${index + 1}`, run, timeoutMs: CHECK_MS, when: 'task', cwd: '.', env: {} }
}
