/** One whole screen: which panes stand where at this size, with a head line above and the keys below. */
import { never } from '../../domain/machine.ts'
import { toneOf } from '../../domain/outcome-words.ts'
import { beside, clipLine, fillLine, say, widthOf, type Line, type Size, type Span } from './line.ts'
import { outcomeWords, runPane } from './pane-run.ts'
import { wordsPane } from './pane-words.ts'
import { decisionsPane, eventsPane, helpPane, planPane, timeOfDay } from './panes.ts'
import { isCutOff, isOver, PANES, type Pane, type Scene } from './scene.ts'

export const SMALLEST: Size = { columns: 60, rows: 15 }
/** One pane alone needs no more than this. */
const SMALLEST_ALONE: Size = { columns: 24, rows: 5 }
/** From here on there is room for two columns. */
const TWO_COLUMNS: Size = { columns: 100, rows: 20 }

export function frame(scene: Scene, size: Size): Line[] {
  const least = scene.ui.alone ? SMALLEST_ALONE : SMALLEST
  if (size.columns < least.columns || size.rows < least.rows) return tooSmall(size, least)
  const body = { columns: size.columns, rows: size.rows - 2 }
  const lines = [
    headLine(scene, size.columns),
    ...fitted(bodyLines(scene, body), body),
    footLine(scene, size.columns),
  ]
  return lines.map((line) => clipLine(line, size.columns))
}

function tooSmall({ columns, rows }: Size, least: Size): Line[] {
  const lines: Line[] = [
    [say(`This terminal has ${columns}×${rows};`)],
    [say(`the dashboard needs ${least.columns}×${least.rows}.`)],
    [say('Make it larger, or press q.')],
  ]
  return fitted(lines, { columns, rows })
}

function bodyLines(scene: Scene, body: Size): Line[] {
  if (scene.ui.mode.is === 'help') return helpPane(body)
  switch (shapeOf(scene, body)) {
    case 'alone':
      return titled(scene, scene.ui.focus, body)
    case 'stacked':
      return stacked(scene, body)
    case 'columns':
      return columns(scene, body)
  }
}

type Shape = 'alone' | 'stacked' | 'columns'

function shapeOf({ ui }: Scene, body: Size): Shape {
  if (ui.zoomed) return 'alone'
  if (body.columns >= TWO_COLUMNS.columns && body.rows + 2 >= TWO_COLUMNS.rows) return 'columns'
  return ui.focus === 'run' ? 'alone' : 'stacked'
}

/** The run above, and below it the pane that has the focus. */
function stacked(scene: Scene, body: Size): Line[] {
  const facts = runPane(scene, { columns: body.columns, rows: Math.floor(body.rows / 2) })
  return [
    ...facts,
    ...titled(scene, scene.ui.focus, { columns: body.columns, rows: body.rows - facts.length }),
  ]
}

function leftWidth(columns: number): number {
  return Math.max(46, Math.min(72, Math.floor(columns * 0.42)))
}

const RUN_ROWS = 11
const PLAN_ROWS = 9
/** A pane of less than this shows nothing worth its title. */
const LEAST_ROWS = 4

function columns(scene: Scene, body: Size): Line[] {
  const width = leftWidth(body.columns)
  const run = titled(scene, 'run', {
    columns: width,
    rows: Math.min(RUN_ROWS, runPane(scene, { columns: width, rows: RUN_ROWS - 1 }).length + 1),
  })
  const planRows = Math.min(PLAN_ROWS, (scene.plan?.length ?? 0) + 2)
  let left = body.rows - run.length
  const plan = left - planRows >= LEAST_ROWS ? titled(scene, 'plan', { columns: width, rows: planRows }) : []
  left -= plan.length
  const half = left >= 2 * LEAST_ROWS ? Math.ceil(left / 2) : left
  const decisions = titled(scene, 'decisions', { columns: width, rows: half })
  const events = left > half ? titled(scene, 'events', { columns: width, rows: left - half }) : []
  const right = { columns: body.columns - width - 1, rows: body.rows }
  return beside([...run, ...plan, ...decisions, ...events], titled(scene, 'words', right), { width })
}

/** Where the words stand, for whoever scrolls them. */
export function wordsSize(scene: Scene, size: Size): Size {
  const body = { columns: size.columns, rows: size.rows - 2 }
  switch (shapeOf(scene, body)) {
    case 'alone':
      return { columns: body.columns, rows: body.rows - 1 }
    case 'columns':
      return { columns: body.columns - leftWidth(body.columns) - 1, rows: body.rows - 1 }
    case 'stacked': {
      const facts = runPane(scene, { columns: body.columns, rows: Math.floor(body.rows / 2) }).length
      return { columns: body.columns, rows: body.rows - facts - 1 }
    }
  }
}

function titled(scene: Scene, pane: Pane, size: Size): Line[] {
  const inner = { columns: size.columns, rows: size.rows - 1 }
  return [titleLine(scene, pane, size.columns), ...fitted(contentOf(scene, pane, inner), inner)]
}

function contentOf(scene: Scene, pane: Pane, size: Size): Line[] {
  switch (pane) {
    case 'words':
      return wordsPane(scene, size)
    case 'decisions':
      return decisionsPane(scene, size)
    case 'events':
      return eventsPane(scene, size)
    case 'plan':
      return planPane(scene, size)
    case 'run':
      return runPane(scene, size)
    default:
      return never(pane)
  }
}

function titleLine(scene: Scene, pane: Pane, width: number): Line {
  const focused = scene.ui.focus === pane
  const name = focused ? say(`─▸${pane}`, 'bold') : say(`──${pane}`, 'dim')
  const detail = detailOf(scene, pane)
  const line: Line = [name, say(detail === '' ? ' ' : ` · ${detail} `, 'dim')]
  return clipLine([...line, say('─'.repeat(Math.max(0, width - widthOf(line))), 'dim')], width)
}

function detailOf({ ui, hearing, words }: Scene, pane: Pane): string {
  const scrolled = ui.at[pane] === undefined ? null : 'scrolled back, G: newest'
  if (pane !== 'words') return scrolled ?? ''
  const parts = [
    hearing === null ? null : `iteration ${hearing.iteration}`,
    ui.chosen === null ? null : 'esc: live again',
    scrolled,
    ui.search === '' ? null : `"${ui.search}"`,
    ui.unfolded ? 'unfolded' : null,
    words.gone > 0 && ui.at.words === undefined ? `${words.gone} lines gone` : null,
  ]
  return parts.filter((part) => part !== null).join(' · ')
}

function headLine(scene: Scene, width: number): Line {
  const { view } = scene
  const left: Line = [say('Ralph', 'bold')]
  if (view !== null) left.push(say(' · run '), say(view.run, 'head'), say(` · ${view.project}`))
  const right: Line = [...stateMark(scene), say(` ${timeOfDay(scene.now, scene.zone)}`, 'dim')]
  const room = Math.max(0, width - widthOf(right) - 1)
  return [...fillLine(left, room), say(' '), ...right]
}

function stateMark(scene: Scene): Line {
  const { view, unknown } = scene
  if (view === null) return []
  const newer: Span[] = unknown > 0 ? [say(`${unknown} newer rows not shown `, 'warn')] : []
  if (view.outcome !== null) return [...newer, say(outcomeWords(view), toneOf(view.outcome))]
  if (isCutOff(scene)) return [...newer, say('CUT OFF', 'bad')]
  return [...newer, say(view.is, view.is === 'going' ? 'good' : 'warn')]
}

function footLine(scene: Scene, width: number): Line {
  const { mode, notice } = scene.ui
  switch (mode.is) {
    case 'leave?':
      return [say('The run goes on.', 'warn'), say(' Stop (s) · Detach (d) · Cancel (c)', 'bold')]
    case 'stop?':
      return [say('Stop the run and end its agent?', 'warn'), say(' Yes (y) · Cancel (c)', 'bold')]
    case 'type':
      return typed(mode, width)
    case 'help':
    case 'look':
      if (notice !== null && scene.now < notice.until) return [say(notice.text, notice.bad ? 'bad' : 'good')]
      return keysLine(scene, width)
    default:
      return never(mode)
  }
}

function typed({ what, text }: { what: 'steer' | 'search'; text: string }, width: number): Line {
  const lead = what === 'steer' ? 'tell the agent: ' : 'search: '
  const tail = ' (enter, esc)'
  // The end of a long text is what is being written.
  const room = width - lead.length - tail.length - 1
  const points = Array.from(text)
  while (widthOf([say(points.join(''))]) > room && points.length > 0) points.shift()
  return [say(lead, 'bold'), say(points.join('')), say('▏', 'mark'), say(tail, 'dim')]
}

function keysLine(scene: Scene, width: number): Line {
  const over = isOver(scene) || isCutOff(scene)
  const paused = scene.view?.is === 'paused'
  const keys: [string, string][] = [
    ['q', over ? 'quit' : 'leave'],
    ...(over
      ? []
      : ([paused ? ['r', 'resume'] : ['p', 'pause'], ['s', 'steer'], ['x', 'stop']] as [string, string][])),
    ['tab', 'pane'],
    ['z', 'zoom'],
    ['/', 'search'],
    ['o', 'unfold'],
    ['[ ]', 'iteration'],
  ]
  const help: Line = [say('?', 'bold'), say(' keys')]
  const line: Line = []
  for (const [key, what] of keys) {
    const piece: Line = [say(key, 'bold'), say(` ${what}  `, 'dim')]
    if (widthOf([...line, ...piece, ...help]) > width) break
    line.push(...piece)
  }
  return [...line, ...help]
}

/** Exactly as many rows as there is room for, none too wide. */
function fitted(lines: Line[], { columns: width, rows }: Size): Line[] {
  return Array.from({ length: rows }, (_, row) => clipLine(lines[row] ?? [], width))
}

export function nextPane(pane: Pane, step: 1 | -1): Pane {
  return PANES[(PANES.indexOf(pane) + step + PANES.length) % PANES.length] ?? 'words'
}
