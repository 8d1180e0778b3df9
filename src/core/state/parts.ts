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

export function splitState(state: RunState): Map<StatePartName, unknown> {
  const { run, workers } = state
  const asked = Object.entries(run.open)
  const open = asked.map(
    ([id, effect]) => [id, Object.hasOwn(workers, effect.worker) ? effect.worker : effect] as const,
  )
  const rest: RunPart = {
    ...state,
    run: { ...run, rules: null, open: Object.fromEntries(open) },
    workers: Object.keys(workers),
  }
  const parts = new Map<StatePartName, unknown>([
    ['rules', run.rules],
    ['run', rest],
  ])
  for (const [id, worker] of Object.entries(workers)) {
    const own = asked.filter(([, effect]) => effect.worker === id)
    const part: WorkerPart = { worker, open: Object.fromEntries(own) }
    parts.set(nameOf(id), part)
  }
  return parts
}

/** The state of which these are the parts, as whichever version kept it. */
export function joinState(parts: ReadonlyMap<string, unknown>): unknown {
  const rest = parts.get('run') as RunPart
  const workers = rest.workers.map((id) => [id, parts.get(nameOf(id)) as WorkerPart] as const)
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

/** Compared by identity: `step` keeps the objects that it does not change. */
export function isUnchangedPart(name: StatePartName, now: RunState, before: RunState): boolean {
  if (name === 'rules') return now.run.rules === before.run.rules
  if (name === 'run') return isSameCooldown(now, before)
  const id = name.slice(nameOf('').length)
  return now.workers[id] === before.workers[id] && isSameOpen(id, now, before)
}

function isSameCooldown({ workers, ...rest }: RunState, { workers: then, ...before }: RunState): boolean {
  if (workers !== then && Object.keys(workers).join() !== Object.keys(then).join()) return false
  return Object.entries(rest).every(([field, value]) => value === before[field as keyof typeof before])
}

/** Of workers that are no more. */
export function removedParts(now: RunState, before: RunState): StatePartName[] {
  if (now.workers === before.workers) return []
  return Object.keys(before.workers)
    .filter((id) => !Object.hasOwn(now.workers, id))
    .map(nameOf)
}

function isSameOpen(worker: WorkerId, now: RunState, before: RunState): boolean {
  if (now.run.open === before.run.open) return true
  const [own, then] = [now, before].map(({ run }) =>
    Object.values(run.open).filter((effect) => effect.worker === worker),
  )
  return own?.length === then?.length && own?.every((effect, i) => effect === then?.[i]) === true
}

function nameOf(worker: WorkerId): StatePartName {
  return `worker:${worker}`
}
