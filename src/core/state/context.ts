/** The context of one step: the new state, the requested effects and the decisions so far. Lives only inside one call of `step`. */
import type { Effect } from './effect.ts'
import type { RunState, WorkerPhase, Run, Worker } from './state.ts'
import type { EffectId, Now, WorkerId } from '../ids.ts'
import type { Decision, DecisionMaker, PlainDecisionName } from './decision.ts'
import type { WorkerHandover } from '../pipeline/finish-stage.ts'
import type { StageTable } from '../pipeline/stage.ts'

export interface StepContext {
  state: RunState
  readonly now: Now
  readonly effects: Effect[]
  readonly decisions: Decision[]
  /** The effect that this event answers, taken off the open list. */
  answered?: Effect | undefined
  /** Workers that their stages handed back, in this order. */
  readonly handovers: WorkerHandover[]
  readonly stages: StageTable
}

export function createStepContext(state: RunState, now: Now, stages: StageTable = {}): StepContext {
  return { state, now, effects: [], decisions: [], handovers: [], stages }
}

/** An effect without its id, which comes from the counter of the run. */
export type EffectRequest = Effect extends infer E ? (E extends Effect ? Omit<E, 'id'> : never) : never

export function requestEffect(ctx: StepContext, wanted: EffectRequest): EffectId {
  const { run } = ctx.state
  const id: EffectId = `e${run.next}`
  const effect = { ...wanted, id } as Effect
  patchRun(ctx, { next: run.next + 1, open: { ...run.open, [id]: effect } })
  ctx.effects.push(effect)
  return id
}

/** A decision about one worker, or about something it does. */
export function recordDecision<By extends DecisionMaker>(
  ctx: StepContext,
  worker: WorkerId,
  by: By,
  what: PlainDecisionName<By>,
  why: string,
): void {
  // The parameters ensure that `by` and `what` belong together; the compiler cannot build the union from them.
  ctx.decisions.push({ by, what, why, worker } as Decision)
}

/** A decision about the whole run. */
export function recordRunDecision<By extends DecisionMaker>(
  ctx: StepContext,
  by: By,
  what: PlainDecisionName<By>,
  why: string,
): void {
  ctx.decisions.push({ by, what, why } as Decision)
}

export function patchRun(ctx: StepContext, change: Partial<Run>): void {
  ctx.state = { ...ctx.state, run: { ...ctx.state.run, ...change } }
}

export function workerOf(ctx: StepContext, id: WorkerId): Worker {
  const worker = ctx.state.workers[id]
  if (worker === undefined) throw new Error(`no worker ${id} in run ${ctx.state.run.id}`)
  return worker
}

export function patchWorker(ctx: StepContext, id: WorkerId, change: Partial<Worker>): void {
  const worker = { ...workerOf(ctx, id), ...change }
  ctx.state = { ...ctx.state, workers: { ...ctx.state.workers, [id]: worker } }
}

export function enterPhase(ctx: StepContext, id: WorkerId, phase: WorkerPhase): void {
  patchWorker(ctx, id, { phase })
}
