/**
 * The part of a view that no other table has. It is saved with the parts of the state that it describes, so that a row of one worker
 * costs the same however many there are.
 */
import { workerPartName, type StatePartName } from '../state/state-parts.ts'
import type { RunView, WorkerView } from './run-view.ts'

/** Incremented when a summary changes its shape; a summary of another shape is ignored. */
const SUMMARY_SHAPE = 4

const RUN_FIELDS = [
  'is',
  'start',
  'tasks',
  'startedAt',
  'startedAwakeMs',
  'made',
  'breaker',
  'outcome',
  'spent',
  'agents',
] as const

type RunFields = Pick<RunView, (typeof RUN_FIELDS)[number]>

export type RunSummary = RunFields & Pick<RunView, 'workers'>

/** The summaries of the parts that changed since `before`; null: of all parts. */
export function changedSummaries(view: RunView, before: RunView | null): Map<StatePartName, unknown> {
  const changed = new Map<StatePartName, unknown>()
  if (RUN_FIELDS.some((field) => view[field] !== before?.[field])) {
    const fields = RUN_FIELDS.map((field) => [field, view[field]])
    changed.set('run', { shape: SUMMARY_SHAPE, ...Object.fromEntries(fields) })
  }
  if (view.workers === before?.workers) return changed
  for (const [id, worker] of Object.entries(view.workers))
    if (worker !== before?.workers[id]) changed.set(workerPartName(id), worker)
  return changed
}

/** Null: none was saved, or another version saved it. */
export function joinSummaries(saved: ReadonlyMap<string, unknown>): RunSummary | null {
  const { run, ...others } = Object.fromEntries(saved) as { run?: RunFields & { shape: number } }
  if (run === undefined || run.shape !== SUMMARY_SHAPE) return null
  const { shape: _shape, ...fields } = run
  const workers = Object.values(others as Record<string, WorkerView>)
  return { ...fields, workers: Object.fromEntries(workers.map((worker) => [worker.id, worker])) }
}
