/** The iterations of a run as a list: the newest are in the view, older ones are loaded by page when they become visible. */
import { focusedWorker } from '../../core/presentation/focused-worker.ts'
import type { IterationPart, IterationPartQuery, IterationPageQuery } from '../../app/run/history.ts'
import { iterationName as nameOf } from '../../core/presentation/iteration-text.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import {
  HISTORY_PAGE_SIZE,
  historyPageNumber,
  updateViewState,
  type LoadedDetail,
  type DetailSelection,
  type DashboardScene,
  type ScrollPosition,
  type ViewState,
} from './dashboard-scene.ts'
import { newScrollback } from './scrollback.ts'

/** The list has the iterations of all workers in the order of their start: a position, counted from 1, identifies one of them. */
export function lastIterationPosition({ view }: DashboardScene): number {
  return view?.made ?? 0
}

/** Null: the run has no such iteration, or its page is not loaded yet. */
export function iterationAt({ view, past }: DashboardScene, at: number): IterationView | null {
  if (view === null) return null
  const held = view.made - view.iterations.length
  if (at > held) return view.iterations[at - held - 1] ?? null
  return past.find(({ page }) => page === historyPageNumber(at))?.iterations[(at - 1) % HISTORY_PAGE_SIZE] ?? null
}

/** The position of the chosen iteration, or of the newest. */
export function selectedIterationPosition(scene: DashboardScene): number {
  return scene.ui.chosen?.at ?? lastIterationPosition(scene)
}

/** Null: choosing the newest iteration follows the run. */
export function outputSourceOf(scene: DashboardScene, at: number): ViewState['chosen'] {
  return at >= lastIterationPosition(scene) ? null : outputSourceAt(scene, at)
}

export function outputSourceAt(scene: DashboardScene, at: number): NonNullable<ViewState['chosen']> {
  const one = iterationAt(scene, at)
  return {
    at,
    worker: one?.worker ?? focusedWorker(scene.view)?.id ?? '',
    iteration: one?.n ?? at,
    agent: one?.agent ?? '',
    log: one?.log ?? null,
  }
}

/** `place`: the new scroll position of the list. */
export function chooseIteration(
  scene: DashboardScene,
  position: number,
  place: ScrollPosition | undefined,
): DashboardScene {
  const chosen = outputSourceOf(scene, position)
  if (chosen?.at === scene.ui.chosen?.at) return scene
  const at = chosen === null ? {} : { iterations: place }
  const ui = { chosen, at, found: null, seeking: null }
  return { ...updateViewState(scene, ui), words: newScrollback(), outputSource: null }
}

/** Its number, with its worker if there are several. */
export function iterationName(scene: DashboardScene, at: number): string {
  const one = iterationAt(scene, at)
  if (one === null) return String(at)
  return nameOf(one, Object.keys(scene.view?.workers ?? {}).length < 2)
}

/** The first visible page that is not loaded; null: all are. */
export function findMissingPage(
  scene: DashboardScene,
  inSight: { from: number; to: number },
): (Omit<IterationPageQuery, 'run'> & { page: number }) | null {
  const held = lastIterationPosition(scene) - (scene.view?.iterations.length ?? 0)
  for (const at of [selectedIterationPosition(scene), inSight.from, inSight.to]) {
    if (at < 1 || at > held || scene.past.some(({ page }) => page === historyPageNumber(at))) continue
    const page = historyPageNumber(at)
    return { page, from: page * HISTORY_PAGE_SIZE + 1, count: HISTORY_PAGE_SIZE }
  }
  return null
}

/** Two pages are visible at most; one more is kept, so that scrolling back and forth loads nothing twice. */
const PAGES_HELD = 3

export function addHistoryPage(scene: DashboardScene, page: number, iterations: IterationView[]): DashboardScene {
  const past = [...scene.past.filter((one) => one.page !== page), { page, iterations }].slice(-PAGES_HELD)
  const next = { ...scene, past }
  const { chosen } = next.ui
  if (chosen === null || chosen.agent !== '') return next
  return updateViewState(next, { chosen: outputSourceOf(next, chosen.at) })
}

/** The iteration that the detail shows: the chosen one, or the newest that has ended, because little is known of a running one. */
export function detailIterationPosition(scene: DashboardScene): number {
  const { view, ui } = scene
  if (ui.chosen !== null) return ui.chosen.at
  const index = view?.iterations.findLastIndex((one) => one.outcome !== null) ?? -1
  if (view === null || index === -1) return lastIterationPosition(scene)
  return view.made - view.iterations.length + index + 1
}

/** What to load for the detail; null: it is loaded and current, or its first row is not known yet. */
export function findMissingDetail(scene: DashboardScene): (DetailSelection & Omit<IterationPartQuery, 'run'>) | null {
  const at = detailIterationPosition(scene)
  const { part } = scene.ui
  const seen = iterationAt(scene, at)
  if (seen === null || (isSameDetail(scene.detail, { at, part }) && scene.detail?.seen === seen)) return null
  const name = iterationName(scene, at)
  return { at, part, seen, worker: seen.worker, iteration: seen.n, name, fromRow: seen.row }
}

export function isSameDetail(detail: LoadedDetail | null, { at, part }: { at: number; part: IterationPart }): boolean {
  return detail !== null && detail.at === at && detail.part === part
}
