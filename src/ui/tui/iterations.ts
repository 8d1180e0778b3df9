/** The iterations of a run as a list: the newest are in the view, older ones are read page by page when somebody looks at them. */
import { focus } from '../../domain/tell/focus.ts'
import type { DetailPart, PageWanted } from '../../desk/run/past.ts'
import type { IterationView } from '../../domain/tell/view.ts'
import type { WhoseWords } from '../../watch/watch.ts'
import { PAST_PAGE, pageOf, type Detail, type DetailOf, type Scene } from './scene.ts'

/** They are numbered from 1 without a gap. */
export function lastIteration({ view }: Scene): number {
  return view?.iterations.at(-1)?.n ?? 0
}

/** Null: the run has no such iteration, or its page is not there yet. */
export function iterationAt({ view, past }: Scene, n: number): IterationView | null {
  return (
    view?.iterations.findLast((one) => one.n === n) ??
    past.find(({ page }) => page === pageOf(n))?.iterations.findLast((one) => one.n === n) ??
    null
  )
}

/** The one that was chosen, or the newest. */
export function selected(scene: Scene): number {
  return scene.ui.chosen?.iteration ?? lastIteration(scene)
}

/** Choosing the newest is to follow: whatever comes next is shown. */
export function heardOf(scene: Scene, n: number): WhoseWords | null {
  if (n >= lastIteration(scene)) return null
  const one = iterationAt(scene, n)
  return {
    worker: one?.worker ?? focus(scene.view)?.id ?? '',
    iteration: n,
    agent: one?.agent ?? '',
    log: one?.log ?? null,
  }
}

/** The page that is missing of those in sight; null: all is there. */
export function pageWanted(
  scene: Scene,
  inSight: { from: number; to: number },
): (Omit<PageWanted, 'run'> & { page: number }) | null {
  const held = scene.view?.iterations[0]?.n ?? 1
  for (const n of [selected(scene), inSight.from, inSight.to]) {
    if (n < 1 || n >= held || scene.past.some(({ page }) => page === pageOf(n))) continue
    const page = pageOf(n)
    return { page, fromRow: scene.marks[page] ?? 1, to: (page + 1) * PAST_PAGE }
  }
  return null
}

/** What is in sight spans two pages at most; one more, so that going back and forth reads nothing twice. */
const PAGES_HELD = 3

export function withPage(scene: Scene, page: number, iterations: IterationView[]): Scene {
  const past = [...scene.past.filter((one) => one.page !== page), { page, iterations }].slice(-PAGES_HELD)
  const next = { ...scene, past }
  const { chosen } = next.ui
  if (chosen === null || chosen.agent !== '') return next
  return { ...next, ui: { ...next.ui, chosen: heardOf(next, chosen.iteration) } }
}

/** Whom the detail shows: the chosen one, or the newest that has ended, for of one under way little is known yet. */
export function detailed(scene: Scene): number {
  const { chosen } = scene.ui
  if (chosen !== null) return chosen.iteration
  return scene.view?.iterations.findLast((one) => one.end !== null)?.n ?? lastIteration(scene)
}

/** What is to be read for the detail; null: it is there, as it is now. */
export function detailWanted(scene: Scene): (DetailOf & { fromRow: number }) | null {
  const iteration = detailed(scene)
  const { part } = scene.ui
  if (iteration === 0) return null
  const seen = iterationAt(scene, iteration)
  if (sameDetail(scene.detail, { iteration, part }) && scene.detail?.seen === seen) return null
  return { iteration, part, seen, fromRow: scene.marks[pageOf(iteration)] ?? 1 }
}

export function sameDetail(
  detail: Detail | null,
  { iteration, part }: { iteration: number; part: DetailPart },
): boolean {
  return detail !== null && detail.iteration === iteration && detail.part === part
}
