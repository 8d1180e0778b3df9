/** What a new run inherits from the last one in the same working tree: an open breaker, a resumable conversation, agents at rest. */
import { firstWorker } from '../domain/tell/focus.ts'
import type { Instant } from '../domain/ids.ts'
import type { Breaker } from '../domain/admission/breaker.ts'
import type { Rests } from '../domain/admission/cooldown.ts'
import type { Conversation } from '../domain/calls/conversation.ts'
import type { House } from '../domain/state/state.ts'
import { houseFrom } from '../domain/state/upgrade.ts'
import { loadState } from './state.ts'
import { resetAfter } from './resets.ts'
import { latestRun, type RunEntry } from './runs.ts'
import type { Sql } from './db/sql.ts'

export interface Carried {
  breaker: Breaker | null
  conversation: Conversation | null
  limited: Record<string, Instant>
}

export async function carriedOver(sql: Sql, workspace: string): Promise<Carried> {
  const last = await latestRun(sql, workspace)
  const house = last === null ? null : await houseOf(sql, last)
  if (last === null || house === null) return { breaker: null, conversation: null, limited: {} }
  const limited = usageLimits(house.run.rests)
  // What was said about papers is nothing that the work goes on with; what was there before still is.
  const worked = last.kind === 'feature' ? await latestRun(sql, workspace, { but: 'feature' }) : last
  const kept = worked === last || worked === null ? house : await houseOf(sql, worked)
  const worker = worked === null || kept === null ? undefined : firstWorker(kept.workers)
  const carried = {
    breaker: worker?.breaker ?? null,
    conversation: worker?.conversation ?? null,
    limited,
  }
  return withoutReset(sql, workspace, carried, worked?.id ?? last.id)
}

async function houseOf(sql: Sql, { id }: RunEntry): Promise<House | null> {
  const state = await loadState(sql, id)
  return state === null ? null : houseFrom(state, id)
}

/** A pause of seconds and an outage are over by the next run, or it finds out by itself. */
function usageLimits(rests: Rests): Record<string, Instant> {
  const limits = Object.entries(rests).filter(([, rest]) => rest.is === 'usage-limit')
  return Object.fromEntries(limits.map(([agent, rest]) => [agent, rest.until]))
}

/** Takes away what a person has reset since. */
export async function withoutReset(
  sql: Sql,
  workspace: string,
  carried: Carried,
  last: string | null,
): Promise<Carried> {
  const breaker = await resetAfter(sql, workspace, 'breaker', last)
  const conversation = await resetAfter(sql, workspace, 'conversation', last)
  return {
    ...carried,
    breaker: breaker === null ? carried.breaker : null,
    conversation: conversation === null ? carried.conversation : null,
  }
}
