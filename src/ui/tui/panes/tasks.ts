/** The tasks of a run through tasks, in place of a loop's plan: a tree with states, what blocks each task, and its cost. */
import {
  BOARD_FILTERS,
  omittedTaskCount,
  visibleBoardTasks,
  type BoardFilter,
  type BoardTask,
} from '../../../core/presentation/task-board.ts'
import { describeTaskCounts } from '../../../core/tasks/task-text.ts'
import { formatDollars } from '../../plain/format-values.ts'
import { clipLine, reverseVideo, toSpan, lineWidth, type ScreenLine, type Size, type SpanTone } from '../screen-line.ts'
import { moveCursor, topForCursor } from '../list-window.ts'
import type { PaneView } from '../pane.ts'
import { scrollPaneTo, updateViewState, type DashboardScene } from '../dashboard-scene.ts'

/** The line of counts above the tree. */
const HEAD = 1

export const TASKS_PANE: PaneView = {
  title: (_scene, tone) => [toSpan('tasks', tone)],
  notes: ({ ui }) => [ui.filter === 'all' ? '' : `${ui.filter} only, f: change`],
  lines: taskLines,
  keys: ['←→ fold', 'f filter', '↑↓ choose'],
  keysFirst: true,
  wants: (scene) => listedTasks(scene).length + HEAD + moreLine(scene).length,
  scroll: chooseTask,
  press: {
    left: (scene) => fold(scene, 'fold'),
    right: (scene) => fold(scene, 'unfold'),
    enter: (scene) => fold(scene, 'other'),
    f: otherFilter,
  },
}

function chooseTask(scene: DashboardScene, by: number): DashboardScene {
  const entry = moveCursor(taskCursor(scene), by, listedTasks(scene).length)
  return scrollPaneTo(scene, 'plan', Math.max(0, entry))
}

/** The cursor stays on its task, because folded tasks are below it. */
function fold(scene: DashboardScene, how: 'fold' | 'unfold' | 'other'): DashboardScene {
  const task = listedTasks(scene)[taskCursor(scene)]
  if (task === undefined || task.children === 0) return scene
  const { folded } = scene.ui
  const others = folded.filter((id) => id !== task.id)
  const folds = how === 'fold' || (how === 'other' && others.length === folded.length)
  return updateViewState(chooseTask(scene, 0), { folded: folds ? [...others, task.id] : others })
}

function otherFilter(scene: DashboardScene): DashboardScene {
  const filter = BOARD_FILTERS[(BOARD_FILTERS.indexOf(scene.ui.filter) + 1) % BOARD_FILTERS.length] ?? 'all'
  return updateViewState(scrollPaneTo(scene, 'plan', null), { filter })
}

function taskLines(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const { tasks: board, ui } = scene
  if (board === null || board.counts.all === 0) return [[toSpan('There are no tasks.', 'dim')]]
  const listed = listedTasks(scene)
  const cursor = taskCursor(scene)
  const foot = moreLine(scene)
  const room = Math.max(0, rows - HEAD - foot.length)
  const top = topForCursor(cursor, Math.max(0, cursor - Math.floor(room / 2)), { length: listed.length, rows: room })
  const lines = listed.slice(top, top + room).map((task, index) => {
    const line = clipLine(taskLine(task, { folded: ui.folded.includes(task.id), columns }), columns)
    return top + index === cursor && ui.focus === 'plan' ? reverseVideo(line, columns) : line
  })
  return [[toSpan(describeTaskCounts(board.counts))], ...lines, ...foot].map((line) => clipLine(line, columns))
}

/** The tasks of a large graph that were not loaded, below the others. */
function moreLine({ tasks, ui }: DashboardScene): ScreenLine[] {
  const more = tasks === null ? 0 : omittedTaskCount(tasks, ui.filter)
  return more === 0 ? [] : [[toSpan(`… and ${more} more: ${LISTS[ui.filter]}`, 'dim')]]
}

const LISTS: Record<BoardFilter, string> = {
  all: 'ralph task list',
  open: 'ralph task list',
  blocked: 'ralph task list --status blocked',
  failed: 'ralph task list --status failed',
}

function listedTasks({ tasks, ui }: DashboardScene): BoardTask[] {
  return visibleBoardTasks(tasks?.tasks ?? [], ui)
}

/** Where the user moved it, else at the task in progress, else at the next one. */
function taskCursor(scene: DashboardScene): number {
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

/** Limits the indent of a deep task, so that most of the line is left for its title, and shows how many levels are missing. */
function indent(depth: number, columns: number): string {
  const shown = Math.min(depth, Math.floor(columns / 6))
  return depth === shown ? '  '.repeat(depth) : `${'  '.repeat(shown)}+${depth - shown} `
}

function taskLine(task: BoardTask, { folded, columns }: { folded: boolean; columns: number }): ScreenLine {
  const { id, title, depth, status, children, why, usd } = task
  const { glyph, tone } = MARKS[status]
  const words: SpanTone | undefined = status === 'done' ? 'dim' : status === 'in_progress' ? 'bold' : undefined
  const below = children === 0 ? '' : folded ? ` [+${children}]` : ' [-]'
  const before = [toSpan(indent(depth, columns)), toSpan(glyph, tone), toSpan(` ${id} `, 'dim')]
  const after = [
    toSpan(below, 'dim'),
    ...(usd === null ? [] : [toSpan(` ${formatDollars(usd)}`, 'dim')]),
    ...(why === null ? [] : [toSpan(` ${why}`, status === 'failed' ? 'bad' : 'warn')]),
  ]
  // Half of the room is for the title, the other half for the cost and the reason.
  const room = columns - lineWidth(before)
  const wide = Math.max(Math.floor(room / 2), room - lineWidth(after))
  return [...before, ...clipLine([toSpan(title, words)], wide), ...after]
}
