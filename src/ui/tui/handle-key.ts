/** Computes what a key does: the next screen, and the requests to the run, which the caller sends. */
import { assertNever } from '../../core/assert-never.ts'
import { paneContentSize } from './render-frame.ts'
import { chooseIteration, lastIterationPosition, selectedIterationPosition } from './iterations.ts'
import type { Key } from './parse-keys.ts'
import type { Size } from './screen-line.ts'
import { showDetailPart } from './panes/detail.ts'
import { paneViewOf, searchedPane } from './panes.ts'
import {
  focusPane,
  isInterrupted,
  isRunOver,
  PANE_NAMES,
  sceneWithNotice,
  updateViewState,
  type InputMode,
  type DashboardScene,
} from './dashboard-scene.ts'
import { newScrollback } from './scrollback.ts'
import { toPrintable } from './text-width.ts'

export type KeyAction =
  /** Closes the dashboard; the run continues. */
  | { do: 'detach' }
  | { do: 'stop'; thenLeave: boolean }
  | { do: 'pause' }
  | { do: 'resume' }
  | { do: 'steer'; text: string }
  /** `scene.ui.chosen` says whose output to read from now on. */
  | { do: 'hear' }
  /** `scene.ui.seeking` says where to search in other iterations. */
  | { do: 'seek' }
  | { do: 'suspend' }
  | { do: 'redraw' }

export interface KeyResult {
  scene: DashboardScene
  action: KeyAction | null
}

/** The maximum length of a text that the engine accepts. */
const TEXT_MAX = 500

export function handleKey(scene: DashboardScene, key: Key, size: Size): KeyResult {
  if (key.is === 'suspend' || key.is === 'redraw') return { scene, action: { do: key.is } }
  const result = inMode(scene, key, size)
  const { chosen, seeking } = result.scene.ui
  if (chosen !== scene.ui.chosen) return { scene: result.scene, action: { do: 'hear' } }
  const begins = seeking !== null && seeking !== scene.ui.seeking
  return begins ? { scene: result.scene, action: { do: 'seek' } } : result
}

function inMode(scene: DashboardScene, key: Key, size: Size): KeyResult {
  const { mode } = scene.ui
  const looking = updateViewState(scene, { mode: { is: 'look' } })
  switch (mode.is) {
    case 'help':
      return stay(looking)
    case 'leave?':
      return answerLeave(looking, key)
    case 'stop?':
      return isChar(key, 'y') ? { scene: looking, action: { do: 'stop', thenLeave: false } } : stay(looking)
    case 'type':
      if (key.is === 'enter') return typedDone(looking, mode, size)
      if (key.is === 'escape' || key.is === 'interrupt') return stay(looking)
      return stay(enter(scene, { ...mode, text: edited(mode.text, key) }))
    case 'look':
      return look(scene, key, size)
    default:
      return assertNever(mode)
  }
}

/** A second Ctrl+C means that the user wants to quit, which does no harm to the run. */
function answerLeave(scene: DashboardScene, key: Key): KeyResult {
  if (isChar(key, 's')) return { scene, action: { do: 'stop', thenLeave: true } }
  if (isChar(key, 'd') || key.is === 'interrupt') return { scene, action: { do: 'detach' } }
  return stay(scene)
}

/** Edits the text that is being typed; navigation keys do nothing here. */
function edited(text: string, key: Key): string {
  const points = Array.from(text)
  if (key.is === 'clear-line') return ''
  if (key.is === 'backspace') return points.slice(0, -1).join('')
  const more = key.is === 'char' ? key.char : key.is === 'paste' ? toPrintable(key.text) : ''
  return [...points, ...Array.from(more)].slice(0, TEXT_MAX).join('')
}

function typedDone(
  scene: DashboardScene,
  { what, text }: { what: 'steer' | 'search'; text: string },
  size: Size,
): KeyResult {
  if (what === 'steer') return text.trim() === '' ? stay(scene) : { scene, action: { do: 'steer', text: text.trim() } }
  const asked = updateViewState(focusPane(scene, searchedPane(scene)), { search: text, found: null, seeking: null })
  return stay(text === '' ? asked : jump(asked, { on: true }, size))
}

function look(scene: DashboardScene, key: Key, size: Size): KeyResult {
  // The names of special keys are longer than one character, so they never match a typed character.
  const name = key.is === 'char' ? key.char : key.is
  if (name === 'q' || name === 'interrupt') return leave(scene)
  const pane = PANE_NAMES[Number(name) - 1]
  if (pane !== undefined) return stay(focusPane(scene, pane))
  const steers = STEERING_KEYS[name]
  if (steers !== undefined) return steer(scene, steers)
  const move = paneViewOf(scene.ui.focus, scene).press?.[name] ?? SCREEN_KEYS[name]
  return stay(move?.(scene, size) ?? scene)
}

const STEERING_KEYS: Readonly<Record<string, (scene: DashboardScene) => KeyResult>> = {
  p: (scene) => ({ scene, action: { do: 'pause' } }),
  r: (scene) => ({ scene, action: { do: 'resume' } }),
  s: (scene) => stay(enter(scene, { is: 'type', what: 'steer', text: '' })),
  x: (scene) => stay(enter(scene, { is: 'stop?' })),
}

/** More lines than any scrollback has. */
const BEYOND = 1_000_000

type Move = (scene: DashboardScene, size: Size) => DashboardScene

const by =
  (lines: number): Move =>
  (scene, size) =>
    scroll(scene, lines, size)

const SCREEN_KEYS: Readonly<Record<string, Move>> = {
  escape: live,
  tab: (scene) => focusPane(scene, nextPane(scene, 1)),
  'back-tab': (scene) => focusPane(scene, nextPane(scene, -1)),
  up: by(-1),
  k: by(-1),
  down: by(1),
  j: by(1),
  'page-up': (scene, size) => scroll(scene, -pageRows(scene, size), size),
  'page-down': (scene, size) => scroll(scene, pageRows(scene, size), size),
  home: by(-BEYOND),
  g: by(-BEYOND),
  end: by(BEYOND),
  G: by(BEYOND),
  '[': (scene) => otherIteration(scene, -1),
  ']': (scene) => otherIteration(scene, 1),
  '?': (scene) => enter(scene, { is: 'help' }),
  '/': (scene) => enter(scene, { is: 'type', what: 'search', text: '' }),
  n: (scene, size) => jump(scene, { on: true }, size),
  N: (scene, size) => jump(scene, { on: false }, size),
  o: (scene) => updateViewState(scene, { expanded: !scene.ui.expanded }),
  z: (scene) => updateViewState(scene, { zoomed: !scene.ui.zoomed }),
  m: (scene) => focusPane(scene, 'messages'),
  d: (scene) => showDetailPart(scene, 'diff'),
  t: (scene) => showDetailPart(scene, 'gates'),
  e: (scene) => showDetailPart(scene, 'evidence'),
}

function leave(scene: DashboardScene): KeyResult {
  const over = isRunOver(scene) || isInterrupted(scene) || scene.view === null
  if (over || scene.ui.leaving === 'detaches') return { scene, action: { do: 'detach' } }
  return stay(enter(scene, { is: 'leave?' }))
}

/** Requests need a run with a running engine. */
function steer(scene: DashboardScene, wanted: (scene: DashboardScene) => KeyResult): KeyResult {
  if (isRunOver(scene)) return stay(sceneWithNotice(scene, { text: 'The run has ended.', bad: true }))
  if (isInterrupted(scene))
    return stay(sceneWithNotice(scene, { text: 'The run is not running. Continue it with: ralph resume', bad: true }))
  return wanted(scene)
}

function nextPane({ ui: { focus } }: DashboardScene, step: 1 | -1): (typeof PANE_NAMES)[number] {
  return PANE_NAMES[(PANE_NAMES.indexOf(focus) + step + PANE_NAMES.length) % PANE_NAMES.length] ?? 'messages'
}

/** One line of the previous page stays visible for orientation. */
function pageRows(scene: DashboardScene, size: Size): number {
  return Math.max(1, (paneContentSize(scene, scene.ui.focus, size)?.rows ?? 2) - 1)
}

function scroll(scene: DashboardScene, lines: number, size: Size): DashboardScene {
  const { focus } = scene.ui
  return paneViewOf(focus, scene).scroll?.(scene, lines, paneContentSize(scene, focus, size) ?? size) ?? scene
}

function jump(scene: DashboardScene, way: { on: boolean }, size: Size): DashboardScene {
  if (scene.ui.search === '') return sceneWithNotice(scene, { text: 'No search yet: press / first.', bad: true })
  const pane = searchedPane(scene)
  return paneViewOf(pane, scene).search?.(scene, way, paneContentSize(scene, pane, size) ?? size) ?? scene
}

function otherIteration(scene: DashboardScene, step: 1 | -1): DashboardScene {
  const last = lastIterationPosition(scene)
  const wanted = selectedIterationPosition(scene) + step
  if (last === 0) return scene
  if (wanted < 1) return sceneWithNotice(scene, { text: 'There is no earlier iteration.', bad: true })
  return wanted > last ? live(scene) : chooseIteration(scene, wanted, scene.ui.at.iterations)
}

/** Returns to the newest output and ends the search. */
function live(scene: DashboardScene): DashboardScene {
  const calm = updateViewState(scene, { chosen: null, at: {}, search: '', found: null, seeking: null, notice: null })
  return scene.ui.chosen === null ? calm : { ...calm, words: newScrollback(), outputSource: null }
}

function isChar(key: Key, char: string): boolean {
  return key.is === 'char' && key.char.toLowerCase() === char
}

function enter(scene: DashboardScene, mode: InputMode): DashboardScene {
  return updateViewState(scene, { mode })
}

function stay(scene: DashboardScene): KeyResult {
  return { scene, action: null }
}
