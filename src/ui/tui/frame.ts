/** One whole screen: the panes where they stand at this size, with a head line above and the keys below. */
import { focus } from '../../domain/tell/focus.ts'
import { never } from '../../domain/machine.ts'
import { toneOf } from '../../domain/tell/outcome-words.ts'
import { arrange, isStacked } from './arrange.ts'
import { detailed, lastIteration } from './iterations.ts'
import { compose, fitted, sizeOf } from './layout.ts'
import { clipLine, fillLine, say, widthOf, type ScreenLine, type Size, type Span } from './line.ts'
import { inSight } from './list.ts'
import { detailLines, detailPane, detailTop } from './panes/detail.ts'
import { iterationsPane, iterationsTop } from './panes/iterations.ts'
import { outcomeWords, runPane } from './panes/run.ts'
import { wordsPane } from './panes/words.ts'
import { helpPane } from './panes/help.ts'
import { planPane } from './panes/plan.ts'
import { tasksPane } from './panes/tasks.ts'
import { decisionsPane, eventsPane } from './panes/story.ts'
import { isCutOff, isOver, PANES, PARTS, type Pane, type Scene } from './scene.ts'
import { timeOfDay } from './time-of-day.ts'

export const SMALLEST: Size = { columns: 60, rows: 15 }
/** One pane alone needs no more than this. */
const SMALLEST_ALONE: Size = { columns: 24, rows: 5 }

export function frame(scene: Scene, size: Size): ScreenLine[] {
  const least = scene.ui.alone ? SMALLEST_ALONE : SMALLEST
  if (size.columns < least.columns || size.rows < least.rows) return tooSmall(size, least)
  const body = bodyOf(size)
  const lines = [
    headLine(scene, size.columns),
    ...fitted(bodyLines(scene, body), body),
    footLine(scene, size.columns),
  ]
  return lines.map((line) => clipLine(line, size.columns))
}

/** Without the head line and the keys. */
function bodyOf({ columns, rows }: Size): Size {
  return { columns, rows: rows - 2 }
}

function tooSmall({ columns, rows }: Size, least: Size): ScreenLine[] {
  const lines: ScreenLine[] = [
    [say(`This terminal has ${columns}×${rows};`)],
    [say(`the dashboard needs ${least.columns}×${least.rows}.`)],
    [say('Make it larger, or press q.')],
  ]
  return fitted(lines, { columns, rows })
}

function bodyLines(scene: Scene, body: Size): ScreenLine[] {
  if (scene.ui.mode.is === 'help') return helpPane(body)
  const bare = isStacked(scene, body)
  return compose(arrange(scene, body), (pane, size) =>
    pane === 'run' && bare ? runPane(scene, size) : titled(scene, pane, size),
  )
}

/** The room a pane has below its title; null: it is not on the screen. */
export function roomOf(scene: Scene, pane: Pane, size: Size): Size | null {
  const found = sizeOf(arrange(scene, bodyOf(size)), pane)
  return found === null ? null : { columns: found.columns, rows: found.rows - 1 }
}

function titled(scene: Scene, pane: Pane, size: Size): ScreenLine[] {
  const inner = { columns: size.columns, rows: size.rows - 1 }
  return [titleLine(scene, pane, inner), ...contentOf(scene, pane, inner)]
}

function contentOf(scene: Scene, pane: Pane, size: Size): ScreenLine[] {
  switch (pane) {
    case 'words':
      return wordsPane(scene, size)
    case 'decisions':
      return decisionsPane(scene, size)
    case 'events':
      return eventsPane(scene, size)
    case 'plan':
      return scene.tasks === null ? planPane(scene, size) : tasksPane(scene, size)
    case 'run':
      return runPane(scene, size)
    case 'iterations':
      return iterationsPane(scene, size)
    case 'detail':
      return detailPane(scene, size)
    default:
      return never(pane)
  }
}

function titleLine(scene: Scene, pane: Pane, inner: Size): ScreenLine {
  const focused = scene.ui.focus === pane
  const detail = detailsOf(scene, pane, inner).filter((part) => part !== '')
  const line: ScreenLine = [
    focused ? say('─▸', 'bold') : say('──', 'dim'),
    ...nameOf(scene, pane, focused),
    say(detail.length === 0 ? ' ' : ` · ${detail.join(' · ')} `, 'dim'),
  ]
  return clipLine(
    [...line, say('─'.repeat(Math.max(0, inner.columns - widthOf(line))), 'dim')],
    inner.columns,
  )
}

/** The detail has a name for each of its parts, and the one that is shown stands in brackets. */
function nameOf({ ui, tasks }: Scene, pane: Pane, focused: boolean): Span[] {
  const tone = focused ? 'bold' : 'dim'
  if (pane === 'plan' && tasks !== null) return [say('tasks', tone)]
  if (pane !== 'detail') return [say(pane, tone)]
  return PARTS.flatMap((part, index) => [
    say(index === 0 ? '' : ' '),
    part === ui.part ? say(`[${part}]`, tone) : say(part, 'dim'),
  ])
}

function detailsOf(scene: Scene, pane: Pane, inner: Size): string[] {
  const { ui, hearing, words, view, plan } = scene
  const back = ui.at[pane] === undefined ? '' : 'scrolled back, G: newest'
  const live = ui.chosen === null ? '' : 'esc: live again'
  switch (pane) {
    case 'words':
      return [
        hearing === null ? '' : `iteration ${hearing.iteration}`,
        live,
        back,
        ui.search === '' ? '' : `"${ui.search}"`,
        ui.unfolded ? 'unfolded' : '',
        words.gone > 0 && ui.at.words === undefined ? `${words.gone} lines gone` : '',
      ]
    case 'iterations':
      return [
        inSight(iterationsTop(scene, inner.rows), { length: lastIteration(scene), rows: inner.rows }),
        live,
      ]
    case 'detail': {
      const n = detailed(scene)
      const length = detailLines(scene, inner.columns).length
      return [n === 0 ? '' : `iteration ${n}`, inSight(detailTop(scene, inner), { length, rows: inner.rows })]
    }
    case 'plan': {
      if (scene.tasks !== null) return [ui.filter === 'all' ? '' : `only ${ui.filter} ones, f: others`]
      const boxes = focus(view)?.boxes
      const done = plan?.filter((box) => box.done).length
      const changed = boxes != null && plan !== null && isOver(scene) && boxes.done !== done
      return [changed ? 'as it stands now' : '']
    }
    case 'decisions':
    case 'events':
      return [back]
    case 'run':
      return []
    default:
      return never(pane)
  }
}

function headLine(scene: Scene, width: number): ScreenLine {
  const { view } = scene
  const left: ScreenLine = [say('Ralph', 'bold')]
  if (view !== null) left.push(say(' · run '), say(view.run, 'head'), say(` · ${view.project}`))
  const right: ScreenLine = [...stateMark(scene), say(` ${timeOfDay(scene.now, scene.zone)}`, 'dim')]
  const room = Math.max(0, width - widthOf(right) - 1)
  return [...fillLine(left, room), say(' '), ...right]
}

function stateMark(scene: Scene): ScreenLine {
  const { view, unknown } = scene
  if (view === null) return []
  const newer: Span[] = unknown > 0 ? [say(`${unknown} newer rows not shown `, 'warn')] : []
  if (view.outcome !== null) return [...newer, say(outcomeWords(view), toneOf(view.outcome))]
  if (isCutOff(scene)) return [...newer, say('CUT OFF', 'bad')]
  return [...newer, say(view.is, view.is === 'going' ? 'good' : 'warn')]
}

function footLine(scene: Scene, width: number): ScreenLine {
  const { mode, notice } = scene.ui
  switch (mode.is) {
    case 'leave?':
      return [say('The run goes on.', 'warn'), say(' Stop (s) · Detach (d) · Cancel (c)', 'bold')]
    case 'stop?':
      return [say('Stop the run and end its agent?', 'warn'), say(' Yes (y) · Cancel (c)', 'bold')]
    case 'type':
      return typed(mode, width)
    case 'help':
      return [say('any key closes this', 'dim')]
    case 'look':
      if (notice !== null && scene.now < notice.until) return [say(notice.text, notice.bad ? 'bad' : 'good')]
      return keysLine(scene, width)
    default:
      return never(mode)
  }
}

function typed({ what, text }: { what: 'steer' | 'search'; text: string }, width: number): ScreenLine {
  const lead = what === 'steer' ? 'tell the agent: ' : 'search: '
  const tail = ' (enter, esc)'
  // The end of a long text is what is being written.
  const room = width - lead.length - tail.length - 1
  const points = Array.from(text)
  while (widthOf([say(points.join(''))]) > room && points.length > 0) points.shift()
  return [say(lead, 'bold'), say(points.join('')), say('▏', 'mark'), say(tail, 'dim')]
}

type KeyWords = [key: string, does: string]

function keysLine(scene: Scene, width: number): ScreenLine {
  const over = isOver(scene) || isCutOff(scene)
  const paused = scene.view?.is === 'paused'
  const steering: KeyWords[] = over
    ? []
    : [paused ? ['r', 'resume'] : ['p', 'pause'], ['s', 'steer'], ['x', 'stop']]
  const around: KeyWords[] = [
    ['tab', 'pane'],
    ['z', 'zoom'],
  ]
  const here = keysHere(scene)
  const looking =
    scene.ui.focus === 'iterations' ||
    scene.ui.focus === 'detail' ||
    (scene.ui.focus === 'plan' && scene.tasks !== null)
  const keys: KeyWords[] = [
    ['q', over ? 'quit' : 'leave'],
    ...(looking ? [...here, ...around, ...steering] : [...steering, ...around, ...here]),
  ]
  const help: ScreenLine = [say('?', 'bold'), say(' keys')]
  const line: ScreenLine = []
  for (const [key, what] of keys) {
    const piece: ScreenLine = [say(key, 'bold'), say(` ${what}  `, 'dim')]
    if (widthOf([...line, ...piece, ...help]) > width) break
    line.push(...piece)
  }
  return [...line, ...help]
}

/** What is of use in the pane that has the focus. */
function keysHere({ ui, tasks }: Scene): KeyWords[] {
  switch (ui.focus) {
    case 'iterations':
      return [
        ['↑↓', 'choose'],
        ['d', 'diff'],
        ['t', 'gates'],
        ['e', 'evidence'],
        ['w', 'words'],
      ]
    case 'detail':
      return [
        ['←→', 'part'],
        ['[ ]', 'iteration'],
        ['w', 'words'],
        ['/', 'search'],
      ]
    case 'words':
      return [
        ['/', 'search'],
        ['o', 'unfold'],
        ['[ ]', 'iteration'],
        ['d', 'diff'],
      ]
    case 'plan':
      return tasks === null
        ? [['[ ]', 'iteration']]
        : [
            ['←→', 'fold'],
            ['f', 'filter'],
            ['↑↓', 'choose'],
          ]
    case 'decisions':
    case 'events':
    case 'run':
      return [['[ ]', 'iteration']]
    default:
      return never(ui.focus)
  }
}

export function nextPane(pane: Pane, step: 1 | -1): Pane {
  return PANES[(PANES.indexOf(pane) + step + PANES.length) % PANES.length] ?? 'words'
}
