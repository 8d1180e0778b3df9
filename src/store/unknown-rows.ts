/** Counts rows from a newer Ralph that this version cannot read. It compares their types, which are few even in a long record. */
import type { RunId } from '../core/ids.ts'
import type { Event } from '../core/state/event.ts'
import type { Sql } from './db/sql.ts'

/** The compiler checks that this table has every event type. */
const KNOWN: Record<Event['type'], true> = {
  'run-started': true,
  'run-resumed': true,
  'snapshot-taken': true,
  admitted: true,
  'call-deferred': true,
  'agent-started': true,
  'conversation-known': true,
  'agent-denied': true,
  'spend-threshold-crossed': true,
  'agent-ended': true,
  'gate-ended': true,
  'base-resolved': true,
  'changes-classified': true,
  'trial-ended': true,
  'final-tree-checked': true,
  committed: true,
  'wait-ended': true,
  aborted: true,
  'task-claimed': true,
  'nothing-ready': true,
  'document-checked': true,
  'import-checked': true,
  'task-finished': true,
  'claim-lost': true,
  reverted: true,
  'knowledge-saved': true,
  'run-ended': true,
  'run-suspended': true,
  'effect-failed': true,
  'effect-lost': true,
  'request-received': true,
  'clock-jumped': true,
  remark: true,
}

export async function countUnknownRows(sql: Sql, run: RunId): Promise<number> {
  const types = await sql.all<{ type: string }>(TYPES, run, run)
  let unknown = 0
  for (const { type } of types.filter((one) => !Object.hasOwn(KNOWN, one.type))) {
    const row = await sql.get<{ n: number }>('select count(*) as n from record where run = ? and type = ?', run, type)
    unknown += row?.n ?? 0
  }
  return unknown
}

/** Jumps in the index from each type to the next: `distinct` would read every row. */
const TYPES = `with recursive types (type) as (
  select min(type) from record where run = ?
  union all select (select min(type) from record where run = ? and type > types.type) from types where types.type is not null)
  select type from types where type is not null`
