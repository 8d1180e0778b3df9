/** The tasks in a run's report: which are done, which failed and why, which are left and why, each with its cost. */
import type { SpentTotals } from '../calls/spending.ts'
import type { NothingReady, TaskCounts, TaskId, TaskStatus } from '../tasks/task.ts'
import { describeTask, describeTaskCounts, describeBlockers } from '../tasks/task-text.ts'
import { plural, describeSpent } from '../text/format-amounts.ts'
import { oneLine } from '../text/sanitize.ts'

/** Comes from the claims and the task graph, not from the record: a caller with access to the store fills it in. */
export interface ReportTasks {
  /** The current counts of its scope. */
  counts: TaskCounts
  /** The last tasks it claimed, in the order in which their claims ended. */
  had: ReportTask[]
  done: number
  failed: number
  /** Some of the blocked tasks, and their blockers. */
  waiting: NothingReady['waiting']
}

export interface ReportTask {
  task: TaskId
  title: string
  /** How the claim ended; `released` and `lost`: another worker may have claimed the task since. */
  is: 'held' | 'done' | 'failed' | 'released' | 'lost'
  why: string | null
  /** The current status of the task: it may have been reset or done again since. */
  now: TaskStatus | 'deleted'
  /** In this run; the cost includes reviews. */
  iterations: number
  spent: SpentTotals
}

const SHOWN = 20

export function doneTaskLines({ counts, had, done }: ReportTasks): string[] {
  const lines = had
    .filter(({ is }) => is === 'done')
    .map((one) => `✓ ${taskText(one)}${costText(one)}${changedSinceText(one)}`)
  return [`tasks: ${describeTaskCounts(counts)}${done > 0 ? ` (${done} by this run)` : ''}`, ...last(lines, done)]
}

export function failedTaskLines({ had, failed }: ReportTasks): string[] {
  const lines = had
    .filter(({ is }) => is === 'failed')
    .map((one) => `✗ ${taskText(one)}${because(one)}${costText(one)}${changedSinceText(one)}`)
  return last(lines, failed)
}

/** Tasks whose claim it gave up, and tasks that are blocked. */
export function unfinishedTaskLines({ had, waiting, counts }: ReportTasks): string[] {
  const back = had
    .filter(({ is }) => is !== 'done' && is !== 'failed')
    .map((one) => `${taskText(one)}${because(one)}${costText(one)}`)
  const blocked = waiting.map((one) => oneLine(describeBlockers(one), 300))
  const more = counts.blocked - waiting.length
  return [...last(back, back.length), ...blocked, ...(more > 0 ? [`and ${more} more are blocked`] : [])]
}

function taskText({ task, title }: ReportTask): string {
  return describeTask({ task, title })
}

function because({ why }: ReportTask): string {
  return why === null ? '' : `: ${oneLine(why, 300)}`
}

function changedSinceText({ is, now }: ReportTask): string {
  return is === now ? '' : ` · ${SINCE[now]}`
}

const SINCE: Record<ReportTask['now'], string> = {
  pending: 'now pending again',
  in_progress: 'now in progress',
  done: 'now done',
  failed: 'now failed',
  deleted: 'now deleted',
}

function costText({ iterations, spent }: ReportTask): string {
  return ` (${[plural(iterations, 'iteration'), ...describeSpent(spent)].join(', ')})`
}

function last(lines: string[], all: number): string[] {
  const shown = lines.slice(-SHOWN)
  return all > shown.length ? [`(${all - shown.length} more before these)`, ...shown] : shown
}
