/** The progress of the plan or of the tasks: counted from the list that the screen shows, so that they never disagree. */
import { focusedWorker } from '../../core/presentation/focused-worker.ts'
import type { CheckboxCounts } from '../../core/tree/change.ts'
import type { DashboardScene } from './dashboard-scene.ts'

/** Null: there is no plan, or nothing in it. */
export function planProgress({ tasks, plan, view }: DashboardScene): CheckboxCounts | null {
  if (tasks !== null) return notEmpty({ done: tasks.counts.done, open: tasks.counts.all - tasks.counts.done })
  // The file cannot be read: what Ralph counted last is better than nothing.
  if (plan === null) return notEmpty(focusedWorker(view)?.checkboxes ?? null)
  const done = plan.filter((item) => item.done).length
  return notEmpty({ done, open: plan.length - done })
}

function notEmpty(counts: CheckboxCounts | null): CheckboxCounts | null {
  return counts === null || counts.done + counts.open === 0 ? null : counts
}

/** The first open item of the plan, or the next task; null: there is none. */
export function nextItem({ tasks, plan }: DashboardScene): string | null {
  if (tasks === null) return plan?.find((item) => !item.done)?.text ?? null
  return tasks.tasks.find(({ status, children }) => status === 'pending' && children === 0)?.title ?? null
}

/** Somebody edited the plan after the run: its counts are no longer those of the last iteration. */
export function changedSinceRun(scene: DashboardScene): boolean {
  const counted = focusedWorker(scene.view)?.checkboxes ?? null
  const now = planProgress(scene)
  const isOver = scene.view?.outcome != null
  return (
    isOver &&
    scene.tasks === null &&
    counted !== null &&
    now !== null &&
    (now.done !== counted.done || now.open !== counted.open)
  )
}
