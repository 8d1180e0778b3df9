/** What screens show must be one truth: the state, the view that is folded from the rows, and what is saved of it with them. */
import type { EffectId, RunId, WorkerId } from '../../src/core/ids.ts'
import { isModelChoice } from '../../src/core/state/decision.ts'
import type { Effect } from '../../src/core/state/effect.ts'
import { wasIgnored, type Row } from '../../src/core/state/row.ts'
import type { RunState, Worker } from '../../src/core/state/state.ts'
import { activityFor, type Activity } from '../../src/core/presentation/activity.ts'
import { lastRunReason, type RunView, type WorkerView } from '../../src/core/presentation/run-view.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { getRunEntry } from '../../src/store/runs.ts'
import { loadRunView } from '../../src/store/run-views.ts'
import { fail } from './invariant-rules.ts'
import { isSameValue } from './same-value.ts'

export interface ScreenChecker {
  take(row: Row, state: RunState, view: RunView): void
}

/** What a screen is to show of a worker, by its state and by what the rows ask for it: reckoned without the view. */
interface Expected extends Pick<WorkerView, 'activity' | 'agent' | 'chosen' | 'model' | 'conversation' | 'sideCall'> {
  /** What the activity was read from. */
  effect: EffectId | null
  draft: WorkerView['draft']
}

export function openScreenChecker(): ScreenChecker {
  const expected = new Map<WorkerId, Expected>()
  const compared = new Map<WorkerId, { worker: Worker; shown: WorkerView }>()
  let is: RunState['run']['is'] | null = null

  return {
    take(row, state, view) {
      const { run, workers } = state
      compareRun(run, view)
      const about = workersIn(row)
      const sameRun = run.is === is
      is = run.is
      for (const worker of Object.values(workers)) {
        const { id } = worker
        const shown = view.workers[id]
        const last = compared.get(id)
        // The very objects that agreed before agree now.
        if (sameRun && !about.has(id) && last?.worker === worker && last.shown === shown) continue
        const wanted = expectedOf(state, worker, row, expected.get(id) ?? null)
        expected.set(id, wanted)
        // A worker that nothing was asked for yet is on no screen.
        if (shown === undefined) continue
        compared.set(id, { worker, shown })
        compareWorker(worker, shown, wanted, run.is)
      }
    },
  }
}

function workersIn({ event, effects }: Row): ReadonlySet<WorkerId> {
  const workers = new Set(effects.map(({ worker }) => worker))
  if ('worker' in event) workers.add(event.worker)
  return workers
}

function compareRun({ is, outcome, startedAt, startedAwakeMs, tasks }: RunState['run'], view: RunView): void {
  const word = is === 'pausing' || is === 'leaving' ? view.is : is
  equal('the run', { is: word, outcome, startedAt, startedAwakeMs, tasks: tasks?.scope ?? null }, view)
}

function compareWorker(worker: Worker, shown: WorkerView, wanted: Expected, is: RunState['run']['is']): void {
  const { id, iteration, checkboxes, branchState, breaker, phase } = worker
  const { activity, effect: _, ...known } = wanted
  const state = { id, iteration, checkboxes, branchState, breaker: breaker.is, task: taskOf(worker, shown) }
  equal(`worker ${id}`, { ...state, ...known }, shown)
  // Whoever steps aside in an outage is told with the run that is left.
  const aside = (phase.is === 'paused' || phase.is === 'finishing-task') && (is === 'leaving' || is === 'left')
  if (!aside) equal(`worker ${id}`, { activity }, shown)
}

/** A visit begins with its call, which only the rows tell. */
function taskOf({ job }: Worker, { task }: WorkerView): WorkerView['task'] {
  if (job.is !== 'task') return null
  const { task: id, title, attempt, retries } = job
  return { id, title, attempt, visit: task?.visit ?? 1, of: retries + 1 }
}

function expectedOf(state: RunState, worker: Worker, row: Row, was: Expected | null): Expected {
  const asked = row.effects.filter((effect) => effect.worker === worker.id)
  const calls = asked.filter((effect) => effect.type === 'run-agent')
  const work = calls.findLast(({ role }) => role === 'work')
  const choice = row.decisions.findLast((one) => isModelChoice(one) && one.worker === worker.id)
  return {
    ...activityIn(state, worker, row, was),
    ...namedIn(row, worker.id, was),
    agent: work?.agent ?? was?.agent ?? null,
    chosen: work === undefined ? (was?.chosen ?? null) : (choice?.why ?? null),
    sideCall: calls.findLast(({ role }) => role !== 'work')?.id ?? was?.sideCall ?? null,
    draft: draftIn(worker, asked, was),
  }
}

/** Every new effect is something else to do; an answer alone is none. */
function activityIn(
  { run }: RunState,
  { id, phase }: Worker,
  row: Row,
  before: Expected | null,
): Pick<Expected, 'activity' | 'effect'> {
  const was = before ?? { activity: { is: 'starting', since: row.at } as const, effect: null }
  const newest = Object.values(run.open).findLast((one) => one.worker === id && activityFor(one) !== null)
  const asked = newest !== undefined && numberIn(newest.id) > numberIn(was.effect) ? newest : null
  const now = (activity: Activity | null): Pick<Expected, 'activity' | 'effect'> => ({
    activity: activity === null ? was.activity : { ...activity, since: row.at },
    effect: asked?.id ?? was.effect,
  })
  const unless = (activity: Activity): Activity | null => (was.activity.is === activity.is ? null : activity)
  if (run.is === 'ended' || run.is === 'left' || phase.is === 'finished') return now(unless({ is: 'ended' }))
  if (phase.is === 'paused') return now(unless({ is: 'paused' }))
  if (phase.is === 'asking') return now(unless({ is: 'asking', question: phase.question }))
  const { event } = row
  const isOwn = 'worker' in event && event.worker === id
  if (phase.is === 'idle') return now(isOwn && event.type === 'nothing-ready' ? { is: 'idle' } : null)
  if (asked !== null) return now(activityFor(asked))
  const began = event.type === 'agent-started' && isOfIteration(row, id, before)
  return now(began ? { is: 'working', pid: event.pid, log: event.log } : null)
}

/** Numbers only grow in a run. */
function numberIn(effect: EffectId | null): number {
  return effect === null ? 0 : Number(effect.slice(1))
}

/** What a review is called, and where it is written down, is nothing of the iteration's. */
function isOfIteration(row: Row, id: WorkerId, was: Expected | null): boolean {
  const { event } = row
  if (!('effect' in event) || event.worker !== id || wasIgnored(row)) return false
  return event.effect !== was?.sideCall
}

function namedIn(row: Row, id: WorkerId, was: Expected | null): Pick<Expected, 'model' | 'conversation'> {
  const { event } = row
  const known = { model: was?.model ?? null, conversation: was?.conversation ?? null }
  if (!isOfIteration(row, id, was)) return known
  if (event.type === 'conversation-known') return { model: event.model, conversation: event.conversation }
  if (event.type !== 'agent-ended') return known
  return { ...known, conversation: event.reply.conversation ?? known.conversation }
}

/** A document begins with its call, as a visit does. */
function draftIn({ job }: Worker, asked: Effect[], was: Expected | null): WorkerView['draft'] {
  if (job.is !== 'draft') return undefined
  const { name, folder, documents } = job
  const shown = was?.draft ?? { name, folder, document: documents[0], said: '' }
  const call = asked.findLast((effect) => effect.type === 'run-agent')
  const turns = asked.filter((effect) => effect.type === 'check-document')
  const turn = turns.findLast(({ first }) => first === undefined)
  return { ...shown, document: call?.draft?.document ?? shown.document, said: turn?.said ?? shown.said }
}

/** Field by field, whatever their order. */
function equal(what: string, state: object, view: object): void {
  for (const [field, value] of Object.entries(state)) {
    const shown = (view as Record<string, unknown>)[field]
    if (!isSameValue(value, shown))
      fail(12, `${what}: ${field} is ${JSON.stringify(value)}, the view says ${JSON.stringify(shown)}`)
  }
}

/** A run is shown from what was kept with its rows as it would be from the rows themselves. */
export async function compareSaved(sql: Sql, run: RunId, view: RunView | null): Promise<void> {
  const entry = await getRunEntry(sql, run)
  if (entry === null || view === null) return fail(12, 'the run is not listed')
  if (entry.iterations !== view.made) fail(12, `the list of runs counts ${entry.iterations} iterations of ${view.made}`)
  compareSavedView(await loadRunView(sql, entry), view)
}

export function compareSavedView(saved: RunView | null, view: RunView | null): void {
  if (saved === null || view === null) return fail(12, 'nothing is shown of the run')
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
