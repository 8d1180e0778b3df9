/** Refolds a record: every row must follow from the ones before it, under the rules that decided it then. */
import type { House } from '../domain/state/state.ts'
import { RULES, step } from '../domain/run/step.ts'
import type { Row } from '../domain/state/row.ts'
import { HOUSE_VERSION } from '../domain/state/upgrade.ts'

export interface RowDifference {
  seq: number
  what: 'effects' | 'decisions' | 'state'
  recorded: unknown
  refolded: unknown
}

export interface Checked {
  rows: number
  /** Rows of other rules, which this version does not judge. */
  foreign: number
  difference: RowDifference | null
}

/** `kept`: the state saved after the last row; it must be what the fold arrives at. */
export async function checkRecord(
  rows: AsyncIterable<Row>,
  kept: { version: number; house: unknown } | null,
): Promise<Checked> {
  let house: House | null = null
  let count = 0
  for await (const row of rows) {
    if (row.rules !== RULES) return { rows: count, foreign: 1, difference: null }
    const stepped = step(house, row.event, { at: row.at, up: row.up })
    for (const what of ['effects', 'decisions'] as const) {
      if (!same(stepped[what], row[what])) {
        return {
          rows: count,
          foreign: 0,
          difference: { seq: row.seq, what, recorded: row[what], refolded: stepped[what] },
        }
      }
    }
    house = stepped.house
    count += 1
  }
  if (kept !== null && kept.version === HOUSE_VERSION && !same(house, kept.house)) {
    return {
      rows: count,
      foreign: 0,
      difference: { seq: count, what: 'state', recorded: kept.house, refolded: house },
    }
  }
  return { rows: count, foreign: 0, difference: null }
}

/** As JSON: that is how both were written. Key order is part of it, since the fold makes the same objects in the same order. */
function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
