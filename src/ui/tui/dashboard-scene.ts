/**
 * Everything a frame is drawn from: what is known of the run, and how the person looks at it. Facts come in by `applyWatchUpdate`,
 * keys by `handleKey` (handle-key.ts); both are plain functions, so any screen can be set up and read in a test.
 */
import type { IterationDetailPart, IterationDetail } from '../../app/run/history.ts'
import type { Instant } from '../../core/ids.ts'
import type { Row } from '../../core/state/row.ts'
import { foldViewTolerantly, type IterationView, type RunView } from '../../core/presentation/run-view.ts'
import type { OutputSource, WatchUpdate, PlanCheckbox } from '../../watch/watch.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import type { BoardFilter, TaskBoard } from '../../core/presentation/task-board.ts'
import { narrate, type NarratedLine } from '../../core/presentation/narrator.ts'
import { localIn } from './time-of-day.ts'
import { addAgentEvent, addMarker, addMissedMarker, newScrollback, type Scrollback } from './scrollback.ts'

export const PANES = ['words', 'decisions', 'events', 'plan', 'run', 'iterations', 'detail'] as const
export type Pane = (typeof PANES)[number]

export const DETAIL_PARTS = ['diff', 'gates', 'evidence'] as const satisfies readonly IterationDetailPart[]

export interface DashboardScene {
  view: RunView | null
  /** Rows that nobody here understands: a newer Ralph wrote them. */
  unknown: number
  nextCheckbox: string | null
  plan: PlanCheckbox[] | null
  /** Null: it is a plain loop, or nobody has looked yet. They stand where the plan would. */
  tasks: TaskBoard | null
  words: Scrollback
  /** Whose words these are. */
  outputSource: (OutputSource & { there: boolean }) | null
  /** Newest last. */
  events: (NarratedLine & { at: Instant })[]
  /** Iterations that the view no longer holds, as far as somebody looked at them; a few pages, the newest last. */
  past: HistoryPage[]
  detail: LoadedDetail | null
  /** Undefined: not asked yet. */
  runBy: number | null | undefined
  /** All rows that were there at the beginning have come. */
  caughtUp: boolean
  now: Instant
  /** Minutes east of Greenwich, of the person who looks. */
  zone: number
  ui: ViewState
}

export interface HistoryPage {
  page: number
  iterations: IterationView[]
}

/** One iteration from near; only one is held. */
export type LoadedDetail = DetailSelection & ({ is: 'there'; read: IterationDetail } | { is: 'none'; why: string })

export interface DetailSelection {
  /** Its position in the list of iterations. */
  at: number
  part: IterationDetailPart
  /** The iteration as the view had it then; once it has it otherwise, there is more to read. */
  seen: IterationView | null
}

export interface ViewState {
  focus: Pane
  /** Which of the two stands there where there is no room for both. */
  main: 'words' | 'detail'
  part: IterationDetailPart
  zoomed: boolean
  /** This screen is one pane among others of the person's own, and may be small. */
  alone: boolean
  /** Show what tools printed and all of a thought. */
  expanded: boolean
  /** Tasks whose children are not shown, and which tasks are. */
  folded: TaskId[]
  filter: BoardFilter
  /** The last line shown of each pane; absent: the newest, following. */
  at: { [Name in Pane]?: ScrollPosition | undefined }
  /** An earlier iteration that was chosen; null: follows the newest. */
  chosen: (OutputSource & { at: number }) | null
  mode: InputMode
  search: string
  notice: Notice | null
  /** What `q` does while the run goes on. */
  leaving: 'asks' | 'detaches'
}

/** A line of an entry; entries are counted from the oldest. */
export interface ScrollPosition {
  entry: number
  line: number
}

export type InputMode =
  | { is: 'look' }
  | { is: 'help' }
  | { is: 'leave?' }
  | { is: 'stop?' }
  | { is: 'type'; what: 'steer' | 'search'; text: string }

interface Notice {
  text: string
  bad: boolean
  until: Instant
}

const EVENTS_KEPT = 300
const NOTICE_MS = 6_000

export interface SceneOptions {
  now: Instant
  zone: number
  leaving: ViewState['leaving']
  /** Shows this pane alone. */
  only: Pane | null
}

export function createScene({ now, zone, leaving, only }: SceneOptions): DashboardScene {
  return {
    view: null,
    unknown: 0,
    nextCheckbox: null,
    plan: null,
    tasks: null,
    words: newScrollback(),
    outputSource: null,
    events: [],
    past: [],
    detail: null,
    runBy: undefined,
    caughtUp: false,
    now,
    zone,
    ui: {
      focus: only ?? 'words',
      main: only === 'detail' ? 'detail' : 'words',
      part: 'diff',
      zoomed: only !== null,
      alone: only !== null,
      expanded: false,
      folded: [],
      filter: 'all',
      at: {},
      chosen: null,
      mode: { is: 'look' },
      search: '',
      notice: null,
      leaving,
    },
  }
}

export function applyWatchUpdate(scene: DashboardScene, look: WatchUpdate): DashboardScene {
  let next: DashboardScene = {
    ...scene,
    plan: look.plan,
    tasks: look.tasks,
    runBy: look.runBy,
    caughtUp: scene.caughtUp || !look.more,
  }
  for (const row of look.rows) next = takeRow(next, row)
  for (const words of look.words) next = takeWords(next, words)
  return next
}

function takeRow(scene: DashboardScene, row: Row): DashboardScene {
  const { view, known } = foldViewTolerantly(scene.view, row)
  if (!known) return { ...scene, view, unknown: scene.unknown + 1 }
  const news = view === null ? [] : narrate(row, view, localIn(scene.zone)).filter(isEvent)
  const events = [...scene.events, ...news.map((one) => ({ ...one, at: row.at }))].slice(-EVENTS_KEPT)
  const nextCheckbox = row.event.type === 'snapshot-taken' ? row.event.nextCheckbox : scene.nextCheckbox
  return { ...scene, view, events, nextCheckbox }
}

/** Decisions have a pane of their own. */
function isEvent({ fact }: NarratedLine): boolean {
  return fact?.is !== 'decision'
}

/** How many iterations a page of the past has. */
export const HISTORY_PAGE_SIZE = 100

export function historyPageOf(at: number): number {
  return Math.floor((at - 1) / HISTORY_PAGE_SIZE)
}

function takeWords(scene: DashboardScene, said: WatchUpdate['words'][number]): DashboardScene {
  const { worker, iteration, agent, log, there } = said
  const { outputSource, words, ui } = scene
  // Whoever has just chosen another one does not want to hear the rest of this.
  if (ui.chosen !== null && (ui.chosen.worker !== worker || ui.chosen.iteration !== iteration)) return scene
  const changed = outputSource?.worker !== worker || outputSource.iteration !== iteration || outputSource.log !== log
  if (changed) addMarker(words, `iteration ${iteration} · ${agent}`)
  if (said.missed > 0) addMissedMarker(words, said.missed)
  for (const event of said.events) addAgentEvent(words, event)
  return {
    ...scene,
    outputSource: { worker, iteration, agent, log, there },
    ui: changed && ui.chosen !== null ? { ...ui, at: {} } : ui,
  }
}

export function withNotice(scene: DashboardScene, notice: { text: string; bad: boolean }): DashboardScene {
  return withUi(scene, { notice: { ...notice, until: scene.now + NOTICE_MS } })
}

export function withUi(scene: DashboardScene, change: Partial<ViewState>): DashboardScene {
  return { ...scene, ui: { ...scene.ui, ...change } }
}

/** `entry`: the line to stand at; null: the newest, following. */
export function scrolledTo(scene: DashboardScene, pane: Pane, entry: number | null): DashboardScene {
  const place = entry === null ? undefined : { entry, line: 0 }
  return withUi(scene, { at: { ...scene.ui.at, [pane]: place } })
}

/** Where there is room for one of them only, words and detail stand in the same place. */
export function focused(scene: DashboardScene, focus: Pane): DashboardScene {
  return withUi(scene, focus === 'words' || focus === 'detail' ? { focus, main: focus } : { focus })
}

/** For the title of a pane that can be scrolled back. */
export function backNote({ ui }: DashboardScene, pane: Pane): string {
  return ui.at[pane] === undefined ? '' : 'scrolled back, G: newest'
}

/** For the title of a pane that shows an iteration that somebody chose. */
export function liveNote({ ui }: DashboardScene): string {
  return ui.chosen === null ? '' : 'esc: live again'
}

/** Nobody will write another row. */
export function isRunOver({ view }: Pick<DashboardScene, 'view'>): boolean {
  return view !== null && view.outcome !== null
}

/** The run has not ended and nobody serves it: a crash, a power cut, or a pause whose engine left. */
export function isInterrupted(scene: DashboardScene): boolean {
  return !isRunOver(scene) && scene.runBy === null && scene.caughtUp
}
