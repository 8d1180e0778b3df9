/** What a key does: the screen after it, and what is wished of the run. Wishes are carried out elsewhere. */
import { never } from '../../domain/machine.ts'
import { nextPane, wordsSize } from './frame.ts'
import type { Key } from './keys.ts'
import type { Size } from './line.ts'
import { move } from './pane-words.ts'
import { isCutOff, isOver, PANES, withNotice, type Mode, type Pane, type Scene, type Ui } from './scene.ts'
import { find, newScrollback } from './scrollback.ts'
import { shown } from './width.ts'

export type Wish =
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

export interface Pressed {
  scene: Scene
  wish: Wish | null
}

/** What the engine takes of one text. */
const TEXT_MAX = 500

export function press(scene: Scene, key: Key, size: Size): Pressed {
  if (key.is === 'suspend') return { scene, wish: { do: 'suspend' } }
  if (key.is === 'redraw') return { scene, wish: { do: 'redraw' } }
  const { mode } = scene.ui
  switch (mode.is) {
    case 'help':
      return stay(enter(scene, { is: 'look' }))
    case 'leave?':
      return answerLeave(enter(scene, { is: 'look' }), key)
    case 'stop?':
      return isChar(key, 'y')
        ? { scene: enter(scene, { is: 'look' }), wish: { do: 'stop', thenLeave: false } }
        : stay(enter(scene, { is: 'look' }))
    case 'type':
      return typing(scene, mode, key)
    case 'look':
      return looking(scene, key, size)
    default:
      return never(mode)
  }
}

/** A second Ctrl+C is somebody who wants out, and leaving hurts nobody. */
function answerLeave(scene: Scene, key: Key): Pressed {
  if (isChar(key, 's')) return { scene, wish: { do: 'stop', thenLeave: true } }
  if (isChar(key, 'd') || key.is === 'interrupt') return { scene, wish: { do: 'detach' } }
  return stay(scene)
}

function typing(scene: Scene, mode: Extract<Mode, { is: 'type' }>, key: Key): Pressed {
  const write = (text: string): Pressed =>
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
      return typedDone(enter(scene, { is: 'look' }), mode)
    case 'escape':
    case 'interrupt':
      return stay(enter(scene, { is: 'look' }))
    case 'up':
    case 'down':
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

function typedDone(scene: Scene, { what, text }: { what: 'steer' | 'search'; text: string }): Pressed {
  if (what === 'steer')
    return text.trim() === '' ? stay(scene) : { scene, wish: { do: 'steer', text: text.trim() } }
  const asked = patch(scene, { search: text, focus: 'words' })
  return stay(text === '' ? asked : jump(asked, { older: true }))
}

function looking(scene: Scene, key: Key, size: Size): Pressed {
  switch (key.is) {
    case 'interrupt':
      return leave(scene)
    case 'escape':
      return live(scene)
    case 'tab':
      return stay(patch(scene, { focus: nextPane(scene.ui.focus, 1) }))
    case 'back-tab':
      return stay(patch(scene, { focus: nextPane(scene.ui.focus, -1) }))
    case 'up':
      return stay(scroll(scene, -1, size))
    case 'down':
      return stay(scroll(scene, 1, size))
    case 'page-up':
      return stay(scroll(scene, 1 - wordsSize(scene, size).rows, size))
    case 'page-down':
      return stay(scroll(scene, wordsSize(scene, size).rows - 1, size))
    case 'home':
      return stay(scroll(scene, -Infinity, size))
    case 'end':
      return stay(scroll(scene, Infinity, size))
    case 'char':
      return command(scene, key.char, size)
    case 'enter':
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

function command(scene: Scene, char: string, size: Size): Pressed {
  const pane = PANES[Number(char) - 1]
  if (pane !== undefined) return stay(patch(scene, { focus: pane }))
  switch (char) {
    case 'q':
      return leave(scene)
    case '?':
      return stay(enter(scene, { is: 'help' }))
    case 'p':
      return steering(scene, { scene, wish: { do: 'pause' } })
    case 'r':
      return steering(scene, { scene, wish: { do: 'resume' } })
    case 's':
      return steering(scene, stay(enter(scene, { is: 'type', what: 'steer', text: '' })))
    case 'x':
      return steering(scene, stay(enter(scene, { is: 'stop?' })))
    case '/':
      return stay(enter(scene, { is: 'type', what: 'search', text: '' }))
    case 'n':
      return stay(jump(scene, { older: true }))
    case 'N':
      return stay(jump(scene, { older: false }))
    case 'o':
      return stay(patch(scene, { unfolded: !scene.ui.unfolded }))
    case 'z':
      return stay(patch(scene, { zoomed: !scene.ui.zoomed }))
    case 'k':
      return stay(scroll(scene, -1, size))
    case 'j':
      return stay(scroll(scene, 1, size))
    case 'g':
      return stay(scroll(scene, -Infinity, size))
    case 'G':
      return stay(scroll(scene, Infinity, size))
    case '[':
      return otherIteration(scene, -1)
    case ']':
      return otherIteration(scene, 1)
    default:
      return stay(scene)
  }
}

function leave(scene: Scene): Pressed {
  const over = isOver(scene) || isCutOff(scene) || scene.view === null
  if (over || scene.ui.leaving === 'detaches') return { scene, wish: { do: 'detach' } }
  return stay(enter(scene, { is: 'leave?' }))
}

/** Only a run that somebody serves can be asked anything. */
function steering(scene: Scene, wanted: Pressed): Pressed {
  if (isOver(scene))
    return stay(withNotice(scene, { text: 'The run has ended; there is nothing to steer.', bad: true }))
  if (isCutOff(scene))
    return stay(
      withNotice(scene, { text: 'No process serves this run; take it up with: ralph resume', bad: true }),
    )
  return wanted
}

function scroll(scene: Scene, lines: number, size: Size): Scene {
  const { focus, at } = scene.ui
  if (focus !== 'words') return scrollList(scene, focus, lines)
  const { columns, rows } = wordsSize(scene, size)
  const held = Math.max(-BEYOND, Math.min(BEYOND, lines))
  const place = move(scene.words, at.words ?? null, {
    lines: held,
    rows,
    columns,
    unfolded: scene.ui.unfolded,
  })
  return patch(scene, { at: withPlace(at, 'words', place?.entry === undefined ? null : place) })
}

/** More lines than any scrollback has. */
const BEYOND = 1_000_000

function scrollList(scene: Scene, pane: Exclude<Pane, 'words'>, lines: number): Scene {
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
  const entry = Math.max(0, Math.min(length - 1, from + lines))
  const following = pane !== 'plan' && entry === length - 1
  return patch(scene, { at: withPlace(at, pane, following ? null : { entry, line: 0 }) })
}

function withPlace(at: Ui['at'], pane: Pane, place: Ui['at'][Pane] | null): Ui['at'] {
  const { [pane]: _before, ...others } = at
  return place === null || place === undefined ? others : { ...others, [pane]: place }
}

function jump(scene: Scene, { older }: { older: boolean }): Scene {
  const { search, at } = scene.ui
  if (search === '') return withNotice(scene, { text: 'Nothing is searched for: press / first.', bad: true })
  const from = at.words?.entry ?? scene.words.next
  const found = find(scene.words, search, { from, back: older })
  if (found === null)
    return withNotice(scene, { text: `No ${older ? 'older' : 'newer'} line has "${search}".`, bad: true })
  return patch(scene, { at: { ...at, words: { entry: found, line: 0 } }, focus: 'words' })
}

function otherIteration(scene: Scene, step: 1 | -1): Pressed {
  const { view, hearing } = scene
  if (view === null || hearing === null) return stay(scene)
  const here = view.iterations.findIndex(
    (one) => one.worker === hearing.worker && one.n === hearing.iteration,
  )
  const other = view.iterations[here + step]
  if (other === undefined) {
    return step === 1
      ? live(scene)
      : stay(withNotice(scene, { text: 'There is no earlier iteration.', bad: true }))
  }
  const chosen = { worker: other.worker, iteration: other.n, agent: other.agent, log: other.log }
  return {
    scene: { ...patch(scene, { chosen, at: {} }), words: newScrollback(), hearing: null },
    wish: { do: 'hear' },
  }
}

/** Back to the newest words, with nothing searched. */
function live(scene: Scene): Pressed {
  const { chosen } = scene.ui
  const calm = patch(scene, { chosen: null, at: {}, search: '', notice: null })
  return chosen === null
    ? stay(calm)
    : { scene: { ...calm, words: newScrollback(), hearing: null }, wish: { do: 'hear' } }
}

function isChar(key: Key, char: string): boolean {
  return key.is === 'char' && key.char.toLowerCase() === char
}

function enter(scene: Scene, mode: Mode): Scene {
  return patch(scene, { mode })
}

function patch(scene: Scene, change: Partial<Ui>): Scene {
  return { ...scene, ui: { ...scene.ui, ...change } }
}

function stay(scene: Scene): Pressed {
  return { scene, wish: null }
}
