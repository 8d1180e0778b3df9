/** One task on a screen, its links, and its log. */
import type { TaskLogFacts, DependencyFacts, TaskDetails } from '../../../app/task/task-details.ts'
import { stripControl } from '../../../core/text/sanitize.ts'
import { localTimestamp } from '../format-values.ts'
import type { Paint } from '../colours.ts'
import { wrapPainted, wrapTextBlock } from '../wrap.ts'
import { toPrintable } from '../../tui/text-width.ts'
import { statusPainter, taskLines, type TerminalStyle } from './task-lines.ts'
import { unmetBlockerText } from './task-tree.ts'

const MARGIN = 15

export function taskScreen(task: TaskDetails, { p, width }: TerminalStyle): string {
  const head = `${p.bold(task.id)}  ${statusPainter(task.status, p)(`[${task.status}]`)}  ${toPrintable(task.title)}`
  const rows = rowsOf(task).flatMap(([name, text]) =>
    wrapPainted(`  ${p.dim(name.padEnd(MARGIN - 2))}${text}`, { columns: width, indent: MARGIN }),
  )
  const description = task.description.trimEnd()
  return `${[
    ...wrapPainted(head, { columns: width, indent: 2 }),
    ...rows,
    ...part('Description', description === '' ? [] : wrapTextBlock(description, width), p),
    ...part('Blocked by', taskLines(task.blocked_by, { p, width }), p),
    ...part('Blocks', taskLines(task.blocks, { p, width }), p),
    ...part('Log', taskLogLines(task.log), p),
    ...(task.log.length > 0 ? [p.dim(`  full log: ralph task log ${task.id}`)] : []),
  ].join('\n')}\n`
}

function rowsOf(task: TaskDetails): [string, string][] {
  const most =
    task.max_retries === null
      ? `${task.retry_count} (limit: task.max_retries)`
      : `${task.retry_count}/${task.max_retries}`
  const rows: [string, string | null][] = [
    ['why', task.why === null ? null : toPrintable(task.why)],
    [
      'waits for',
      task.waits_for.length === 0 ? null : task.waits_for.map((wait) => unmetBlockerText(wait, task.id)).join('; '),
    ],
    ['parent', task.parent === null ? null : `${task.parent.id}  ${toPrintable(task.parent.title)}`],
    ['feature', task.feature === null ? null : `${task.feature} (${task.feature_id ?? ''})`],
    ['children', task.children === 0 ? null : childrenWords(task)],
    ['priority', String(task.priority)],
    ['retries', most],
    ['verification', task.verification_status],
    ['claimed by', task.claimed_by],
    ['not before', task.not_before === null ? null : localTimestamp(Date.parse(task.not_before))],
    ...task.checks.map((check): [string, string] => ['check', toPrintable(check)]),
    ...task.tests.map((glob): [string, string] => ['tests', toPrintable(glob)]),
    ...task.criteria.map((criterion): [string, string] => ['criterion', toPrintable(criterion)]),
    ['created', localTimestamp(Date.parse(task.created_at))],
    ['deleted', task.archived_at === null ? null : localTimestamp(Date.parse(task.archived_at))],
  ]
  return rows.filter((row): row is [string, string] => row[1] !== null)
}

function childrenWords({ id, children, children_done, children_failed }: TaskDetails): string {
  const failed = children_failed === 0 ? '' : `, ${children_failed} failed`
  return `${children_done} of ${children} done${failed}; see: ralph task tree ${id}`
}

function part(title: string, lines: string[], p: Paint): string[] {
  return lines.length === 0 ? [] : ['', p.head(title), ...lines]
}

export function dependenciesScreen({ id, blocked_by, blocks }: DependencyFacts, style: TerminalStyle): string {
  if (blocked_by.length === 0 && blocks.length === 0) return `Task ${id} has no blockers and blocks nothing.\n`
  const { p } = style
  return `${[
    p.head(blocked_by.length === 0 ? 'Blocked by nothing' : 'Blocked by'),
    ...taskLines(blocked_by, style),
    p.head(blocks.length === 0 ? 'Blocks nothing' : 'Blocks'),
    ...taskLines(blocks, style),
  ].join('\n')}\n`
}

/** `  [timestamp]  message`, as the Rust tool printed it; with the author, unless it was a person. */
export function taskLogLines(log: TaskLogFacts[]): string[] {
  return log.flatMap(({ at, author, kind, text }) => {
    const who = author === 'human' && kind === 'note' ? '' : `${author === 'human' ? kind : `${author}, ${kind}`}: `
    const [first = '', ...more] = stripControl(text).split('\n')
    return [`  [${localTimestamp(Date.parse(at))}]  ${who}${first}`, ...more.map((line) => `      ${line}`)]
  })
}
