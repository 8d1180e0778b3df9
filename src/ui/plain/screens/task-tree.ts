/** The tree of tasks: how each stands, what keeps it, and above all what to do next. */
import type { TaskTree, TreeFacts, WaitFacts } from '../../../desk/task/tree.ts'
import { never } from '../../../domain/machine.ts'
import type { TaskCounts } from '../../../domain/task/task.ts'
import { visible } from '../../../domain/text/text.ts'
import { count, localStamp } from '../format.ts'
import type { Paint } from '../paint.ts'
import { shown } from '../../tui/width.ts'
import { cut, NO_TASKS, statusPaint, type Wide } from './task-lines.ts'

export function treeScreen(tree: TaskTree, look: Wide): string {
  if (tree.tasks.length === 0) return NO_TASKS
  const { p } = look
  return `${[
    countsLine(tree.counts, p),
    '',
    ...treeLines(tree, look),
    ...(tree.more ? [p.dim('… there are more: ralph task list, or ralph task tree TASK')] : []),
    '',
    ...nextLines(tree, look),
  ].join('\n')}\n`
}

function countsLine(counts: TaskCounts, p: Paint): string {
  const parts: [number, string, (text: string) => string][] = [
    [counts.done, 'done', p.good],
    [counts.failed, 'failed', p.bad],
    [counts.going, 'in progress', p.head],
    [counts.ready, 'ready', p.bold],
    [counts.blocked, 'blocked', p.warn],
    [counts.asleep, 'not yet due', p.dim],
  ]
  const told = parts.filter(([n]) => n > 0).map(([n, words, look]) => look(`${n} ${words}`))
  return [p.bold(count(counts.all, 'task')), ...told].join(' · ')
}

function nextLines({ target, counts, next }: TaskTree, { p, width }: Wide): string[] {
  if (next.length > 0)
    return [
      p.bold('Ready, in this order:'),
      ...next.map(({ id, title }) => `  ${id}  ${cut(shown(title), width - id.length - 4)}`),
      ...(counts.ready > next.length ? [p.dim(`  and ${counts.ready - next.length} more`)] : []),
      p.dim(`Have them done: ralph run${target === null ? '' : ` ${shown(target)}`}`),
    ]
  if (counts.all > 0 && counts.done === counts.all) return [p.good('All of them are done.')]
  if (counts.going > 0) return ['Nothing else is ready.', p.dim('How it goes: ralph status')]
  if (counts.failed > 0)
    return ['Nothing is ready.', p.dim('Have one tried again that failed: ralph task reset TASK')]
  return ['Nothing is ready.']
}

/** Only from the second level on there are branches: the first one has no trunk. */
function treeLines({ tasks, lasts }: TaskTree, look: Wide): string[] {
  /** By level: whether more comes below it. */
  const open: boolean[] = []
  return tasks.flatMap((task, index) => {
    const isLast = lasts.has(task.id)
    const trunk = open.slice(1, task.depth).map((more) => (more ? '│  ' : '   '))
    const branch = task.depth === 0 ? '' : isLast ? '└─ ' : '├─ '
    open[task.depth] = !isLast
    const hasBelow = (tasks[index + 1]?.depth ?? 0) > task.depth
    const under = task.depth === 0 ? '' : isLast ? '   ' : '│  '
    const below = `${trunk.join('')}${under}${hasBelow ? '│  ' : '   '}`
    return [
      taskLine(task, `${trunk.join('')}${branch}`, look),
      ...keptBy(task).map(
        (line) => `${look.p.dim(below)}${look.p.dim(cut(line, look.width - below.length))}`,
      ),
    ]
  })
}

function taskLine(task: TreeFacts, before: string, { p, width }: Wide): string {
  const parts = task.children === 0 ? '' : ` ${task.children_done}/${task.children}`
  const word = `[${task.ready ? 'ready' : task.status}${parts}]`
  const head = `${before}${task.id}  ${word}  `
  const coloured = task.ready ? p.bold(word) : statusPaint(task.status, p)(word)
  return `${p.dim(before)}${task.id}  ${coloured}  ${cut(shown(task.title), width - head.length)}`
}

/** What is said of it in the line below. */
function keptBy(task: TreeFacts): string[] {
  switch (task.status) {
    case 'blocked':
      return waitLines(task)
    case 'failed':
      return task.why === null ? [] : [visible(task.why)]
    case 'in_progress':
      return task.claimed_by === null ? [] : [`worked on by ${task.claimed_by}`]
    case 'pending':
      return task.ready || task.not_before === null || task.children > 0
        ? []
        : [`not before ${localStamp(Date.parse(task.not_before))}`]
    case 'done':
      return []
    default:
      return never(task.status)
  }
}

/** What the one above waits for is said there. */
function waitLines(task: TreeFacts): string[] {
  const own = task.waits_for.filter(({ through }) => through === task.id)
  const told = task.depth === 0 ? task.waits_for : own
  return told.map((wait) => `waits for ${waitWords(wait, task.id)}`)
}

/** What is waited for, and by whom if not by the task itself. */
export function waitWords({ id, title, status, through }: WaitFacts, task: string): string {
  const whose = through === task ? '' : `, as does ${through} above it`
  return `${id} [${status}] ${shown(title)}${whose}`
}
