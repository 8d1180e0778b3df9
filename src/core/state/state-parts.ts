/**
 * The state in the parts it is kept in: the rules, the run, and one for each worker with what it has asked for. A row changes one or
 * two of them, and a worker more is one part more instead of a larger whole.
 */
import type { EffectId, WorkerId } from '../ids.ts'
import type { Effect } from './effect.ts'
import type { RunState, Run, Worker } from './state.ts'

export type StatePartName = 'rules' | 'run' | `worker:${WorkerId}`

/** All of the state that is no worker's. What lies elsewhere keeps its place, so that a joined state reads as it was. */
type RunPart = Omit<RunState, 'run' | 'workers'> & {
  run: Omit<Run, 'rules' | 'open'> & { rules: null; open: Record<EffectId, WorkerId | Effect> }
  /** In their order. */
  workers: WorkerId[]
}

interface WorkerPart {
  worker: Worker
  open: Record<EffectId, Effect>
}

/** Those that changed since `before`, told without a look inside: `step` leaves what it does not change as it was. Null: all of them. */
export function changedParts(state: RunState, before: RunState | null): Map<StatePartName, unknown> {
  const { run, workers } = state
  const parts = new Map<StatePartName, unknown>()
  if (run.rules !== before?.run.rules) parts.set('rules', run.rules)
  if (before === null || !isSameRun(state, before)) parts.set('run', runPart(state))
  const asking = before === null ? null : workersAsking(run.open, before.run.open)
  for (const [id, worker] of Object.entries(workers)) {
    if (worker === before?.workers[id] && asking?.has(id) === false) continue
    const own = Object.entries(run.open).filter(([, effect]) => effect.worker === id)
    const part: WorkerPart = { worker, open: Object.fromEntries(own) }
    parts.set(workerPartName(id), part)
  }
  return parts
}

function runPart(state: RunState): RunPart {
  const { run, workers } = state
  const open = Object.entries(run.open).map(
    ([id, effect]) => [id, Object.hasOwn(workers, effect.worker) ? effect.worker : effect] as const,
  )
  return { ...state, run: { ...run, rules: null, open: Object.fromEntries(open) }, workers: Object.keys(workers) }
}

function isSameRun({ workers, ...rest }: RunState, { workers: then, ...before }: RunState): boolean {
  if (workers !== then && Object.keys(workers).join() !== Object.keys(then).join()) return false
  return Object.entries(rest).every(([field, value]) => value === before[field as keyof typeof before])
}

/** Workers of which something else is open than before. */
function workersAsking(now: Run['open'], before: Run['open']): ReadonlySet<WorkerId> {
  const workers = new Set<WorkerId>()
  if (now === before) return workers
  for (const [one, other] of [
    [now, before],
    [before, now],
  ] as const)
    for (const [id, effect] of Object.entries(one)) if (other[id] !== effect) workers.add(effect.worker)
  return workers
}

/** The state of which these are the parts, as whichever version kept it. */
export function joinState(parts: ReadonlyMap<string, unknown>): unknown {
  const rest = parts.get('run') as RunPart
  const workers = rest.workers.map((id) => [id, parts.get(workerPartName(id)) as WorkerPart] as const)
  const asked = new Map(workers.flatMap(([, part]) => Object.entries(part.open)))
  const open = Object.entries(rest.run.open).map(([id, whose]) => [
    id,
    typeof whose === 'string' ? asked.get(id) : whose,
  ])
  return {
    ...rest,
    run: { ...rest.run, rules: parts.get('rules'), open: Object.fromEntries(open) as unknown },
    workers: Object.fromEntries(workers.map(([id, { worker }]) => [id, worker])),
  }
}

/** Of workers that are no more. */
export function removedParts(now: RunState, before: RunState): StatePartName[] {
  if (now.workers === before.workers) return []
  return Object.keys(before.workers)
    .filter((id) => !Object.hasOwn(now.workers, id))
    .map(workerPartName)
}

export function workerPartName(worker: WorkerId): StatePartName {
  return `worker:${worker}`
}
