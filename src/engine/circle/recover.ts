/**
 * Taking up a run that a crash left behind: load the kept state, end what still runs in its name, and ask each unanswered
 * effect what became of it. The rest is the ordinary circle.
 */
import { RalphError } from '../../domain/error.ts'
import type { Event } from '../../domain/state/event.ts'
import type { House } from '../../domain/state/state.ts'
import type { Awake, RunId } from '../../domain/ids.ts'
import { houseFrom } from '../../domain/state/upgrade.ts'
import type { View } from '../../domain/tell/view.ts'
import { lastStamp } from '../../store/record.ts'
import { runEntry } from '../../store/runs.ts'
import { loadView } from '../../store/screens.ts'
import { loadState } from '../../store/state.ts'
import type { Sql } from '../../store/db/sql.ts'
import { endChildren, type World } from '../world.ts'
import type { Position } from './advance.ts'
import { handlerOf, perform, type Engine } from './drive.ts'
import { openIn } from './emergency.ts'
import type { Inquiry, PerformedEffect } from './handler.ts'

export interface LoadedRun extends Position {
  house: House
  /** Awake time the run had reached. */
  up: Awake
}

export async function loadPosition(sql: Sql, run: RunId): Promise<LoadedRun> {
  const state = await loadState(sql, run)
  const stamp = await lastStamp(sql, run)
  const entry = await runEntry(sql, run)
  if (state === null || stamp === null || entry === null) {
    throw new RalphError('store-lost', `run ${run} has no kept state any more, so it cannot go on`, {
      hint: 'Give it up and start anew: ralph loop --fresh',
    })
  }
  const view = await loadView(sql, entry)
  return { run, house: houseFrom(state, run), seq: state.seq, up: stamp.up, view }
}

/** What a screen goes on with. */
export function shownOf({ run, view }: LoadedRun): View {
  if (view !== null) return view
  throw new RalphError('store-newer', `the record of run ${run} does not begin as this version knows it`, {
    hint: 'It was probably written by a newer Ralph: update this one.',
  })
}

/** All at once, before anybody asks what became of what: what still runs would change the answer. */
export async function endLeftovers(world: World, house: House): Promise<void> {
  const open = openIn(house)
  const graces = open.map((effect) => (effect.type === 'run-agent' ? effect.limits.stopGraceMs : 0))
  await endChildren(world, open, { agentsGraceMs: Math.max(0, ...graces) })
  for (const { id } of open) world.swept.add(id)
}

/** Answers every open effect: with what is known, by doing it now, or by saying that it is lost. */
export async function recover(engine: Engine, house: House, continued: Event): Promise<void> {
  engine.inbox.put(continued)
  const effects = openIn(house)
  // All at once: some read long logs. They are answered in the order in which they were asked.
  const inquiries = await Promise.all(
    effects.map(async (effect) => ({
      effect,
      inquiry: await handlerOf(engine.handlers, effect).inquire(effect),
    })),
  )
  for (const { effect, inquiry } of inquiries) {
    // A run that was told to stop begins nothing any more, not even a look at the tree: that can take minutes as well.
    settleEffect(engine, effect, { inquiry, mayStart: house.run.is !== 'stopping' })
  }
}

function settleEffect(
  engine: Engine,
  effect: PerformedEffect,
  { inquiry, mayStart }: { inquiry: Inquiry; mayStart: boolean },
): void {
  if (inquiry.is === 'answered') engine.inbox.put(inquiry.event)
  else if (inquiry.is === 'not-begun' && mayStart) perform(engine, effect)
  else engine.inbox.put({ type: 'effect-lost', worker: effect.worker, effect: effect.id })
}
