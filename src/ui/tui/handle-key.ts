/** What a key does: the screen after it, and what is wished of the run. Wishes are carried out elsewhere. */
import { never } from '../../core/assert-never.ts'
import { BOARD_FILTERS } from '../../core/presentation/task-board.ts'
import type { DetailPart } from '../../app/run/history.ts'
import { nextPane, paneSizeOf } from './render-frame.ts'
import { outputSourceOf, lastIteration, selectedIteration } from './iterations.ts'
import type { Key } from './parse-keys.ts'
import { plainText, type Size } from './line.ts'
import { scrollTop, moveCursor } from './list-window.ts'
import { detailLines, detailTop } from './panes/detail.ts'
import { iterationsTop } from './panes/iterations.ts'
import { listedTasks, taskCursor } from './panes/tasks.ts'
import { scrollOutput } from './panes/output.ts'
import {
  isInterrupted,
  isRunOver,
  PANES,
  PARTS,
  withNotice,
  type InputMode,
  type Pane,
  type DashboardScene,
  type ViewState,
} from './dashboard-scene.ts'
import { find, newScrollback } from './scrollback.ts'
import { shown } from './text-width.ts'

export type KeyAction =
  /** Away from the run, which goes on. */
  | { do: 'detach' }
  | { do: 'stop'; thenLeave: boolean }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'steer'; text: string }
  /** `scene.ui.chosen` says whose words to read from now on. */
  | { do: 'hear' }
  | { do: 'suspend' }
  | { do: 'redraw' }

export interface KeyResult {
  scene: DashboardScene
  action: KeyAction | null
}

/** What the engine takes of one text. */
const TEXT_MAX = 500

export function handleKey(scene: DashboardScene, key: Key, size: Size): KeyResult {
  if (key.is === 'suspend') return { scene, action: { do: 'suspend' } }
  if (key.is === 'redraw') return { scene, action: { do: 'redraw' } }
  const { mode } = scene.ui
  switch (mode.is) {
    case 'help':
      return stay(enter(scene, { is: 'look' }))
    case 'leave?':
      return answerLeave(enter(scene, { is: 'look' }), key)
    case 'stop?':
      return isChar(key, 'y')
        ? { scene: enter(scene, { is: 'look' }), action: { do: 'stop', thenLeave: false } }
        : stay(enter(scene, { is: 'look' }))
    case 'type':
      return typing(scene, mode, key, size)
    case 'look':
      return looking(scene, key, size)
    default:
      return never(mode)
  }
}

/** A second Ctrl+C is somebody who wants out, and leaving hurts nobody. */
function answerLeave(scene: DashboardScene, key: Key): KeyResult {
  if (isChar(key, 's')) return { scene, action: { do: 'stop', thenLeave: true } }
  if (isChar(key, 'd') || key.is === 'interrupt') return { scene, action: { do: 'detach' } }
  return stay(scene)
}

function typing(
  scene: DashboardScene,
  mode: Extract<InputMode, { is: 'type' }>,
  key: Key,
  size: Size,
): KeyResult {
  const write = (text: string): KeyResult =>
    stay(enter(scene, { ...mode, text: Array.from(text).slice(0, TEXT_MAX).join('') }))
  switch (key.is) {
    case 'char':
      return write(mode.text + key.char)
    case 'paste':
      return write(mode.text + shown(key.text))
    case 'backspace':
      return write(Array.from(mode.text).slice(0, -1).join(''))
    case 'clear-line':
      return write('')
    case 'enter':
      return typedDone(enter(scene, { is: 'look' }), mode, size)
    case 'escape':
    case 'interrupt':
      return stay(enter(scene, { is: 'look' }))
    case 'up':
    case 'down':
    case 'left':
    case 'right':
    case 'page-up':
    case 'page-down':
    case 'home':
    case 'end':
    case 'tab':
    case 'back-tab':
    case 'suspend':
    case 'redraw':
      return stay(scene)
    default:
      return never(key)
  }
}

function typedDone(
  scene: DashboardScene,
  { what, text }: { what: 'steer' | 'search'; text: string },
  size: Size,
): KeyResult {
  if (what === 'steer')
    return text.trim() === '' ? stay(scene) : { scene, action: { do: 'steer', text: text.trim() } }
  const asked = patch(focused(scene, scene.ui.focus === 'detail' ? 'detail' : 'words'), { search: text })
  return stay(text === '' ? asked : jump(asked, { on: true }, size))
}

function looking(scene: DashboardScene, key: Key, size: Size): KeyResult {
  switch (key.is) {
    case 'interrupt':
      return leave(scene)
    case 'escape':
      return live(scene)
    case 'tab':
      return stay(focused(scene, nextPane(scene.ui.focus, 1)))
    case 'back-tab':
      return stay(focused(scene, nextPane(scene.ui.focus, -1)))
    case 'up':
      return scroll(scene, -1, size)
    case 'down':
      return scroll(scene, 1, size)
    case 'page-up':
      return scroll(scene, -pageRows(scene, size), size)
    case 'page-down':
      return scroll(scene, pageRows(scene, size), size)
    case 'home':
      return scroll(scene, -BEYOND, size)
    case 'end':
      return scroll(scene, BEYOND, size)
    case 'left':
      return stay(isAtTasks(scene) ? fold(scene, 'fold') : otherPart(scene, -1))
    case 'right':
      return stay(isAtTasks(scene) ? fold(scene, 'unfold') : otherPart(scene, 1))
    case 'enter':
      if (isAtTasks(scene)) return stay(fold(scene, 'other'))
      return stay(scene.ui.focus === 'iterations' ? focused(scene, 'detail') : scene)
    case 'char':
      return command(scene, key.char, size)
    case 'backspace':
    case 'clear-line':
    case 'paste':
    case 'suspend':
    case 'redraw':
      return stay(scene)
    default:
      return never(key)
  }
}

function command(scene: DashboardScene, char: string, size: Size): KeyResult {
  const pane = PANES[Number(char) - 1]
  if (pane !== undefined) return stay(focused(scene, pane))
  switch (char) {
    case 'q':
      return leave(scene)
    case '?':
      return stay(enter(scene, { is: 'help' }))
    case 'p':
      return steering(scene, { scene, action: { do: 'pause' } })
    case 'r':
      return steering(scene, { scene, action: { do: 'resume' } })
    case 's':
      return steering(scene, stay(enter(scene, { is: 'type', what: 'steer', text: '' })))
    case 'x':
      return steering(scene, stay(enter(scene, { is: 'stop?' })))
    case '/':
      return stay(enter(scene, { is: 'type', what: 'search', text: '' }))
    case 'n':
      return stay(jump(scene, { on: true }, size))
    case 'N':
      return stay(jump(scene, { on: false }, size))
    case 'o':
      return stay(patch(scene, { expanded: !scene.ui.expanded }))
    case 'f':
      return stay(isAtTasks(scene) ? otherFilter(scene) : scene)
    case 'z':
      return stay(patch(scene, { zoomed: !scene.ui.zoomed }))
    case 'k':
      return scroll(scene, -1, size)
    case 'j':
      return scroll(scene, 1, size)
    case 'g':
      return scroll(scene, -BEYOND, size)
    case 'G':
      return scroll(scene, BEYOND, size)
    case '[':
      return otherIteration(scene, -1)
    case ']':
      return otherIteration(scene, 1)
    case 'w':
      return stay(focused(scene, 'words'))
    case 'd':
      return stay(withPart(scene, 'diff'))
    case 't':
      return stay(withPart(scene, 'gates'))
    case 'e':
      return stay(withPart(scene, 'evidence'))
    default:
      return stay(scene)
  }
}

function leave(scene: DashboardScene): KeyResult {
  const over = isRunOver(scene) || isInterrupted(scene) || scene.view === null
  if (over || scene.ui.leaving === 'detaches') return { scene, action: { do: 'detach' } }
  return stay(enter(scene, { is: 'leave?' }))
}

/** Only a run that somebody serves can be asked anything. */
function steering(scene: DashboardScene, wanted: KeyResult): KeyResult {
  if (isRunOver(scene))
    return stay(withNotice(scene, { text: 'The run has ended; there is nothing to steer.', bad: true }))
  if (isInterrupted(scene))
    return stay(
      withNotice(scene, { text: 'No process serves this run; take it up with: ralph resume', bad: true }),
    )
  return wanted
}

/** More lines than any scrollback has. */
const BEYOND = 1_000_000

/** One line of the page before stays for the eye to hold on to. */
function pageRows(scene: DashboardScene, size: Size): number {
  return Math.max(1, (paneSizeOf(scene, scene.ui.focus, size)?.rows ?? 2) - 1)
}

function scroll(scene: DashboardScene, lines: number, size: Size): KeyResult {
  const { focus } = scene.ui
  switch (focus) {
    case 'words':
      return stay(scrollWords(scene, lines, size))
    case 'iterations':
      return choose(scene, moveCursor(selectedIteration(scene) - 1, lines, lastIteration(scene)) + 1, size)
    case 'detail':
      return stay(scrollDetail(scene, lines, size))
    case 'plan':
      return stay(isAtTasks(scene) ? chooseTask(scene, lines) : scrollList(scene, focus, lines))
    case 'decisions':
    case 'events':
    case 'run':
      return stay(scrollList(scene, focus, lines))
    default:
      return never(focus)
  }
}

function scrollWords(scene: DashboardScene, lines: number, size: Size): DashboardScene {
  const { columns, rows } = paneSizeOf(scene, 'words', size) ?? size
  const { at, expanded } = scene.ui
  const place = scrollOutput(scene.words, at.words ?? null, { lines, rows, columns, expanded })
  return patch(scene, { at: withPlace(at, 'words', place) })
}

function scrollDetail(scene: DashboardScene, lines: number, size: Size): DashboardScene {
  const room = paneSizeOf(scene, 'detail', size) ?? size
  const length = detailLines(scene, room.columns).length
  const entry = scrollTop(detailTop(scene, room), lines, { length, rows: room.rows })
  return patch(scene, { at: withPlace(scene.ui.at, 'detail', entry === 0 ? null : { entry, line: 0 }) })
}

function scrollList(
  scene: DashboardScene,
  pane: 'decisions' | 'events' | 'plan' | 'run',
  lines: number,
): DashboardScene {
  const { at } = scene.ui
  const length = {
    decisions: scene.view?.decisions.length ?? 0,
    events: scene.events.length,
    plan: scene.plan?.length ?? 0,
    run: 0,
  }[pane]
  if (length === 0) return scene
  // The plan is read from its top; the others from their newest line.
  const from = at[pane]?.entry ?? (pane === 'plan' ? 0 : length - 1)
  const entry = moveCursor(from, lines, length)
  const following = pane !== 'plan' && entry === length - 1
  return patch(scene, { at: withPlace(at, pane, following ? null : { entry, line: 0 }) })
}

function isAtTasks({ ui, tasks }: DashboardScene): boolean {
  return ui.focus === 'plan' && tasks !== null
}

function chooseTask(scene: DashboardScene, lines: number): DashboardScene {
  const entry = moveCursor(taskCursor(scene), lines, listedTasks(scene).length)
  return patch(scene, { at: withPlace(scene.ui.at, 'plan', { entry: Math.max(0, entry), line: 0 }) })
}

/** The cursor stays with its task: what is folded lies below it. */
function fold(scene: DashboardScene, how: 'fold' | 'unfold' | 'other'): DashboardScene {
  const task = listedTasks(scene)[taskCursor(scene)]
  if (task === undefined || task.children === 0) return scene
  const { folded } = scene.ui
  const others = folded.filter((id) => id !== task.id)
  const folds = how === 'fold' || (how === 'other' && others.length === folded.length)
  return patch(chooseTask(scene, 0), { folded: folds ? [...others, task.id] : others })
}

function otherFilter(scene: DashboardScene): DashboardScene {
  const filter = BOARD_FILTERS[(BOARD_FILTERS.indexOf(scene.ui.filter) + 1) % BOARD_FILTERS.length] ?? 'all'
  return patch(scene, { filter, at: withPlace(scene.ui.at, 'plan', null) })
}

function withPlace(at: ViewState['at'], pane: Pane, place: ViewState['at'][Pane] | null): ViewState['at'] {
  const { [pane]: _before, ...others } = at
  return place === null || place === undefined ? others : { ...others, [pane]: place }
}

/** On: in the words from the newest back; in a detail, which is read from its top, from the top down. */
function jump(scene: DashboardScene, { on }: { on: boolean }, size: Size): DashboardScene {
  const { search, at, focus } = scene.ui
  if (search === '') return withNotice(scene, { text: 'Nothing is searched for: press / first.', bad: true })
  if (focus === 'detail') return jumpInDetail(scene, { up: !on }, size)
  const from = at.words?.entry ?? scene.words.next
  const found = find(scene.words, search, { from, back: on })
  if (found === null)
    return withNotice(scene, { text: `No ${on ? 'older' : 'newer'} line has "${search}".`, bad: true })
  return patch(focused(scene, 'words'), { at: { ...at, words: { entry: found, line: 0 } } })
}

function jumpInDetail(scene: DashboardScene, { up }: { up: boolean }, size: Size): DashboardScene {
  const room = paneSizeOf(scene, 'detail', size) ?? size
  const wanted = scene.ui.search.toLowerCase()
  const lines = detailLines(scene, room.columns).map((line) => plainText(line).toLowerCase())
  const from = scene.ui.at.detail?.entry ?? -1
  const found = up
    ? lines.findLastIndex((line, index) => index < from && line.includes(wanted))
    : lines.findIndex((line, index) => index > from && line.includes(wanted))
  if (found === -1)
    return withNotice(scene, {
      text: `No line ${up ? 'above' : 'below'} has "${scene.ui.search}".`,
      bad: true,
    })
  return patch(scene, { at: withPlace(scene.ui.at, 'detail', { entry: found, line: 0 }) })
}

function otherIteration(scene: DashboardScene, step: 1 | -1): KeyResult {
  const last = lastIteration(scene)
  const wanted = selectedIteration(scene) + step
  if (last === 0) return stay(scene)
  if (wanted < 1) return stay(withNotice(scene, { text: 'There is no earlier iteration.', bad: true }))
  return wanted > last ? live(scene) : choose(scene, wanted, null)
}

/** `size`: the list moves no further than it must. */
function choose(scene: DashboardScene, position: number, size: Size | null): KeyResult {
  const { ui } = scene
  const chosen = outputSourceOf(scene, position)
  if (chosen?.at === ui.chosen?.at) return stay(scene)
  const room = size === null ? null : paneSizeOf(scene, 'iterations', size)
  const top = room === null ? null : { entry: iterationsTop(scene, room.rows), line: 0 }
  const at = withPlace({}, 'iterations', chosen === null ? null : (top ?? ui.at.iterations ?? null))
  return {
    scene: { ...patch(scene, { chosen, at }), words: newScrollback(), outputSource: null },
    action: { do: 'hear' },
  }
}

function otherPart(scene: DashboardScene, step: 1 | -1): DashboardScene {
  if (scene.ui.focus !== 'detail') return scene
  const at = PARTS.indexOf(scene.ui.part) + step
  return withPart(scene, PARTS[(at + PARTS.length) % PARTS.length] ?? 'diff')
}

function withPart(scene: DashboardScene, part: DetailPart): DashboardScene {
  return patch(focused(scene, 'detail'), { part, at: withPlace(scene.ui.at, 'detail', null) })
}

/** Where there is room for one of them only, words and detail stand in the same place. */
function focused(scene: DashboardScene, focus: Pane): DashboardScene {
  return patch(scene, focus === 'words' || focus === 'detail' ? { focus, main: focus } : { focus })
}

/** Back to the newest words, with nothing searched. */
function live(scene: DashboardScene): KeyResult {
  const { chosen } = scene.ui
  const calm = patch(scene, { chosen: null, at: {}, search: '', notice: null })
  return chosen === null
    ? stay(calm)
    : { scene: { ...calm, words: newScrollback(), outputSource: null }, action: { do: 'hear' } }
}

function isChar(key: Key, char: string): boolean {
  return key.is === 'char' && key.char.toLowerCase() === char
}

function enter(scene: DashboardScene, mode: InputMode): DashboardScene {
  return patch(scene, { mode })
}

function patch(scene: DashboardScene, change: Partial<ViewState>): DashboardScene {
  return { ...scene, ui: { ...scene.ui, ...change } }
}

function stay(scene: DashboardScene): KeyResult {
  return { scene, action: null }
}
