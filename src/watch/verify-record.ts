/** Folds a record again: every row must follow from the rows before it, under the rules of its time. */
import type { RunState } from '../core/state/state.ts'
import { RULES_VERSION, step } from '../core/run/step.ts'
import type { Row } from '../core/state/row.ts'
import { STATE_VERSION } from '../core/state/upgrade.ts'

export interface RecordDifference {
  seq: number
  what: 'effects' | 'decisions' | 'state'
  recorded: unknown
  replayed: unknown
}

export interface RecordCheck {
  rows: number
  /** Rows of another version of the rules, which this version cannot check. */
  foreign: number
  difference: RecordDifference | null
}

/** `kept`: the state saved after the last row; it must equal the result of the fold. */
export async function verifyRecord(
  rows: AsyncIterable<Row>,
  kept: { version: number; state: unknown } | null,
): Promise<RecordCheck> {
  let state: RunState | null = null
  let count = 0
  for await (const row of rows) {
    if (row.rules !== RULES_VERSION) return { rows: count, foreign: 1, difference: null }
    const stepped = step(state, row.event, { at: row.at, up: row.up })
    for (const what of ['effects', 'decisions'] as const) {
      if (!same(stepped[what], row[what])) {
        return {
          rows: count,
          foreign: 0,
          difference: { seq: row.seq, what, recorded: row[what], replayed: stepped[what] },
        }
      }
    }
    state = stepped.state
    count += 1
  }
  if (kept !== null && kept.version === STATE_VERSION && !same(state, kept.state)) {
    return { rows: count, foreign: 0, difference: { seq: count, what: 'state', recorded: kept.state, replayed: state } }
  }
  return { rows: count, foreign: 0, difference: null }
}

/** Compares as JSON, the format of both. Key order counts, since the fold creates the same objects in the same order. */
function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
