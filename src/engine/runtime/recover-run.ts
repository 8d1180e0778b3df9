/**
 * Resumes a run after a crash: loads the saved state, ends leftover processes, and asks the handler of each open effect for its result.
 * Then the ordinary run loop continues.
 */
import { RalphError } from '../../core/error.ts'
import type { Event } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import type { AwakeMs, RunId } from '../../core/ids.ts'
import { upgradeState } from '../../core/state/upgrade.ts'
import type { RunView } from '../../core/presentation/run-view.ts'
import { lastRowTime } from '../../store/record.ts'
import { getRunEntry } from '../../store/runs.ts'
import { loadRunView } from '../../store/run-views.ts'
import { loadRunState } from '../../store/run-state.ts'
import type { Sql } from '../../store/db/sql.ts'
import { endProcessesOfEffects, type HandlerContext } from '../handler-context.ts'
import type { RunPosition } from './apply-events.ts'
import { handlerOf, startEffect, type Engine } from './event-loop.ts'
import { openEffectsOf } from './emergency-stop.ts'
import { answerTo, type RecoveryAnswer, type HandledEffect } from './handler.ts'

export interface LoadedRun extends RunPosition {
  state: RunState
  /** The awake time at its last row. */
  up: AwakeMs
}

export async function loadRunPosition(sql: Sql, run: RunId): Promise<LoadedRun> {
  const savedState = await loadRunState(sql, run)
  const stamp = await lastRowTime(sql, run)
  const entry = await getRunEntry(sql, run)
  if (savedState === null || stamp === null || entry === null) {
    throw new RalphError('store-lost', `the saved state of run ${run} is gone, so it cannot resume`, {
      hint: 'Abandon it and start a new run: ralph loop --fresh',
    })
  }
  const view = await loadRunView(sql, entry)
  return { run, state: upgradeState(savedState, run), seq: savedState.seq, up: stamp.up, view }
}

/** The view for screens of the resumed run. */
export function requireRunView({ run, view }: LoadedRun): RunView {
  if (view !== null) return view
  throw new RalphError('store-newer', `the record of run ${run} cannot be read by this version of Ralph`, {
    hint: 'A newer Ralph probably wrote it. Update Ralph.',
  })
}

/** Ends all leftover processes before the handlers recover their answers: a running process would change the answer. */
export async function endLeftoverProcesses(world: HandlerContext, state: RunState): Promise<void> {
  const open = openEffectsOf(state)
  const graces = open.map((effect) => (effect.type === 'run-agent' ? effect.limits.stopGraceMs : 0))
  await endProcessesOfEffects(world, open, { agentsGraceMs: Math.max(0, ...graces) })
  for (const { id } of open) world.endedEffects.add(id)
}

/** Answers every open effect: with the recovered event, by performing it now, or with `effect-lost`. */
export async function recoverOpenEffects(engine: Engine, state: RunState, continued: Event): Promise<void> {
  engine.inbox.put(continued)
  const effects = openEffectsOf(state)
  // In parallel, because some read long logs. The answers keep the order of the effects.
  const inquiries = await Promise.all(
    effects.map(async (effect) => ({
      effect,
      inquiry: await handlerOf(engine.handlers, effect).recoverAnswer(effect),
    })),
  )
  for (const { effect, inquiry } of inquiries) {
    // A stopping run starts nothing, not even a snapshot, which can take minutes.
    settleEffect(engine, effect, { inquiry, mayStart: state.run.is !== 'stopping' })
  }
}

function settleEffect(
  engine: Engine,
  effect: HandledEffect,
  { inquiry, mayStart }: { inquiry: RecoveryAnswer; mayStart: boolean },
): void {
  if (inquiry.is === 'answered') engine.inbox.put(inquiry.event)
  else if (inquiry.is === 'not-begun' && mayStart) startEffect(engine, effect)
  else engine.inbox.put({ type: 'effect-lost', ...answerTo(effect) })
}
