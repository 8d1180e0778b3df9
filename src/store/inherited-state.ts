/** What a new run inherits from the last one in the same working tree: an open breaker, a resumable conversation, agents in cooldown. */
import { firstWorker } from '../core/presentation/focused-worker.ts'
import type { Instant } from '../core/ids.ts'
import type { Breaker } from '../core/admission/breaker.ts'
import type { Cooldowns } from '../core/admission/cooldown.ts'
import type { Conversation } from '../core/calls/conversation.ts'
import type { RunState } from '../core/state/state.ts'
import { upgradeState } from '../core/state/upgrade.ts'
import { loadRunState } from './run-state.ts'
import { findResetAfter } from './resets.ts'
import { loadLatestRun, type RunEntry } from './runs.ts'
import type { Sql } from './db/sql.ts'

export interface InheritedState {
  breaker: Breaker | null
  conversation: Conversation | null
  limited: Record<string, Instant>
}

export async function loadInheritedState(sql: Sql, workspace: string): Promise<InheritedState> {
  const last = await loadLatestRun(sql, workspace)
  const state = last === null ? null : await stateOf(sql, last)
  if (last === null || state === null) return { breaker: null, conversation: null, limited: {} }
  const limited = usageLimits(state.run.cooldowns)
  // Work does not continue the conversation of a draft, but that of the run before it.
  const worked = last.kind === 'feature' ? await loadLatestRun(sql, workspace, { but: 'feature' }) : last
  const kept = worked === last || worked === null ? state : await stateOf(sql, worked)
  const worker = worked === null || kept === null ? undefined : firstWorker(kept.workers)
  const carried = { breaker: worker?.breaker ?? null, conversation: worker?.conversation ?? null, limited }
  return applyResets(sql, workspace, carried, worked?.id ?? last.id)
}

async function stateOf(sql: Sql, { id }: RunEntry): Promise<RunState | null> {
  const savedState = await loadRunState(sql, id)
  return savedState === null ? null : upgradeState(savedState, id)
}

/** Only usage limits carry over: short pauses and outages are over by the next run, or it detects them itself. */
function usageLimits(cooldowns: Cooldowns): Record<string, Instant> {
  const limits = Object.entries(cooldowns).filter(([, rest]) => rest.is === 'usage-limit')
  return Object.fromEntries(limits.map(([agent, rest]) => [agent, rest.until]))
}

/** Removes what a person has reset since. */
export async function applyResets(
  sql: Sql,
  workspace: string,
  carried: InheritedState,
  last: string | null,
): Promise<InheritedState> {
  const breaker = await findResetAfter(sql, workspace, 'breaker', last)
  const conversation = await findResetAfter(sql, workspace, 'conversation', last)
  return {
    ...carried,
    breaker: breaker === null ? carried.breaker : null,
    conversation: conversation === null ? carried.conversation : null,
  }
}
