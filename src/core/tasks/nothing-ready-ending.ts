/** How a run ends that finds no task to claim. */
import type { Ending } from '../pipeline/end-worker.ts'
import type { RunTaskCounts } from '../state/state.ts'
import { plural } from '../text/format-amounts.ts'
import type { NothingReady } from './task.ts'
import { describeBlockedTasks } from './task-text.ts'

export function endingWhenNothingReady(
  nothing: NothingReady,
  { done, unproven }: Pick<RunTaskCounts, 'done' | 'unproven'>,
): Ending {
  const { counts, failed } = nothing
  if (counts.all === 0) return { is: 'no_plan', why: 'there is no task to work on' }
  const left = counts.all - counts.done - counts.failed
  if (counts.failed > 0) {
    const names = failed.map(({ task, why }) => (why === null ? task : `${task} (${why})`)).join('; ')
    const rest = left === 0 ? '' : `; ${plural(left, 'task')} left, ${describeBlockedTasks(nothing)}`
    const why = `${counts.failed} of ${plural(counts.all, 'task')} failed: ${names}${rest}`
    const [only] = failed
    if (counts.failed > 1 || only === undefined) return { is: 'tasks_failed', why }
    return { is: 'tasks_failed', why, cause: { is: 'task-failed', task: only.task } }
  }
  if (left > 0) return { is: 'tasks_blocked', why: `${plural(left, 'task')} left, ${describeBlockedTasks(nothing)}` }
  // Their proof was reported when they were finished: this run has seen none.
  if (done === 0)
    return {
      is: 'tasks_complete',
      why: counts.all === 1 ? 'the task was already done' : `all ${counts.all} tasks were already done`,
      verdict: 'unproven',
      cause: { is: 'nothing-to-do' },
    }
  const said = `all ${plural(counts.all, 'task')} done, ${done} in this run`
  if (unproven === 0) return { is: 'tasks_complete', why: `${said}, each proven`, verdict: 'proven' }
  return { is: 'tasks_complete', why: `${said}; unproven: ${unproven}`, verdict: 'unproven' }
}
