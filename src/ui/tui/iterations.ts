/** The iterations of a run as a list: the newest are in the view, older ones are read page by page when somebody looks at them. */
import { focusedWorker } from '../../core/presentation/focused-worker.ts'
import type { IterationDetailPart, DetailQuery, PageQuery } from '../../app/run/history.ts'
import { iterationName as nameOf } from '../../core/presentation/iteration-text.ts'
import type { IterationView } from '../../core/presentation/run-view.ts'
import {
  HISTORY_PAGE_SIZE,
  historyPageOf,
  withUi,
  type LoadedDetail,
  type DetailSelection,
  type DashboardScene,
  type ScrollPosition,
  type ViewState,
} from './dashboard-scene.ts'
import { newScrollback } from './scrollback.ts'

/** The list has the iterations of all workers in the order in which they began: a position, counted from 1, names one of them. */
export function lastIteration({ view }: DashboardScene): number {
  return view?.made ?? 0
}

/** Null: the run has no such iteration, or its page is not there yet. */
export function iterationAt({ view, past }: DashboardScene, at: number): IterationView | null {
  if (view === null) return null
  const held = view.made - view.iterations.length
  if (at > held) return view.iterations[at - held - 1] ?? null
  return past.find(({ page }) => page === historyPageOf(at))?.iterations[(at - 1) % HISTORY_PAGE_SIZE] ?? null
}

/** The one that was chosen, or the newest. */
export function selectedIteration(scene: DashboardScene): number {
  return scene.ui.chosen?.at ?? lastIteration(scene)
}

/** Choosing the newest is to follow: whatever comes next is shown. */
export function outputSourceOf(scene: DashboardScene, at: number): ViewState['chosen'] {
  if (at >= lastIteration(scene)) return null
  const one = iterationAt(scene, at)
  return {
    at,
    worker: one?.worker ?? focusedWorker(scene.view)?.id ?? '',
    iteration: one?.n ?? at,
    agent: one?.agent ?? '',
    log: one?.log ?? null,
  }
}

/** `place`: where the list stands then. */
export function chooseIteration(
  scene: DashboardScene,
  position: number,
  place: ScrollPosition | undefined,
): DashboardScene {
  const chosen = outputSourceOf(scene, position)
  if (chosen?.at === scene.ui.chosen?.at) return scene
  const at = chosen === null ? {} : { iterations: place }
  return { ...withUi(scene, { chosen, at }), words: newScrollback(), outputSource: null }
}

/** Its number, and its worker where there are several. */
export function iterationName(scene: DashboardScene, at: number): string {
  const one = iterationAt(scene, at)
  if (one === null) return String(at)
  return nameOf(one, Object.keys(scene.view?.workers ?? {}).length < 2)
}

/** The page that is missing of those in sight; null: all is there. */
export function findMissingPage(
  scene: DashboardScene,
  inSight: { from: number; to: number },
): (Omit<PageQuery, 'run'> & { page: number }) | null {
  const held = lastIteration(scene) - (scene.view?.iterations.length ?? 0)
  for (const at of [selectedIteration(scene), inSight.from, inSight.to]) {
    if (at < 1 || at > held || scene.past.some(({ page }) => page === historyPageOf(at))) continue
    const page = historyPageOf(at)
    return { page, from: page * HISTORY_PAGE_SIZE + 1, count: HISTORY_PAGE_SIZE }
  }
  return null
}

/** What is in sight spans two pages at most; one more, so that going back and forth reads nothing twice. */
const PAGES_HELD = 3

export function withPage(scene: DashboardScene, page: number, iterations: IterationView[]): DashboardScene {
  const past = [...scene.past.filter((one) => one.page !== page), { page, iterations }].slice(-PAGES_HELD)
  const next = { ...scene, past }
  const { chosen } = next.ui
  if (chosen === null || chosen.agent !== '') return next
  return withUi(next, { chosen: outputSourceOf(next, chosen.at) })
}

/** Whom the detail shows: the chosen one, or the newest that has ended, for of one under way little is known yet. */
export function detailIteration(scene: DashboardScene): number {
  const { view, ui } = scene
  if (ui.chosen !== null) return ui.chosen.at
  const index = view?.iterations.findLastIndex((one) => one.outcome !== null) ?? -1
  if (view === null || index === -1) return lastIteration(scene)
  return view.made - view.iterations.length + index + 1
}

/** What is to be read for the detail; null: it is there, as it is now, or nobody knows yet where it begins. */
export function findMissingDetail(scene: DashboardScene): (DetailSelection & Omit<DetailQuery, 'run'>) | null {
  const at = detailIteration(scene)
  const { part } = scene.ui
  const seen = iterationAt(scene, at)
  if (seen === null || (isSameDetail(scene.detail, { at, part }) && scene.detail?.seen === seen)) return null
  const name = iterationName(scene, at)
  return { at, part, seen, worker: seen.worker, iteration: seen.n, name, fromRow: seen.row }
}

export function isSameDetail(
  detail: LoadedDetail | null,
  { at, part }: { at: number; part: IterationDetailPart },
): boolean {
  return detail !== null && detail.at === at && detail.part === part
}
