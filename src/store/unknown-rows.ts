/** Rows that a newer Ralph wrote and nobody here understands: found by their types, of which there are few however many rows there are. */
import type { RunId } from '../domain/ids.ts'
import type { Event } from '../domain/run/event.ts'
import type { Sql } from './db/sql.ts'

/** The compiler sees that all of ours are here. */
const KNOWN: Record<Event['type'], true> = {
  'run-started': true,
  'run-continued': true,
  surveyed: true,
  admitted: true,
  'held-back': true,
  'agent-began': true,
  'conversation-known': true,
  'agent-denied': true,
  'spend-crossed': true,
  'agent-ended': true,
  'gate-ended': true,
  'base-taken': true,
  'changes-sorted': true,
  'room-tried': true,
  'looked-again': true,
  'guard-taken': true,
  'guard-checked': true,
  restored: true,
  committed: true,
  'wait-over': true,
  aborted: true,
  'task-claimed': true,
  'nothing-ready': true,
  'task-settled': true,
  'claim-lost': true,
  'put-back': true,
  'run-ended': true,
  'run-left': true,
  'effect-failed': true,
  'effect-lost': true,
  'request-received': true,
  'clock-jumped': true,
  remark: true,
}

export async function unknownRows(sql: Sql, run: RunId): Promise<number> {
  let unknown = 0
  for (let type = await typeAfter(sql, run, ''); type !== null; type = await typeAfter(sql, run, type)) {
    if (Object.hasOwn(KNOWN, type)) continue
    const row = await sql.get<{ n: number }>(
      'select count(*) as n from record where run = ? and type = ?',
      run,
      type,
    )
    unknown += row?.n ?? 0
  }
  return unknown
}

/** The next one in the index. */
async function typeAfter(sql: Sql, run: RunId, type: string): Promise<string | null> {
  const row = await sql.get<{ type: string | null }>(
    'select min(type) as type from record where run = ? and type > ?',
    run,
    type,
  )
  return row?.type ?? null
}
