/** The tasks of a run through tasks, where a loop has its plan: a tree with states, what keeps each, and what it cost. */
import { boardRows, type BoardTask } from '../../../domain/tell/task-board.ts'
import { sayCounts } from '../../../domain/task/words.ts'
import { dollars } from '../../plain/format.ts'
import { clipLine, fillLine, say, type ScreenLine, type Size, type SpanTone } from '../line.ts'
import { topFor } from '../list.ts'
import type { Scene } from '../scene.ts'

/** The line of counts above the tree. */
const HEAD = 1

export function tasksPane(scene: Scene, { columns, rows }: Size): ScreenLine[] {
  const { tasks: board, ui } = scene
  if (board === null || board.counts.all === 0) return [[say('There is no task.', 'dim')]]
  const listed = listedTasks(scene)
  const cursor = taskCursor(scene)
  const room = Math.max(0, rows - HEAD)
  const top = topFor(cursor, Math.max(0, cursor - Math.floor(room / 2)), {
    length: listed.length,
    rows: room,
  })
  const lines = listed.slice(top, top + room).map((task, index) => {
    const line = clipLine(taskLine(task, ui.folded.includes(task.id)), columns)
    if (top + index !== cursor || ui.focus !== 'plan') return line
    return fillLine(line, columns).map((span) => ({ ...span, tone: 'mark' as const }))
  })
  return [clipLine([say(sayCounts(board.counts))], columns), ...lines]
}

export function tasksRows(scene: Scene): number {
  return listedTasks(scene).length + HEAD
}

export function listedTasks({ tasks, ui }: Scene): BoardTask[] {
  return boardRows(tasks?.tasks ?? [], ui)
}

/** Where somebody put it, else at what is worked on, else at what comes next. */
export function taskCursor(scene: Scene): number {
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

function taskLine({ id, title, depth, status, children, why, usd }: BoardTask, folded: boolean): ScreenLine {
  const { glyph, tone } = MARKS[status]
  const words: SpanTone | undefined =
    status === 'done' ? 'dim' : status === 'in_progress' ? 'bold' : undefined
  const below = children === 0 ? '' : folded ? ` [+${children}]` : ' [-]'
  return [
    say('  '.repeat(depth)),
    tone === undefined ? say(glyph) : say(glyph, tone),
    say(` ${id} `, 'dim'),
    words === undefined ? say(title) : say(title, words),
    say(below, 'dim'),
    ...(usd === null ? [] : [say(` ${dollars(usd)}`, 'dim')]),
    ...(why === null ? [] : [say(` ${why}`, status === 'failed' ? 'bad' : 'warn')]),
  ]
}
