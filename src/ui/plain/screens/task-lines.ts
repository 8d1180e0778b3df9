/** Tasks as lines of a list, and what followed from a change by itself. */
import type { ChangedEdge } from '../../../app/task/change.ts'
import type { DerivedChange, ShownStatus } from '../../../core/tasks/task.ts'
import { describeDerivedChange } from '../../../core/tasks/task-text.ts'
import { cellWidth, truncateToCells } from '../../../core/text/cell-width.ts'
import { plural } from '../format-values.ts'
import type { Paint } from '../colours.ts'
import { toPrintable } from '../../tui/text-width.ts'

export interface ListedTask {
  id: string
  title: string
  status: ShownStatus
}

/** `width`: of the terminal. In a pipe lines have any length, and columns are not aligned, so that programs can split them easily. */
export interface TerminalStyle {
  p: Paint
  width: number
}

export const NO_TASKS_TEXT = 'There are no tasks yet. Add one: ralph task add "what to do"\n'

/** `  ID  [status]  title`, as the Rust tool printed it. */
export function taskLines(tasks: readonly ListedTask[], { p, width }: TerminalStyle): string[] {
  const isTable = Number.isFinite(width)
  const ids = isTable ? widest(tasks.map(({ id }) => id)) : 0
  const words = isTable ? widest(tasks.map(({ status }) => `[${status}]`)) : 0
  return tasks.map(({ id, title, status }) => {
    const word = `[${status}]`
    const before = `  ${id.padEnd(ids)}  ${statusPainter(status, p)(word)}${' '.repeat(Math.max(0, words - word.length))}  `
    const used = 6 + Math.max(ids, id.length) + Math.max(words, word.length)
    return `${before}${truncateText(toPrintable(title), width - used)}`
  })
}

const STATUS_TONES = { done: 'good', failed: 'bad', in_progress: 'head', blocked: 'warn', pending: null } as const

export function statusPainter(status: ShownStatus, p: Paint): (text: string) => string {
  const tone = STATUS_TONES[status]
  return tone === null ? (text) => text : p[tone]
}

/**
 * The branches of a tree, whose rows are depth first: `before` for a row's own line, `below` for its details. The first level has no
 * trunk, so branches begin on the second.
 */
export function treePrefixes(rows: readonly { depth: number; isLast: boolean }[]): { before: string; below: string }[] {
  /** By level: whether more siblings follow. */
  const open: boolean[] = []
  return rows.map(({ depth, isLast }, index) => {
    const trunks = open.slice(1, depth).map((more) => (more ? '│  ' : '   '))
    open[depth] = !isLast
    const [branch, under] = depth === 0 ? ['', ''] : isLast ? ['└─ ', '   '] : ['├─ ', '│  ']
    const hasBelow = (rows[index + 1]?.depth ?? 0) > depth
    return { before: [...trunks, branch].join(''), below: [...trunks, under, hasBelow ? '│  ' : '   '].join('') }
  })
}

const LEAST = 16

export function truncateText(text: string, room: number): string {
  const max = Math.max(LEAST, room)
  return cellWidth(text) <= max ? text : `${truncateToCells(text, max - 1)}…`
}

function widest(texts: string[]): number {
  return texts.reduce((most, text) => Math.max(most, text.length), 0)
}

/** At most about a screen of changes. */
const CHANGES_MAX = 12

export function derivedChangeLines(changes: readonly DerivedChange[], p: Paint): string[] {
  const told = changes.slice(0, CHANGES_MAX).map((change) => `  ${toPrintable(describeDerivedChange(change))}`)
  const left = changes.length - told.length
  return [...told, ...(left > 0 ? [`  and ${plural(left, 'more change')}`] : [])].map((line) => p.dim(line))
}

export function edgeChangeText(edge: ChangedEdge, to: 'there' | 'gone', p: Paint): string {
  const { blocker, blocked, changed, changes } = edge
  const words =
    to === 'there'
      ? `Task ${blocked} waits for ${blocker}${changed ? '.' : ' already.'}`
      : `Task ${blocked} ${changed ? 'no longer waits' : 'did not wait'} for ${blocker}.`
  return `${[words, ...derivedChangeLines(changes, p)].join('\n')}\n`
}
