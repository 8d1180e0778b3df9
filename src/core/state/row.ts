/** A row of the record: what happened, what was decided, what was asked. Views fold rows; only `replay --check` steps them. */
import type { Effect } from './effect.ts'
import type { Event } from './event.ts'
import type { Now, RunId } from '../ids.ts'
import type { Decision } from './decision.ts'

export interface Row extends Now {
  run: RunId
  seq: number
  /** The number of the rules that decided (`RULES` in `run/step.ts`): `replay --check` refolds only rows of its own number. */
  rules: number
  event: Event
  effects: Effect[]
  decisions: Decision[]
}

/** A late or second answer, or a request that no longer applies: kept for the record, without effect. */
export function wasIgnored(row: Pick<Row, 'decisions'>): boolean {
  return row.decisions.some((decision) => decision.by === 'loop' && decision.what === 'ignore')
}
