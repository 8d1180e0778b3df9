/**
 * Requests to a running engine from other processes: rows that the engine reads by increasing id. The engine accepts a request in the
 * transaction that appends `request-received`, so each request is either in the record or still waiting, never both or neither.
 */
import type { RequestTarget, PersonRequest } from '../core/state/event.ts'
import type { Instant, RunId } from '../core/ids.ts'
import { parseObject } from '../core/text/json.ts'
import type { Sql } from './db/sql.ts'

/**
 * `waiting` for the engine, `accepted` into the record, then `applied` or `refused`; `expired` if the run ended first.
 */
export type RequestState = 'waiting' | 'accepted' | 'applied' | 'refused' | 'expired'

/** A `PersonRequest` before it has an id. The type distributes over the kinds, so that each keeps its own fields. */
export type NewRequest = PersonRequest extends infer R ? (R extends PersonRequest ? Omit<R, 'id'> : never) : never

export interface RequestReceipt {
  state: RequestState
  /** The engine's answer. */
  note: string | null
  /** The iteration in which it took effect. */
  iteration: number | null
}

/** Adds a request and returns its id, with which the sender can follow it. */
export async function addRequest(sql: Sql, run: RunId, request: NewRequest, at: Instant): Promise<number> {
  const { from, ...body } = request
  const added = await sql.get<{ id: number }>(
    `insert into requests (run, at, from_who, body, state) values (?, ?, ?, ?, 'waiting') returning id`,
    run,
    at,
    from,
    JSON.stringify(body),
  )
  return added?.id ?? 0
}

/**
 * Waiting requests with an id above `id`, oldest first. A request from a newer Ralph that this version cannot read stays waiting and
 * expires at the end of the run.
 */
export async function loadRequestsAfter(sql: Sql, run: RunId, id: number): Promise<PersonRequest[]> {
  const rows = await sql.all<{ id: number; from_who: string; body: string }>(
    `select id, from_who, body from requests where run = ? and id > ? and state = 'waiting' order by id`,
    run,
    id,
  )
  return rows.map(readRequest).filter((request) => request !== null)
}

/** False: the request was accepted before, or has expired. */
export async function markRequestAccepted(tx: Sql, id: number): Promise<boolean> {
  const taken = await tx.run(`update requests set state = 'accepted' where id = ? and state = 'waiting'`, id)
  return taken.changes === 1
}

/** Saves the result. An answered request keeps its first answer. */
export async function answerRequest(
  tx: Sql,
  id: number,
  state: 'applied' | 'refused',
  note: string | null,
  iteration: number | null,
): Promise<void> {
  await tx.run(
    `update requests set state = ?, note = ?, iteration = ? where id = ? and state in ('waiting', 'accepted')`,
    state,
    note,
    iteration,
    id,
  )
}

export async function loadRequestReceipt(sql: Sql, id: number): Promise<RequestReceipt | null> {
  const row = await sql.get<RequestReceipt>('select state, note, iteration from requests where id = ?', id)
  return row === null ? null : { state: row.state, note: row.note, iteration: row.iteration }
}

/** The run has ended: nothing will read waiting requests, and no prompt will contain late steering. */
export async function expireRequests(tx: Sql, run: RunId): Promise<void> {
  await tx.run(`update requests set state = 'expired' where run = ? and state in ('waiting', 'accepted')`, run)
}

function readRequest(row: { id: number; from_who: string; body: string }): PersonRequest | null {
  const body = parseObject(row.body) ?? {}
  const to = addressOf(body['to'])
  // A request for an unknown target must not reach anybody else.
  if (to === 'unknown') return null
  const asked = { id: row.id, from: row.from_who, ...(to === undefined ? {} : { to }) }
  const what = body['do'] as PersonRequest['do']
  switch (what) {
    case 'stop':
      return { ...asked, do: 'stop', now: body['now'] === true }
    case 'pause':
      return { ...asked, do: 'pause', ...(body['now'] === true ? { now: true } : {}) }
    case 'resume':
    case 'abandon':
    case 'skip':
      return { ...asked, do: what }
    case 'steer':
      return steerOf(asked, body)
    case 'set': {
      const { key, value } = body
      return typeof key === 'string' && typeof value === 'string' ? { ...asked, do: 'set', key, value } : null
    }
    default:
      return unknown(what)
  }
}

function steerOf(
  asked: Pick<PersonRequest, 'id' | 'from' | 'to'>,
  { text, answers }: Record<string, unknown>,
): PersonRequest | null {
  if (typeof text !== 'string') return null
  return { ...asked, do: 'steer', text, ...(typeof answers === 'string' ? { answers } : {}) }
}

function addressOf(to: unknown): RequestTarget | undefined | 'unknown' {
  if (to === undefined) return undefined
  const { worker, task } = (to ?? {}) as Record<string, unknown>
  if (typeof worker === 'string') return { worker }
  return typeof task === 'string' ? { task } : 'unknown'
}

/** The compiler checks that every known kind is read; at run time a newer kind may still arrive. */
function unknown(_what: never): null {
  return null
}
