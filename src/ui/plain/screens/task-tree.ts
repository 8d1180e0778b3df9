/** The tree of tasks: the status of each, what blocks it, and what to do next. */
import type { TaskTree, TreeTaskFacts, UnmetBlockerFacts } from '../../../app/task/task-tree.ts'
import { assertNever } from '../../../core/assert-never.ts'
import type { TaskCounts } from '../../../core/tasks/task.ts'
import { escapeInvisible } from '../../../core/text/sanitize.ts'
import { plural, localTimestamp } from '../format-values.ts'
import type { Paint } from '../colours.ts'
import { toPrintable } from '../../tui/text-width.ts'
import { truncateText, treePrefixes, NO_TASKS_TEXT, statusPainter, type TerminalStyle } from './task-lines.ts'

export function taskTreeScreen(tree: TaskTree, style: TerminalStyle): string {
  if (tree.tasks.length === 0) return NO_TASKS_TEXT
  const { p } = style
  return `${[
    ...taskTreeLines(tree, style),
    ...(tree.more ? [p.dim('… there are more: ralph task list, or ralph task tree TASK')] : []),
    '',
    ...nextLines(tree, style),
  ].join('\n')}\n`
}

/** The tree and its counts, without advice. */
export function taskTreeLines(tree: TaskTree, style: TerminalStyle): string[] {
  return [countsLine(tree.counts, style.p), '', ...treeLines(tree, style)]
}

function countsLine(counts: TaskCounts, p: Paint): string {
  const parts: [number, string, (text: string) => string][] = [
    [counts.done, 'done', p.good],
    [counts.failed, 'failed', p.bad],
    [counts.going, 'in progress', p.head],
    [counts.ready, 'ready', p.bold],
    [counts.blocked, 'blocked', p.warn],
    [counts.scheduled, 'scheduled', p.dim],
  ]
  const told = parts.filter(([n]) => n > 0).map(([n, words, style]) => style(`${n} ${words}`))
  return [p.bold(plural(counts.all, 'task')), ...told].join(' · ')
}

function nextLines({ target, counts, next }: TaskTree, { p, width }: TerminalStyle): string[] {
  if (next.length > 0)
    return [
      p.bold('Ready, in this order:'),
      ...next.map(({ id, title }) => `  ${id}  ${truncateText(toPrintable(title), width - id.length - 4)}`),
      ...(counts.ready > next.length ? [p.dim(`  and ${counts.ready - next.length} more`)] : []),
      p.dim(`Run them: ralph run${target === null ? '' : ` ${toPrintable(target)}`}`),
    ]
  if (counts.all > 0 && counts.done === counts.all) return [p.good('All tasks are done.')]
  if (counts.going > 0) return ['Nothing else is ready.', p.dim('See the progress: ralph status')]
  if (counts.failed > 0) return ['Nothing is ready.', p.dim('Retry a failed task: ralph task reset TASK')]
  return ['Nothing is ready.']
}

function treeLines({ tasks, lasts }: TaskTree, style: TerminalStyle): string[] {
  const { p, width } = style
  const branches = treePrefixes(tasks.map(({ id, depth }) => ({ depth, isLast: lasts.has(id) })))
  return tasks.flatMap((task, index) => {
    const { before = '', below = '' } = branches[index] ?? {}
    const details = keptBy(task).map((line) => `${p.dim(below)}${p.dim(truncateText(line, width - below.length))}`)
    return [taskLine(task, before, style), ...details]
  })
}

function taskLine(task: TreeTaskFacts, before: string, { p, width }: TerminalStyle): string {
  const parts = task.children === 0 ? '' : ` ${task.children_done}/${task.children}`
  const word = `[${task.status}${parts}]`
  const head = `${before}${task.id}  ${word}  `
  const coloured = task.ready ? p.bold(word) : statusPainter(task.status, p)(word)
  return `${p.dim(before)}${task.id}  ${coloured}  ${truncateText(toPrintable(task.title), width - head.length)}`
}

/** The details in the line below the task. */
function keptBy(task: TreeTaskFacts): string[] {
  switch (task.status) {
    case 'blocked':
      return waitLines(task)
    case 'failed':
      return task.why === null ? [] : [escapeInvisible(task.why)]
    case 'in_progress':
      return task.claimed_by === null ? [] : [`claimed by ${task.claimed_by}`]
    case 'pending':
      return task.ready || task.not_before === null || task.children > 0
        ? []
        : [`not before ${localTimestamp(Date.parse(task.not_before))}`]
    case 'done':
      return []
    default:
      return assertNever(task.status)
  }
}

/** Inherited waits are shown at the ancestor, so only a task at the top shows them. */
function waitLines(task: TreeTaskFacts): string[] {
  const own = task.waits_for.filter(({ through }) => through === task.id)
  const told = task.depth === 0 ? task.waits_for : own
  return told.map((wait) => `waits for ${unmetBlockerText(wait, task.id)}`)
}

/** A blocker, and which ancestor waits for it if not the task itself. */
export function unmetBlockerText({ id, title, status, through }: UnmetBlockerFacts, task: string): string {
  const whose = through === task ? '' : `, inherited from ${through}`
  return `${id} [${status}] ${toPrintable(title)}${whose}`
}
