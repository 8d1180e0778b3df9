/** One full screen: the panes in their layout, with a head line above and the keys below. */
import { assertNever } from '../../core/assert-never.ts'
import { outcomeTone } from '../../core/presentation/outcome-text.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import { arrangePanes, isStacked } from './arrange-panes.ts'
import { composeLines, fitLines, findPaneSize } from './layout.ts'
import { clipLine, fillLine, toSpan, lineWidth, type ScreenLine, type Size, type Span } from './screen-line.ts'
import { plural } from '../plain/format-values.ts'
import { outcomeText } from './panes/run.ts'
import { paneViewOf, searchedPane } from './panes.ts'
import { helpLines } from './panes/help.ts'
import { isInterrupted, isRunOver, type PaneName, type DashboardScene } from './dashboard-scene.ts'
import { timeOfDay } from './time-of-day.ts'

export const SMALLEST_SIZE: Size = { columns: 60, rows: 15 }
/** The minimum size, with a single pane. */
const SMALLEST_ALONE: Size = { columns: 24, rows: 5 }

export function renderFrame(scene: DashboardScene, size: Size): ScreenLine[] {
  const least = scene.ui.alone ? SMALLEST_ALONE : SMALLEST_SIZE
  if (size.columns < least.columns || size.rows < least.rows) return tooSmall(size, least)
  const body = bodyOf(size)
  const lines = [
    headLine(scene, size.columns),
    ...fitLines(bodyLines(scene, body), body),
    footLine(scene, size.columns),
  ]
  return lines.map((line) => clipLine(line, size.columns))
}

/** The screen without the head line and the keys. */
function bodyOf({ columns, rows }: Size): Size {
  return { columns, rows: rows - 2 }
}

function tooSmall({ columns, rows }: Size, least: Size): ScreenLine[] {
  const lines: ScreenLine[] = [
    [toSpan(`This terminal has ${columns}×${rows};`)],
    [toSpan(`the dashboard needs ${least.columns}×${least.rows}.`)],
    [toSpan('Make it larger, or press q.')],
  ]
  return fitLines(lines, { columns, rows })
}

function bodyLines(scene: DashboardScene, body: Size): ScreenLine[] {
  if (scene.ui.mode.is === 'help') return helpLines(body)
  const bare = isStacked(scene, body)
  return composeLines(arrangePanes(scene, body), (pane, size) =>
    pane === 'run' && bare ? paneViewOf(pane, scene).lines(scene, size) : titled(scene, pane, size),
  )
}

/** The space of a pane below its title; null: it is not on the screen. */
export function paneContentSize(scene: DashboardScene, pane: PaneName, size: Size): Size | null {
  const found = findPaneSize(arrangePanes(scene, bodyOf(size)), pane)
  return found === null ? null : { columns: found.columns, rows: found.rows - 1 }
}

function titled(scene: DashboardScene, pane: PaneName, size: Size): ScreenLine[] {
  const inner = { columns: size.columns, rows: size.rows - 1 }
  return [titleLine(scene, pane, inner), ...paneViewOf(pane, scene).lines(scene, inner)]
}

function titleLine(scene: DashboardScene, pane: PaneName, inner: Size): ScreenLine {
  const focused = scene.ui.focus === pane
  const tone = focused ? 'bold' : 'dim'
  const { title, notes } = paneViewOf(pane, scene)
  const detail = notes?.(scene, inner).filter((part) => part !== '') ?? []
  const line: ScreenLine = [
    focused ? toSpan('─▸', 'bold') : toSpan('──', 'dim'),
    ...(title?.(scene, tone) ?? [toSpan(pane, tone)]),
    toSpan(detail.length === 0 ? ' ' : ` · ${detail.join(' · ')} `, 'dim'),
  ]
  return clipLine([...line, toSpan('─'.repeat(Math.max(0, inner.columns - lineWidth(line))), 'dim')], inner.columns)
}

function headLine(scene: DashboardScene, width: number): ScreenLine {
  const { view } = scene
  const left: ScreenLine = [toSpan('Ralph', 'bold')]
  if (view !== null) left.push(toSpan(' · run '), toSpan(view.run, 'head'), toSpan(` · ${view.project}`))
  const right: ScreenLine = [...stateMark(scene), toSpan(timeOfDay(scene.now, scene.zone), 'dim')]
  const room = Math.max(0, width - lineWidth(right) - 1)
  return [...fillLine(left, room), toSpan(' '), ...right]
}

const STATE_NAMES: Record<RunView['is'], string> = {
  going: 'running',
  paused: 'paused',
  left: 'unfinished',
  stopping: 'stopping',
  ended: 'ended',
}

function stateMark(scene: DashboardScene): ScreenLine {
  const { view, unknown } = scene
  if (view === null) return []
  const newer: Span[] = unknown > 0 ? [toSpan(`${plural(unknown, 'unknown event')} not shown · `, 'warn')] : []
  return [...newer, stateName(view, { isCut: isInterrupted(scene) }), toSpan(' · ', 'dim')]
}

function stateName(view: RunView, { isCut }: { isCut: boolean }): Span {
  if (view.outcome !== null) return toSpan(outcomeText(view), outcomeTone(view.outcome))
  if (isCut) return toSpan('INTERRUPTED', 'bad')
  return toSpan(STATE_NAMES[view.is], view.is === 'going' ? 'good' : 'warn')
}

function footLine(scene: DashboardScene, width: number): ScreenLine {
  const { mode, notice, search, seeking } = scene.ui
  switch (mode.is) {
    case 'leave?':
      return [toSpan('Quit?', 'warn'), toSpan(' Stop the run (s) · Keep it running (d) · Cancel (c)', 'bold')]
    case 'stop?':
      return [toSpan('Stop the run and its agent?', 'warn'), toSpan(' Yes (y) · Cancel (c)', 'bold')]
    case 'type':
      return typed(mode, { what: promptFor(scene, mode.what), width })
    case 'help':
      return [toSpan('press any key to close', 'dim')]
    case 'look':
      if (seeking !== null)
        return [
          toSpan(`Searching ${seeking.back ? 'older' : 'newer'} iterations for "${search}" …`),
          toSpan(' esc: stop', 'dim'),
        ]
      if (notice !== null && scene.now < notice.until) return [toSpan(notice.text, notice.bad ? 'bad' : 'good')]
      return keysLine(scene, width)
    default:
      return assertNever(mode)
  }
}

function promptFor(scene: DashboardScene, what: 'steer' | 'search'): string {
  if (what === 'steer') return 'message for the next prompt: '
  return `search ${paneViewOf(searchedPane(scene), scene).searches?.(scene) ?? ''}: `
}

function typed({ text }: { text: string }, { what: lead, width }: { what: string; width: number }): ScreenLine {
  const tail = ' (enter, esc)'
  // Show the end of a long text: that is where the user types.
  const room = width - lead.length - tail.length - 1
  const points = Array.from(text)
  while (lineWidth([toSpan(points.join(''))]) > room && points.length > 0) points.shift()
  return [toSpan(lead, 'bold'), toSpan(points.join('')), toSpan('▏', 'mark'), toSpan(tail, 'dim')]
}

function keysLine(scene: DashboardScene, width: number): ScreenLine {
  const over = isRunOver(scene) || isInterrupted(scene)
  const paused = scene.view?.is === 'paused'
  const steering = over ? [] : [paused ? 'r resume' : 'p pause', 's steer', 'x stop']
  const around = ['tab pane', 'z zoom']
  const { keys: here, keysFirst } = paneViewOf(scene.ui.focus, scene)
  const keys = ['q quit', ...(keysFirst ? [...here, ...around, ...steering] : [...steering, ...around, ...here])]
  const help: ScreenLine = [toSpan('?', 'bold'), toSpan(' keys')]
  const line: ScreenLine = []
  for (const key of keys) {
    const at = key.lastIndexOf(' ')
    const piece: ScreenLine = [toSpan(key.slice(0, at), 'bold'), toSpan(`${key.slice(at)}  `, 'dim')]
    if (lineWidth([...line, ...piece, ...help]) > width) break
    line.push(...piece)
  }
  return [...line, ...help]
}
