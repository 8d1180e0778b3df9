/**
 * Everything a frame is drawn from: the known state of the run, and the user's view settings. Facts arrive through `applyWatchUpdate`,
 * keys through `handleKey` (handle-key.ts); both are pure functions, so a test can set up and read any screen.
 */
import type { IterationPart, LoadedIterationPart } from '../../app/run/history.ts'
import type { Instant } from '../../core/ids.ts'
import type { Row } from '../../core/state/row.ts'
import { foldViewTolerantly, type IterationView, type RunView } from '../../core/presentation/run-view.ts'
import type { AgentOutput } from '../../watch/agent-output.ts'
import type { OutputSource, WatchUpdate, PlanCheckbox } from '../../watch/watch.ts'
import type { TaskId } from '../../core/tasks/task.ts'
import type { BoardFilter, TaskBoard } from '../../core/presentation/task-board.ts'
import { narrate, type NarratedLine } from '../../core/presentation/narrator.ts'
import { timestampFormatter } from './time-of-day.ts'
import {
  addAgentEvent,
  addHeading,
  addMissedMarker,
  newScrollback,
  type Scrollback,
  type ScrollbackEntry,
} from './scrollback.ts'

export const PANE_NAMES = ['messages', 'decisions', 'events', 'plan', 'run', 'iterations', 'detail'] as const
export type PaneName = (typeof PANE_NAMES)[number]

export const DETAIL_PARTS = ['diff', 'gates', 'evidence'] as const satisfies readonly IterationPart[]

export interface DashboardScene {
  view: RunView | null
  /** The number of rows that this version cannot read: a newer Ralph wrote them. */
  unknown: number
  plan: PlanCheckbox[] | null
  /** Null: it is a plain loop, or the tasks are not loaded yet. They replace the plan. */
  tasks: TaskBoard | null
  /** Without an answer, newest first. */
  questions: WatchUpdate['questions']
  words: Scrollback
  /** The iteration whose output `words` holds. */
  outputSource: (OutputSource & { there: boolean }) | null
  /** Newest last. */
  events: (NarratedLine & { at: Instant })[]
  /** Iterations that the view no longer holds, loaded on demand; a few pages, the newest last. */
  past: HistoryPage[]
  detail: LoadedDetail | null
  /** Undefined: not requested yet. */
  runBy: number | null | undefined
  /** All rows that existed at the start are loaded. */
  caughtUp: boolean
  now: Instant
  /** The user's time zone in minutes east of Greenwich. */
  zone: number
  ui: ViewState
}

export interface HistoryPage {
  page: number
  iterations: IterationView[]
}

/** The details of one iteration; only one is kept. */
export type LoadedDetail = DetailSelection & ({ is: 'there'; read: LoadedIterationPart } | { is: 'none'; why: string })

export interface DetailSelection {
  /** Its position in the list of iterations. */
  at: number
  part: IterationPart
  /** The iteration as it was in the view when the details were loaded; if the view has changed since, they are loaded again. */
  seen: IterationView | null
}

export interface ViewState {
  focus: PaneName
  /** Which of the two is shown where there is no room for both. */
  main: 'messages' | 'detail'
  part: IterationPart
  zoomed: boolean
  /** This screen is one pane of the user's own terminal layout, and may be small. */
  alone: boolean
  /** Shows the output of tools and complete thoughts. */
  expanded: boolean
  /** Tasks whose children are hidden, and the filter for tasks. */
  folded: TaskId[]
  filter: BoardFilter
  /** The last visible line of each pane; absent: the newest, following. */
  at: { [Name in PaneName]?: ScrollPosition | undefined }
  /** The chosen earlier iteration; null: follows the newest. */
  chosen: (OutputSource & { at: number }) | null
  mode: InputMode
  search: string
  /** The message that the search found last; it stays visible until the user scrolls away. */
  found: ScrollbackEntry['id'] | null
  /** Messages of other iterations are being searched, from this position on. */
  seeking: Seeking | null
  notice: Notice | null
  /** What `q` does while the run is running. */
  leaving: 'asks' | 'detaches'
}

export interface Seeking {
  from: number
  /** Towards the oldest iteration. */
  back: boolean
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

export interface InitialSceneOptions {
  now: Instant
  zone: number
  leaving: ViewState['leaving']
  /** Shows only this pane. */
  only: PaneName | null
}

export function createScene({ now, zone, leaving, only }: InitialSceneOptions): DashboardScene {
  return {
    view: null,
    unknown: 0,
    plan: null,
    tasks: null,
    questions: [],
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
      focus: only ?? 'messages',
      main: only === 'detail' ? 'detail' : 'messages',
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
      found: null,
      seeking: null,
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
    questions: look.questions,
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
  const news = view === null ? [] : narrate(row, view, timestampFormatter(scene.zone)).filter(isEvent)
  const events = [...scene.events, ...news.map((one) => ({ ...one, at: row.at }))].slice(-EVENTS_KEPT)
  return { ...scene, view, events }
}

/** Decisions have a pane of their own. */
function isEvent({ fact }: NarratedLine): boolean {
  return fact?.is !== 'decision'
}

/** The number of iterations on a page of the history. */
export const HISTORY_PAGE_SIZE = 100

export function historyPageNumber(at: number): number {
  return Math.floor((at - 1) / HISTORY_PAGE_SIZE)
}

function takeWords(scene: DashboardScene, said: WatchUpdate['words'][number]): DashboardScene {
  const { worker, iteration, agent, log, there } = said
  const { outputSource, words, ui } = scene
  // After the user chose another iteration, late output of the previous one is dropped.
  if (ui.chosen !== null && (ui.chosen.worker !== worker || ui.chosen.iteration !== iteration)) return scene
  const changed = outputSource?.worker !== worker || outputSource.iteration !== iteration || outputSource.log !== log
  if (changed) addSource(words, said)
  addOutput(words, said)
  return {
    ...scene,
    outputSource: { worker, iteration, agent, log, there },
    ui: changed && ui.chosen !== null ? { ...ui, at: {} } : ui,
  }
}

/** Identifies an iteration among those of all workers. */
export function iterationKey({ worker, iteration }: Pick<OutputSource, 'worker' | 'iteration'>): string {
  return `${worker}/${iteration}`
}

function addSource(back: Scrollback, source: Pick<OutputSource, 'worker' | 'iteration' | 'agent'>): void {
  addHeading(back, `iteration ${source.iteration} · ${source.agent}`, iterationKey(source))
}

function addOutput(back: Scrollback, { missed, events }: AgentOutput): void {
  if (missed > 0) addMissedMarker(back, missed)
  for (const event of events) addAgentEvent(back, event)
}

/** The lines, with the IDs they get when the user chooses this iteration. */
export function scrollbackOf(source: OutputSource, output: AgentOutput): Scrollback {
  const back = newScrollback()
  addSource(back, source)
  addOutput(back, output)
  return back
}

export function sceneWithNotice(scene: DashboardScene, notice: { text: string; bad: boolean }): DashboardScene {
  return updateViewState(scene, { notice: { ...notice, until: scene.now + NOTICE_MS } })
}

export function updateViewState(scene: DashboardScene, change: Partial<ViewState>): DashboardScene {
  return { ...scene, ui: { ...scene.ui, ...change } }
}

/** `entry`: the line to scroll to; null: the newest, following. */
export function scrollPaneTo(scene: DashboardScene, pane: PaneName, entry: number | null): DashboardScene {
  const place = entry === null ? undefined : { entry, line: 0 }
  return updateViewState(scene, { at: { ...scene.ui.at, [pane]: place } })
}

/** Output and detail share one place if there is room for only one of them. */
export function focusPane(scene: DashboardScene, focus: PaneName): DashboardScene {
  return updateViewState(scene, focus === 'messages' || focus === 'detail' ? { focus, main: focus } : { focus })
}

/** For the title of a pane that can be scrolled back. */
export function scrolledBackHint({ ui }: DashboardScene, pane: PaneName): string {
  return ui.at[pane] === undefined ? '' : 'scrolled back, G: newest'
}

/** For the title of a pane that shows a chosen iteration. */
export function backToLiveHint({ ui }: DashboardScene): string {
  return ui.chosen === null ? '' : 'esc: newest'
}

/** No further row will be written. */
export function isRunOver({ view }: Pick<DashboardScene, 'view'>): boolean {
  return view !== null && view.outcome !== null
}

/** The run has not ended and has no engine: a crash, a power cut, or a pause whose engine exited. */
export function isInterrupted(scene: DashboardScene): boolean {
  return !isRunOver(scene) && scene.runBy === null && scene.caughtUp
}
