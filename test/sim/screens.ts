/** What screens show must be one truth: the house, the glance that is projected from it, and the view that is folded from the rows. */
import type { RunId, WorkerId } from '../../src/domain/ids.ts'
import { glanceOf, type Glance } from '../../src/domain/run/glance.ts'
import type { House } from '../../src/domain/state/state.ts'
import type { Row } from '../../src/domain/state/row.ts'
import { whyAfter, type View } from '../../src/domain/tell/view.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { runEntry } from '../../src/store/runs.ts'
import { loadScreens } from '../../src/store/screens.ts'
import { fail } from './broken.ts'

export interface Screens {
  take(row: Row, house: House, view: View): void
  glance(): Glance | null
}

/** What was found to agree, of one worker. */
interface Compared {
  seen: Glance['workers'][WorkerId]
  shown: View['workers'][WorkerId]
}

export function openScreens(): Screens {
  let glance: Glance | null = null
  let is: House['run']['is'] | null = null
  let compared = new Map<WorkerId, Compared>()
  return {
    glance: () => glance,
    take(row, house, view) {
      glance = glanceOf(house, row, glance)
      compareRun(glance, view)
      if (house.run.is !== is) compared = new Map()
      is = house.run.is
      for (const worker of Object.values(house.workers)) {
        const shown = view.workers[worker.id]
        const seen = glance.workers[worker.id]
        // A worker that nothing was asked for yet is on no screen.
        if (shown === undefined || seen === undefined) continue
        // The very objects that were equal before are equal now.
        const last = compared.get(worker.id)
        if (last?.seen === seen && last.shown === shown) continue
        compared.set(worker.id, { seen, shown })
        const { phase, effect: _, breaker, doing, ...same } = seen
        equal(`worker ${worker.id}`, same, shown)
        equal(`worker ${worker.id}`, { breaker: breaker.is }, shown)
        // Whoever steps aside in an outage is told with the run that is left.
        const aside =
          (phase === 'paused' || phase === 'settling') &&
          (house.run.is === 'leaving' || house.run.is === 'left')
        if (!aside) equal(`worker ${worker.id}`, { doing }, shown)
      }
    },
  }
}

function compareRun({ is, outcome, startedAt, startedUp }: Glance, view: View): void {
  const word = is === 'pausing' || is === 'leaving' ? view.is : is
  equal(
    'the run',
    { is: word, outcome, startedAt, startedUp },
    { is: view.is, outcome: view.outcome, startedAt: view.startedAt, startedUp: view.startedUp },
  )
}

/** Field by field, whatever their order. */
function equal(what: string, glance: object, view: object): void {
  for (const [field, value] of Object.entries(glance)) {
    const shown = (view as Record<string, unknown>)[field]
    if (value !== shown && JSON.stringify(value) !== JSON.stringify(shown) && sorted(value) !== sorted(shown))
      fail(
        12,
        `${what} at a glance: ${field} ${JSON.stringify(value)}, the view says ${JSON.stringify(shown)}`,
      )
  }
}

function sorted(value: unknown): string {
  return (
    JSON.stringify(value, (_, one: unknown) =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : one,
    ) ?? ''
  )
}

/** At its end a run is shown from what was kept with its rows as it would be from the rows themselves. */
export async function compareShown(
  sql: Sql,
  run: RunId,
  { glance, view }: { glance: Glance | null; view: View | null },
): Promise<void> {
  const entry = await runEntry(sql, run)
  if (entry === null || view === null) return fail(12, 'the run is not listed')
  const kept = await loadScreens(sql, entry)
  if (sorted(kept.glance) !== sorted(glance))
    fail(12, 'the glance that is kept is not the one after the last row')
  if (kept.view === null) return fail(12, 'nothing is shown of the run')
  const { decisions, workers: _, breaker: __, quota: ___, spent, ...shown } = kept.view
  equal('the run as it is kept', shown, { ...view, why: whyAfter(view.decisions.slice(-decisions.length)) })
  equal('the run as it is kept', { decisions }, { decisions: view.decisions.slice(-decisions.length) })
  if (Math.abs(spent.usd - view.spent.usd) > DUST)
    fail(12, `${spent.usd} dollars are kept, the view says ${view.spent.usd}`)
  equal('what was spent', { ...spent, usd: 0 }, { ...view.spent, usd: 0 })
}

/** Sums of cents as floating point. */
const DUST = 1e-6
