/** A stage as a module: what `step` asks of it. A new kind is one module, its row in the registry, and its place in a pipeline. */
import type { WorkerId } from '../ids.ts'
import type { Effect } from '../state/effect.ts'
import type { EffectEvent, EventOf } from '../state/event.ts'
import type { WorkerPhase, Worker } from '../state/state.ts'
import { workerOf, type StepContext } from '../state/context.ts'
import type { StageOutput } from './finish-stage.ts'
import { stageKindOf } from './position.ts'
import type { StageKind } from './pipeline.ts'

/** Events that the stage of a worker receives: a new one is its own unless it is named here. */
export type StageEvent = Exclude<EffectEvent, { type: NotOfStage }>

/** Handled by the run, its calls and its workers, or only by the screens. */
type NotOfStage =
  | 'agent-started'
  | 'agent-denied'
  | 'conversation-known'
  | 'spend-threshold-crossed'
  | 'aborted'
  | 'wait-ended'
  | 'task-claimed'
  | 'nothing-ready'
  | 'task-finished'
  | 'run-ended'
  | 'run-suspended'
  | 'effect-failed'
  | 'effect-lost'

export type StageHandlers = {
  readonly [T in StageEvent['type']]?: (ctx: StepContext, event: EventOf<T>) => void
}

export interface StageModule {
  kind: StageKind
  /** The phases of its workers; it ignores an event for a worker in another phase. */
  phases: readonly WorkerPhase['is'][]
  /** Requests the next effect. `entered`: the result of the stage before; absent: the stage continues after a pause, a wait or a call. */
  begin(ctx: StepContext, id: WorkerId, entered?: StageOutput): void
  /** Handlers of its worker's events by type; it ignores any other event. */
  on: StageHandlers
  /** Ends the effect that runs; its answer still comes. */
  abort(ctx: StepContext, worker: Worker, how: { now: boolean }): void
  /** What its worker does, in a few words. */
  describe(worker: Worker): string
  /** An effect failed or was lost. True: the stage has decided what follows. */
  failed?(ctx: StepContext, id: WorkerId, failure: EffectFailure): boolean
  /** Before its worker stops, pauses or continues. True: something has to be reverted first. */
  cleanUp?(ctx: StepContext, id: WorkerId): boolean
  /** Another process runs the run from now on. */
  resumed?(ctx: StepContext, id: WorkerId, event: EventOf<'run-resumed'>): void
}

export interface EffectFailure {
  effect: Effect | undefined
  why: string
  /** True: it may be half done; false: it was not done. */
  isLost: boolean
}

export type StageTable = Readonly<Partial<Record<StageKind, StageModule>>>

/** The stage that a worker is at; null: it has no job. */
export function stageModuleOf(ctx: StepContext, id: WorkerId): StageModule | null {
  const kind = stageKindOf(workerOf(ctx, id))
  if (kind === null) return null
  const stage = ctx.stages[kind]
  if (stage === undefined) throw new Error(`there is no stage module for ${kind}`)
  return stage
}
