/** What a new run inherits from the last one in the same working tree: an open breaker, a resumable conversation, agents at rest. */
import { firstWorker } from '../domain/tell/focus.ts'
import type { Instant } from '../domain/ids.ts'
import type { Breaker } from '../domain/iteration/breaker.ts'
import type { Rests } from '../domain/call/rest.ts'
import type { Conversation } from '../domain/call/conversation.ts'
import { houseFrom } from '../domain/run/upgrade.ts'
import { loadState } from './state.ts'
import { resetAfter } from './resets.ts'
import { latestRun } from './runs.ts'
import type { Sql } from './db/sql.ts'

export interface Carried {
  breaker: Breaker | null
  conversation: Conversation | null
  limited: Record<string, Instant>
}

export async function carriedOver(sql: Sql, workspace: string): Promise<Carried> {
  const last = await latestRun(sql, workspace)
  const state = last === null ? null : await loadState(sql, last.id)
  if (last === null || state === null) return { breaker: null, conversation: null, limited: {} }
  const house = houseFrom(state, last.id)
  const worker = firstWorker(house.workers)
  const carried = {
    breaker: worker?.breaker ?? null,
    conversation: worker?.conversation ?? null,
    limited: usageLimits(house.run.rests),
  }
  return withoutReset(sql, workspace, carried, last.id)
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
