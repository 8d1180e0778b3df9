/**
 * Turns events into rows: steps the core with each, records it with its effects and decisions, and saves the state after the last one,
 * all in one transaction. Effects that touch only the database are performed and answered in the same transaction.
 */
import type { Effect } from '../../core/state/effect.ts'
import { RalphError } from '../../core/error.ts'
import type { Event } from '../../core/state/event.ts'
import type { RunState } from '../../core/state/state.ts'
import type { Now, RunId } from '../../core/ids.ts'
import { RULES_VERSION, step } from '../../core/run/step.ts'
import type { Row } from '../../core/state/row.ts'
import { STATE_VERSION } from '../../core/state/upgrade.ts'
import { foldViewTolerantly, type RunView } from '../../core/presentation/run-view.ts'
import type { Store } from '../../store/db/open-store.ts'
import { saveBase } from '../../store/bases.ts'
import { saveDigest } from '../../store/digests.ts'
import { appendRow } from '../../store/record.ts'
import { saveRunState } from '../../store/run-state.ts'
import { workspaceOfRun } from '../../store/runs.ts'
import { saveIterations } from '../../store/run-views.ts'
import { writeRequestReceipts } from './request-receipts.ts'
import { isInlineEffect, type HandledEffect } from './handler.ts'
import { performInlineEffect } from './inline-effects.ts'

/** The position of a run: the state after row `seq`. */
export interface RunPosition {
  run: RunId
  state: RunState | null
  seq: number
  /** The view for screens. Null: there is no row yet, or this version cannot read the first one. */
  view: RunView | null
}

export interface AppliedEvents extends RunPosition {
  state: RunState
  rows: Row[]
  effects: HandledEffect[]
}

export async function applyEvents(
  store: Store,
  from: RunPosition,
  events: Event[],
  clock: () => Now,
): Promise<AppliedEvents> {
  if (!store.isSameFile()) {
    throw new RalphError('store-lost', `${store.file} was moved or deleted while the run was using it`, {
      hint: 'Ralph stopped writing. Restore the file, or start a new run: ralph loop',
    })
  }
  return store.sql.transaction(async (tx) => {
    let { state, seq, view } = from
    const rows: Row[] = []
    const effects: HandledEffect[] = []
    // An inline answer has the time of its request, whatever the clock does meanwhile.
    const queue: { event: Event; now: Now | null }[] = events.map((event) => ({ event, now: null }))
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { event } = next
      const now = next.now ?? clock()
      const stepped = step(state, event, now)
      state = stepped.state
      seq += 1
      const row: Row = {
        run: from.run,
        seq,
        ...now,
        rules: RULES_VERSION,
        event,
        effects: stepped.effects,
        decisions: stepped.decisions,
      }
      await appendRow(tx, row)
      await writeRequestReceipts(tx, row)
      rows.push(row)
      view = foldViewTolerantly(view, row).view
      const answers: { event: Event; now: Now }[] = []
      for (const effect of stepped.effects) {
        if (isInlineEffect(effect))
          answers.push({ event: await performInlineEffect(tx, effect, { run: from.run, now }), now })
        else effects.push(effect)
      }
      queue.unshift(...answers)
    }
    if (state === null) throw new Error('no event to advance by')
    await saveRunState(tx, from.run, { version: STATE_VERSION, seq, state, view }, from)
    if (view !== null) await saveIterations(tx, from.run, view, from.view)
    await saveDigest(tx, from.run, { from: from.seq, to: seq })
    // The base has the time of its row: a base that is newer than the end of the run was written by another command.
    const moved = rows.findLast(({ event }) => MOVES_BASE.has(event.type))
    if (moved !== undefined) await saveBase(tx, state, { workspace: await workspaceOfRun(tx, from.run), at: moved.at })
    return { run: from.run, state, seq, view, rows, effects: stillOpen(state, effects) }
  })
}

/** These events may change the base, the last seen tree or the pending acceptance. */
const MOVES_BASE: ReadonlySet<Event['type']> = new Set<Event['type']>([
  'base-resolved',
  'trial-ended',
  'snapshot-taken',
  'agent-started',
  'reverted',
  'task-finished',
  'run-ended',
])

/** A later event of the same batch may have closed an effect; it must not start then. */
function stillOpen(state: RunState, effects: HandledEffect[]): HandledEffect[] {
  return effects.filter((effect: Effect) => state.run.open[effect.id] !== undefined)
}
