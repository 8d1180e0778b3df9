/** Sentences about tasks. */
import { clip } from '../text/sanitize.ts'
import type { TaskView } from '../presentation/run-view.ts'
import type { DerivedChange, ClaimedTask, NothingReady, TaskCounts } from './task.ts'

const TITLE_MAX = 60

export function describeTask({ task, title }: { task: string; title: string }): string {
  return `${task} "${clip(title, TITLE_MAX)}"`
}

/** What to do when a task is needed that a run works on. The run would claim it again at once, so the run must end. */
export function howToFreeTask(task: string): string {
  return `Wait until the run finishes it, or stop the run: ralph stop. If no run works on it: ralph task reset ${task}`
}

export function describeClaimed({ id, title, attempt }: Pick<ClaimedTask, 'id' | 'title' | 'attempt'>): string {
  return `works on ${describeTask({ task: id, title })}${attempt > 1 ? `, attempt ${attempt}` : ''}`
}

/** What a blocked task waits for. */
export function describeBlockedTasks({ waiting }: NothingReady): string {
  if (waiting.length === 0) return 'for an unknown reason'
  return waiting.map(describeBlockers).join('; ')
}

export function describeBlockers({ task, for: whom }: NothingReady['waiting'][number]): string {
  return `${task} waits for ${whom.map((one) => `${one.task} (${one.status})`).join(', ')}`
}

export function describeFailedTask({ why, ...task }: NothingReady['failed'][number]): string {
  return `${describeTask(task)} failed${why === null ? '' : `: ${why}`}`
}

export function describeNothingReady(nothing: NothingReady): string {
  const { going, scheduled } = nothing.counts
  if (going > 0) return `nothing is ready; ${going} in progress elsewhere`
  if (scheduled > 0) return `nothing is ready; ${scheduled} scheduled for later`
  return `nothing is ready: ${describeBlockedTasks(nothing)}`
}

/** For a run with one iteration, which does not wait. */
export function describeNothingReadyOnce(nothing: NothingReady): string {
  const { counts, until } = nothing
  const isTimed = counts.going === 0 && counts.scheduled > 0 && until !== null
  const when = isTimed ? ` (${new Date(until).toISOString().slice(0, 16)}Z)` : ''
  return `${describeNothingReady(nothing)}${when}; without --once the run would wait`
}

export function describeDerivedChange(change: DerivedChange): string {
  const who = 'feature' in change ? `feature ${change.name}` : describeTask(change)
  return `${who} ${CHANGES[change.is]}`
}

const CHANGES: Readonly<Record<DerivedChange['is'], string>> = {
  unblocked: 'is unblocked',
  blocked: 'is blocked again',
  'parent-done': 'is done: all its subtasks are',
  'parent-failed': 'failed: a subtask failed',
  'parent-healed': 'is open again',
  'feature-done': 'is done',
  'feature-failed': 'failed: one of its tasks failed',
  'feature-healed': 'is open again',
}

/** How many are done, and what keeps the others. Counts of zero are left out. */
export function describeTaskCounts({ all, ...counts }: TaskCounts): string {
  const { done, ...others } = counts
  const rest = KEPT.filter(([kept]) => others[kept] > 0).map(([kept, word]) => `${others[kept]} ${word}`)
  return [`${done} of ${all} done`, ...rest].join(' · ')
}

const KEPT = [
  ['failed', 'failed'],
  ['going', 'in progress'],
  ['ready', 'ready'],
  ['blocked', 'blocked'],
  ['scheduled', 'scheduled'],
] as const

/** What a worker works on: the task, the attempt, and the maximum. */
export function describeCurrentTask({ id, title, visit, of }: TaskView): string {
  return `${describeTask({ task: id, title })}, attempt ${visit} of ${of}`
}
