/** One line for each iteration: whether it made progress, its agent, time, cost, and its own summary. */
import { focusedWorker } from '../../../core/presentation/focused-worker.ts'
import { MARK_TONES, iterationMarkOf } from '../../../core/presentation/iteration-mark.ts'
import { countBudgetTokens } from '../../../core/admission/budget.ts'
import { DOCUMENT_FILES } from '../../../core/features/documents.ts'
import { assertNever } from '../../../core/assert-never.ts'
import type { IterationView } from '../../../core/presentation/run-view.ts'
import { formatElapsed, formatDollars, formatCompact } from '../../plain/format-values.ts'
import {
  chooseIteration,
  iterationAt,
  iterationName,
  lastIterationPosition,
  selectedIterationPosition,
} from '../iterations.ts'
import { reverseVideo, toSpan, type ScreenLine, type Size } from '../screen-line.ts'
import { moveCursor, topForCursor, visibleRangeText } from '../list-window.ts'
import type { PaneView } from '../pane.ts'
import { focusPane, isInterrupted, isRunOver, backToLiveHint, type DashboardScene } from '../dashboard-scene.ts'
import { cellWidth, truncateToCells, toPrintable } from '../text-width.ts'

export const ITERATIONS_PANE: PaneView = {
  notes: (scene, { rows }) => [
    visibleRangeText(firstVisibleIteration(scene, rows), { length: lastIterationPosition(scene), rows }),
    backToLiveHint(scene),
  ],
  lines: iterationLines,
  keys: ['↑↓ choose', 'd diff', 't gates', 'e evidence', 'm messages'],
  keysFirst: true,
  scroll(scene, by, { rows }) {
    const position = moveCursor(selectedIterationPosition(scene) - 1, by, lastIterationPosition(scene)) + 1
    // The list moves no further than necessary.
    return chooseIteration(scene, position, { entry: firstVisibleIteration(scene, rows), line: 0 })
  },
  press: { enter: (scene) => focusPane(scene, 'detail') },
}

function iterationLines(scene: DashboardScene, { columns, rows }: Size): ScreenLine[] {
  const last = lastIterationPosition(scene)
  if (last === 0) return [[toSpan('No iteration has started yet.', 'dim')]]
  const top = firstVisibleIteration(scene, rows)
  const chosen = selectedIterationPosition(scene)
  const positions = Array.from({ length: Math.min(rows, last - top) }, (_, row) => top + 1 + row)
  const wide = widths(
    scene,
    positions.map((at) => iterationAt(scene, at)),
  )
  const room = Math.max(String(last).length, ...positions.map((at) => iterationName(scene, at).length))
  return positions.map((n) => {
    const lead = toSpan(n === chosen ? '›' : ' ', 'bold')
    const number = toSpan(iterationName(scene, n).padStart(room), n === chosen ? 'bold' : 'dim')
    const one = iterationAt(scene, n)
    const line = [
      lead,
      number,
      toSpan(' '),
      ...(one === null ? [toSpan('…', 'dim')] : facts(scene, one, { wide, columns })),
    ]
    return n === chosen && scene.ui.focus === 'iterations' ? reverseVideo(line, columns) : line
  })
}

/** The first visible iteration, counted from 0. */
export function firstVisibleIteration(scene: DashboardScene, rows: number): number {
  const length = lastIterationPosition(scene)
  const cursor = Math.max(0, selectedIterationPosition(scene) - 1)
  return topForCursor(cursor, scene.ui.at.iterations?.entry ?? length, { length, rows })
}

interface Widths {
  agent: number
  time: number
  cost: number
  change: number
}

const AGENT_MAX = 12

function widths(scene: DashboardScene, iterations: (IterationView | null)[]): Widths {
  const most = (text: (one: IterationView) => string): number =>
    Math.max(0, ...iterations.map((one) => (one === null ? 0 : cellWidth(toPrintable(text(one))))))
  return {
    agent: Math.min(
      AGENT_MAX,
      most(({ agent }) => agent),
    ),
    time: most((one) => timeOf(scene, one)),
    cost: most(costOf),
    change: most(changeOf),
  }
}

/** From this width on, the size of the change is shown. */
const CHANGE_FROM = 66

function facts(
  scene: DashboardScene,
  one: IterationView,
  { wide, columns }: { wide: Widths; columns: number },
): ScreenLine {
  const agent = truncateToCells(toPrintable(one.agent), wide.agent)
  const mark = iterationMarkOf(one)
  return [
    toSpan(mark.glyph, MARK_TONES[mark.is]),
    toSpan(` ${agent}${' '.repeat(Math.max(0, wide.agent - cellWidth(agent)))} `),
    toSpan(timeOf(scene, one).padStart(wide.time), 'dim'),
    toSpan(` ${costOf(one).padStart(wide.cost)} `),
    ...(columns < CHANGE_FROM || wide.change === 0 ? [] : [toSpan(`${changeOf(one).padEnd(wide.change)} `, 'dim')]),
    ...wordsOf(scene, one),
  ]
}

/** For a running iteration: the time so far. */
function timeOf(scene: DashboardScene, { durationMs, startedAt }: IterationView): string {
  if (durationMs !== null) return formatElapsed(durationMs)
  return isRunOver(scene) || isInterrupted(scene) ? '' : formatElapsed(scene.now - startedAt)
}

/** An unknown cost is not zero. */
function costOf({ usage, end }: IterationView): string {
  if (end === null) return ''
  if (usage?.usd !== undefined) return formatDollars(usage.usd, usage)
  const tokens = usage === null ? 0 : countBudgetTokens(usage)
  return tokens > 0 ? `${formatCompact(tokens)} tok` : '?'
}

function changeOf({ change }: IterationView): string {
  if (change === null || (change.added === 0 && change.removed === 0)) return ''
  return `+${change.added} −${change.removed}`
}

function wordsOf(scene: DashboardScene, one: IterationView): ScreenLine {
  const { is, word } = iterationMarkOf(one)
  const ended = word === null ? [] : [toSpan(one.failure === null ? `${word} ` : `${word}: ${one.failure} `, 'warn')]
  switch (is) {
    case 'going':
      return [toSpan(isRunOver(scene) || isInterrupted(scene) ? 'interrupted' : `${activity(scene)} …`, 'head')]
    case 'refused':
      return [toSpan(`rejected: ${one.rejection ?? ''}`, 'warn')]
    case 'moved':
      return [...ended, toSpan(one.document === undefined ? one.summary : `${DOCUMENT_FILES[one.document]} written`)]
    case 'nothing':
      if (word !== null) return ended
      return [toSpan(one.summary === '' ? 'nothing changed' : `nothing changed: ${one.summary}`, 'dim')]
    default:
      return assertNever(is)
  }
}

function activity({ view }: DashboardScene): string {
  return focusedWorker(view)?.activity.is ?? 'working'
}
