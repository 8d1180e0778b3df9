/**
 * Events become rows: each is stepped, recorded with its effects and decisions, and the state after the last one is kept, all
 * in one transaction. Effects that touch only the database are performed and answered in that same transaction.
 */
import type { Effect } from '../../domain/state/effect.ts'
import { RalphError } from '../../domain/error.ts'
import type { Event } from '../../domain/state/event.ts'
import type { House } from '../../domain/state/state.ts'
import type { Now, RunId } from '../../domain/ids.ts'
import { RULES, step } from '../../domain/run/step.ts'
import type { Row } from '../../domain/state/row.ts'
import { HOUSE_VERSION } from '../../domain/state/upgrade.ts'
import { foldKnown, type View } from '../../domain/tell/view.ts'
import type { Store } from '../../store/db/open.ts'
import { rememberBase } from '../../store/bases.ts'
import { keepDigest } from '../../store/digests.ts'
import { appendRow } from '../../store/record.ts'
import { saveState } from '../../store/state.ts'
import { workspaceOf } from '../../store/runs.ts'
import { saveView } from '../../store/screens.ts'
import { answerRequests } from './receipts.ts'
import { isInline, type PerformedEffect } from './handler.ts'
import { answerInline } from './inline.ts'

/** Where a run stands: the state after row `seq`. */
export interface Position {
  run: RunId
  house: House | null
  seq: number
  /** What is shown of it. */
  /** Null: no row yet, or nobody here understands how the record begins. */
  view: View | null
}

export interface Advanced extends Position {
  house: House
  rows: Row[]
  effects: PerformedEffect[]
}

export async function advance(
  store: Store,
  from: Position,
  events: Event[],
  clock: () => Now,
): Promise<Advanced> {
  if (!store.stillThere()) {
    throw new RalphError('store-lost', `${store.file} was moved or deleted while the run was using it`, {
      hint: 'Nothing more is written. Put the file back, or start a new run.',
    })
  }
  return store.sql.transaction(async (tx) => {
    let { house, seq, view } = from
    const rows: Row[] = []
    const effects: PerformedEffect[] = []
    // What is answered in the transaction that asks it happens at that very moment, whatever the clock does meanwhile.
    const queue: { event: Event; now: Now | null }[] = events.map((event) => ({ event, now: null }))
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { event } = next
      const now = next.now ?? clock()
      const stepped = step(house, event, now)
      house = stepped.house
      seq += 1
      const row: Row = {
        run: from.run,
        seq,
        ...now,
        rules: RULES,
        event,
        effects: stepped.effects,
        decisions: stepped.decisions,
      }
      await appendRow(tx, row)
      await answerRequests(tx, row)
      rows.push(row)
      view = foldKnown(view, row).view
      const answers: { event: Event; now: Now }[] = []
      for (const effect of stepped.effects) {
        if (isInline(effect))
          answers.push({ event: await answerInline(tx, effect, { run: from.run, now }), now })
        else effects.push(effect)
      }
      queue.unshift(...answers)
    }
    if (house === null) throw new Error('no event to advance by')
    await saveState(tx, from.run, { version: HOUSE_VERSION, seq, house }, from.house)
    if (view !== null) await saveView(tx, from.run, view, from.view)
    await keepDigest(tx, from.run, { from: from.seq, to: seq })
    // As old as the row it follows from: a base that is younger than the end of the run was written by somebody else.
    const moved = rows.findLast(({ event }) => MOVES_BASE.has(event.type))
    if (moved !== undefined)
      await rememberBase(tx, house, { workspace: await workspaceOf(tx, from.run), at: moved.at })
    return { run: from.run, house, seq, view, rows, effects: stillOpen(house, effects) }
  })
}

/** After these the base, what was seen last, or what waits for a person may be another. */
const MOVES_BASE: ReadonlySet<Event['type']> = new Set<Event['type']>([
  'base-taken',
  'room-tried',
  'surveyed',
  'agent-began',
  'put-back',
  'task-settled',
  'run-ended',
])

/** A later event of the same batch may have closed an effect already; it must not be started any more. */
function stillOpen(house: House, effects: PerformedEffect[]): PerformedEffect[] {
  return effects.filter((effect: Effect) => house.run.open[effect.id] !== undefined)
}
