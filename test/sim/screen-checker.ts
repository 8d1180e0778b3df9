/** What screens show must be one truth: the state, the view that is folded from the rows, and what is saved of it with them. */
import type { RunId } from '../../src/core/ids.ts'
import type { RunState, Worker } from '../../src/core/state/state.ts'
import { lastRunReason, type RunView, type WorkerView } from '../../src/core/presentation/view.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { getRunEntry } from '../../src/store/runs.ts'
import { loadView } from '../../src/store/run-views.ts'
import { fail } from './invariant-rules.ts'

export function compareView({ run, workers }: RunState, view: RunView): void {
  const { is, outcome, startedAt, startedAwakeMs } = run
  const word = is === 'pausing' || is === 'leaving' ? view.is : is
  equal('the run', { is: word, outcome, startedAt, startedAwakeMs, tasks: run.tasks?.scope ?? null }, view)
  for (const worker of Object.values(workers)) {
    const shown = view.workers[worker.id]
    // A worker that nothing was asked for yet is on no screen.
    if (shown === undefined) continue
    const { id, iteration, checkboxes, branchState, breaker } = worker
    equal(
      `worker ${id}`,
      { id, iteration, checkboxes, branchState, breaker: breaker.is, task: taskOf(worker, shown) },
      shown,
    )
    const activity = doingIn(worker)
    // Whoever steps aside in an outage is told with the run that is left.
    const sideCall = worker.phase.is === 'paused' && (is === 'leaving' || is === 'left')
    if (activity !== null && !sideCall && is !== 'ended' && is !== 'left')
      equal(`worker ${id}`, { is: activity }, shown.activity)
  }
}

/** A visit begins with its call, which only the rows tell. */
function taskOf({ job }: Worker, { task }: WorkerView): WorkerView['task'] {
  if (job.is !== 'task') return null
  const { task: id, title, attempt, retries } = job
  return { id, title, attempt, visit: task?.visit ?? 1, of: retries + 1 }
}

/** Null: the phase alone does not tell. */
function doingIn({ phase }: Worker): WorkerView['activity']['is'] | null {
  if (phase.is === 'finished') return 'ended'
  return phase.is === 'paused' || phase.is === 'idle' || phase.is === 'asking' || phase.is === 'waiting'
    ? phase.is
    : null
}

/** Field by field, whatever their order. */
function equal(what: string, state: object, view: object): void {
  for (const [field, value] of Object.entries(state)) {
    const shown = (view as Record<string, unknown>)[field]
    if (value !== shown && JSON.stringify(value) !== JSON.stringify(shown) && sorted(value) !== sorted(shown))
      fail(12, `${what}: ${field} is ${JSON.stringify(value)}, the view says ${JSON.stringify(shown)}`)
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
export async function compareSaved(sql: Sql, run: RunId, view: RunView | null): Promise<void> {
  const entry = await getRunEntry(sql, run)
  if (entry === null || view === null) return fail(12, 'the run is not listed')
  if (entry.iterations !== view.made)
    fail(12, `the list of runs counts ${entry.iterations} iterations of ${view.made}`)
  const saved = await loadView(sql, entry)
  if (saved === null) return fail(12, 'nothing is shown of the run')
  const { decisions, quota: _, spent, ...shown } = saved
  equal('the run as it is saved', shown, {
    ...view,
    why: lastRunReason(view.decisions.slice(-decisions.length)),
  })
  equal('the run as it is saved', { decisions }, { decisions: view.decisions.slice(-decisions.length) })
  if (Math.abs(spent.usd - view.spent.usd) > DUST)
    fail(12, `${spent.usd} dollars are saved, the view says ${view.spent.usd}`)
  equal('what was spent', { ...spent, usd: 0 }, { ...view.spent, usd: 0 })
}

/** Sums of cents as floating point. */
const DUST = 1e-6
