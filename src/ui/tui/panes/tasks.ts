/** The tasks of a run through tasks, where a loop has its plan: a tree with states, what keeps each, and what it cost. */
import {
  hiddenTaskCount,
  visibleBoardRows,
  type BoardFilter,
  type BoardTask,
} from '../../../core/presentation/task-board.ts'
import { describeTaskCounts } from '../../../core/tasks/task-text.ts'
import { formatDollars } from '../../plain/format-time.ts'
import { clipLine, fillLine, toSpan, widthOf, type ScreenLine, type Size, type SpanTone } from '../line.ts'
import { scrollToCursor } from '../list-window.ts'
import type { DashboardScene } from '../dashboard-scene.ts'

/** The line of counts above the tree. */
const HEAD = 1

export function tasksPane(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const { tasks: board, ui } = scene
  if (board === null || board.counts.all === 0) return [[toSpan('There is no task.', 'dim')]]
  const listed = listedTasks(scene)
  const cursor = taskCursor(scene)
  const foot = moreLine(scene)
  const room = Math.max(0, rows - HEAD - foot.length)
  const top = scrollToCursor(cursor, Math.max(0, cursor - Math.floor(room / 2)), {
    length: listed.length,
    rows: room,
  })
  const lines = listed.slice(top, top + room).map((task, index) => {
    const line = clipLine(taskLine(task, { folded: ui.folded.includes(task.id), columns }), columns)
    if (top + index !== cursor || ui.focus !== 'plan') return line
    return fillLine(line, columns).map((span) => ({ ...span, tone: 'mark' as const }))
  })
  return [[toSpan(describeTaskCounts(board.counts))], ...lines, ...foot].map((line) =>
    clipLine(line, columns),
  )
}

export function tasksRows(scene: DashboardScene): number {
  return listedTasks(scene).length + HEAD + moreLine(scene).length
}

/** Those of a large graph that were not read, below the others. */
function moreLine({ tasks, ui }: DashboardScene): ScreenLine[] {
  const more = tasks === null ? 0 : hiddenTaskCount(tasks, ui.filter)
  return more === 0 ? [] : [[toSpan(`… and ${more} more: ${LISTS[ui.filter]}`, 'dim')]]
}

const LISTS: Record<BoardFilter, string> = {
  all: 'ralph task list',
  open: 'ralph task list',
  blocked: 'ralph task list --status blocked',
  failed: 'ralph task list --status failed',
}

export function listedTasks({ tasks, ui }: DashboardScene): BoardTask[] {
  return visibleBoardRows(tasks?.tasks ?? [], ui)
}

/** Where somebody put it, else at what is worked on, else at what comes next. */
export function taskCursor(scene: DashboardScene): number {
  const listed = listedTasks(scene)
  const at = scene.ui.at.plan?.entry
  if (at !== undefined) return Math.max(0, Math.min(at, listed.length - 1))
  const leaf = (is: BoardTask['status']): number =>
    listed.findIndex(({ status, children }) => status === is && children === 0)
  const going = leaf('in_progress')
  return Math.max(0, going === -1 ? leaf('pending') : going)
}

const MARKS: Record<BoardTask['status'], { glyph: string; tone?: SpanTone }> = {
  done: { glyph: '✓', tone: 'good' },
  failed: { glyph: '✗', tone: 'bad' },
  in_progress: { glyph: '▸', tone: 'head' },
  pending: { glyph: '·' },
  blocked: { glyph: '-', tone: 'dim' },
}

/** What is deep keeps most of the line for its words, and says how much deeper it is than it stands. */
function indent(depth: number, columns: number): string {
  const shown = Math.min(depth, Math.floor(columns / 6))
  return depth === shown ? '  '.repeat(depth) : `${'  '.repeat(shown)}+${depth - shown} `
}

function taskLine(task: BoardTask, { folded, columns }: { folded: boolean; columns: number }): ScreenLine {
  const { id, title, depth, status, children, why, usd } = task
  const { glyph, tone } = MARKS[status]
  const words: SpanTone | undefined =
    status === 'done' ? 'dim' : status === 'in_progress' ? 'bold' : undefined
  const below = children === 0 ? '' : folded ? ` [+${children}]` : ' [-]'
  const before = [
    toSpan(indent(depth, columns)),
    tone === undefined ? toSpan(glyph) : toSpan(glyph, tone),
    toSpan(` ${id} `, 'dim'),
  ]
  const after = [
    toSpan(below, 'dim'),
    ...(usd === null ? [] : [toSpan(` ${formatDollars(usd)}`, 'dim')]),
    ...(why === null ? [] : [toSpan(` ${why}`, status === 'failed' ? 'bad' : 'warn')]),
  ]
  // A long title leaves half of what there is to the cost and to what keeps the task.
  const room = columns - widthOf(before)
  const wide = Math.max(Math.floor(room / 2), room - widthOf(after))
  return [
    ...before,
    ...clipLine([words === undefined ? toSpan(title) : toSpan(title, words)], wide),
    ...after,
  ]
}
