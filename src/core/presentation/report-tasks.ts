/** A run through tasks in its report: what was done, what failed and why, what is left and why, each with what it cost. */
import type { SpentTotals } from '../calls/spending.ts'
import type { NothingReady, TaskCounts, TaskId, TaskStatus } from '../tasks/task.ts'
import { describeTask, describeTaskCounts, describeBlockers } from '../tasks/task-text.ts'
import { plural, describeSpent } from '../text/format-amounts.ts'
import { oneLine } from '../text/sanitize.ts'

/** Read from the claims and the graph, not from the record: filled in by whoever can ask the store. */
export interface ReportTasks {
  /** How those of its scope stand now. */
  counts: TaskCounts
  /** What it had, in the order in which it was over; the last ones. */
  had: ReportTask[]
  done: number
  failed: number
  /** Some that are blocked, and by what. */
  waiting: NothingReady['waiting']
}

export interface ReportTask {
  task: TaskId
  title: string
  /** What became of the claim; `released` and `lost`: others may have it since. */
  is: 'held' | 'done' | 'failed' | 'released' | 'lost'
  why: string | null
  /** How the task stands now: somebody may have taken it back, or had it done again. */
  now: TaskStatus | 'deleted'
  /** In this run, with review in the cost. */
  iterations: number
  spent: SpentTotals
}

const SHOWN = 20

export function doneTaskLines({ counts, had, done }: ReportTasks): string[] {
  const lines = had.filter(({ is }) => is === 'done').map((one) => `✓ ${named(one)}${paid(one)}${since(one)}`)
  return [`tasks: ${describeTaskCounts(counts)}${done > 0 ? ` (${done} by this run)` : ''}`, ...last(lines, done)]
}

export function failedTaskLines({ had, failed }: ReportTasks): string[] {
  const lines = had
    .filter(({ is }) => is === 'failed')
    .map((one) => `✗ ${named(one)}${because(one)}${paid(one)}${since(one)}`)
  return last(lines, failed)
}

/** What it put down again, and what nobody could take. */
export function leftTaskLines({ had, waiting, counts }: ReportTasks): string[] {
  const back = had
    .filter(({ is }) => is !== 'done' && is !== 'failed')
    .map((one) => `${named(one)}${because(one)}${paid(one)}`)
  const blocked = waiting.map((one) => oneLine(describeBlockers(one), 300))
  const more = counts.blocked - waiting.length
  return [...last(back, back.length), ...blocked, ...(more > 0 ? [`and ${more} more are blocked`] : [])]
}

function named({ task, title }: ReportTask): string {
  return describeTask({ task, title })
}

function because({ why }: ReportTask): string {
  return why === null ? '' : `: ${oneLine(why, 300)}`
}

function since({ is, now }: ReportTask): string {
  return is === now ? '' : ` · ${SINCE[now]}`
}

const SINCE: Record<ReportTask['now'], string> = {
  pending: 'to be done again since',
  in_progress: 'worked on again since',
  done: 'done since',
  failed: 'failed since',
  deleted: 'deleted since',
}

function paid({ iterations, spent }: ReportTask): string {
  return ` (${[plural(iterations, 'iteration'), ...describeSpent(spent)].join(', ')})`
}

function last(lines: string[], all: number): string[] {
  const shown = lines.slice(-SHOWN)
  return all > shown.length ? [`(${all - shown.length} more before these)`, ...shown] : shown
}
