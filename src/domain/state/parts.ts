/**
 * The house in the parts it is kept in: the rules, the run, and one for each worker with what it has asked for. A row changes one or
 * two of them, and a worker more is one part more instead of a larger whole.
 */
import type { EffectId, WorkerId } from '../ids.ts'
import type { Effect } from './effect.ts'
import type { House, Run, Worker } from './state.ts'

export type PartName = 'rules' | 'run' | `worker:${WorkerId}`

/** All of the house that is no worker's. What lies elsewhere keeps its place, so that a joined house reads as it was. */
type RunPart = Omit<House, 'run' | 'workers'> & {
  run: Omit<Run, 'rules' | 'open'> & { rules: null; open: Record<EffectId, WorkerId | Effect> }
  /** In their order. */
  workers: WorkerId[]
}

interface WorkerPart {
  worker: Worker
  open: Record<EffectId, Effect>
}

export function splitHouse(house: House): Map<PartName, unknown> {
  const { run, workers } = house
  const asked = Object.entries(run.open)
  const open = asked.map(
    ([id, effect]) => [id, Object.hasOwn(workers, effect.worker) ? effect.worker : effect] as const,
  )
  const rest: RunPart = {
    ...house,
    run: { ...run, rules: null, open: Object.fromEntries(open) },
    workers: Object.keys(workers),
  }
  const parts = new Map<PartName, unknown>([
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

/** The house of which these are the parts, as whichever version kept it. */
export function joinHouse(parts: ReadonlyMap<string, unknown>): unknown {
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

/** Told without a look inside: `step` leaves what it does not change as it was. */
export function isSamePart(name: PartName, now: House, before: House): boolean {
  if (name === 'rules') return now.run.rules === before.run.rules
  if (name === 'run') return isSameRest(now, before)
  const id = name.slice(nameOf('').length)
  return now.workers[id] === before.workers[id] && isSameOpen(id, now, before)
}

function isSameRest({ workers, ...rest }: House, { workers: then, ...before }: House): boolean {
  if (workers !== then && Object.keys(workers).join() !== Object.keys(then).join()) return false
  return Object.entries(rest).every(([field, value]) => value === before[field as keyof typeof before])
}

/** Of workers that are no more. */
export function partsGone(now: House, before: House): PartName[] {
  if (now.workers === before.workers) return []
  return Object.keys(before.workers)
    .filter((id) => !Object.hasOwn(now.workers, id))
    .map(nameOf)
}

function isSameOpen(worker: WorkerId, now: House, before: House): boolean {
  if (now.run.open === before.run.open) return true
  const [own, then] = [now, before].map(({ run }) =>
    Object.values(run.open).filter((effect) => effect.worker === worker),
  )
  return own?.length === then?.length && own?.every((effect, i) => effect === then?.[i]) === true
}

function nameOf(worker: WorkerId): PartName {
  return `worker:${worker}`
}
