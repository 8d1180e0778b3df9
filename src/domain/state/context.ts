/** One step under way: the house as it will be, what was asked and what was decided. Lives only inside one call of `step`. */
import type { Effect } from './effect.ts'
import type { House, Phase, Run, Worker } from './state.ts'
import type { EffectId, Now, WorkerId } from '../ids.ts'
import type { Decision, Machine, PlainWordOf } from './decision.ts'
import type { WorkerHandover } from '../pipeline/finish-stage.ts'
import type { StageTable } from '../pipeline/stage.ts'

export interface Course {
  house: House
  readonly now: Now
  readonly effects: Effect[]
  readonly decisions: Decision[]
  /** The effect that this event answers, taken off the open list. */
  answered?: Effect | undefined
  /** Workers that their stages handed back, in this order. */
  readonly handovers: WorkerHandover[]
  readonly stages: StageTable
}

export function beginStep(house: House, now: Now, stages: StageTable = {}): Course {
  return { house, now, effects: [], decisions: [], handovers: [], stages }
}

/** An effect without its id, which comes from the counter of the run. */
export type Ask = Effect extends infer E ? (E extends Effect ? Omit<E, 'id'> : never) : never

export function ask(course: Course, wanted: Ask): EffectId {
  const { run } = course.house
  const id: EffectId = `e${run.next}`
  const effect = { ...wanted, id } as Effect
  patchRun(course, { next: run.next + 1, open: { ...run.open, [id]: effect } })
  course.effects.push(effect)
  return id
}

/** A decision about one worker, or about something it does. */
export function decide<By extends Machine>(
  course: Course,
  worker: WorkerId,
  by: By,
  what: PlainWordOf<By>,
  why: string,
): void {
  // That machine and word belong together, the parameters say; a union cannot be built from both by the compiler.
  course.decisions.push({ by, what, why, worker } as Decision)
}

/** A decision about the whole run. */
export function decideForRun<By extends Machine>(
  course: Course,
  by: By,
  what: PlainWordOf<By>,
  why: string,
): void {
  course.decisions.push({ by, what, why } as Decision)
}

export function patchRun(course: Course, change: Partial<Run>): void {
  course.house = { ...course.house, run: { ...course.house.run, ...change } }
}

export function workerOf(course: Course, id: WorkerId): Worker {
  const worker = course.house.workers[id]
  if (worker === undefined) throw new Error(`no worker ${id} in run ${course.house.run.id}`)
  return worker
}

export function patchWorker(course: Course, id: WorkerId, change: Partial<Worker>): void {
  const worker = { ...workerOf(course, id), ...change }
  course.house = { ...course.house, workers: { ...course.house.workers, [id]: worker } }
}

export function enter(course: Course, id: WorkerId, phase: Phase): void {
  patchWorker(course, id, { phase })
}
