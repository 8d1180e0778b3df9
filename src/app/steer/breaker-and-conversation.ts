/**
 * The breaker and the conversation of a project: those of the active run, or those the next run would start with. Manual resets are
 * saved in the store, where the next run looks for them; the files for monitors of other tools are updated too.
 */
import { join } from 'node:path'
import {
  breakerFileText,
  breakerHistoryText,
  conversationHistoryText,
  sessionResetText,
  type TimeFormatter,
} from '../../compat/bash/state-files.ts'
import { firstWorker } from '../../core/presentation/focused-worker.ts'
import {
  foldBashHistory,
  EMPTY_BASH_HISTORY,
  addUnrecordedTransitions,
  type BashHistory,
  type Transition,
} from '../../compat/bash/fold-history.ts'
import type { StateFile } from '../../core/control-files.ts'
import { RalphError } from '../../core/error.ts'
import type { Instant, RunId } from '../../core/ids.ts'
import { closedBreaker, inheritBreaker, type Breaker } from '../../core/admission/breaker.ts'
import { conversationToResume, type Conversation } from '../../core/calls/conversation.ts'
import type { AgentRules, BreakerRules } from '../../core/state/rules.ts'
import { upgradeState } from '../../core/state/upgrade.ts'
import { loadInheritedState, applyResets, type InheritedState } from '../../store/inherited-state.ts'
import { lockOwnerOf, type LockOwner } from '../../store/lock.ts'
import { loadRunState } from '../../store/run-state.ts'
import { addReset, listResets, type Resettable } from '../../store/resets.ts'
import { loadLatestRun } from '../../store/runs.ts'
import type { Sql } from '../../store/db/sql.ts'
import { loadBashTransitions, loadTransitionRows } from '../../store/transitions.ts'
import { useStore } from '../../store/db/use-store.ts'
import { systemClock } from '../../system/clock.ts'
import { exists } from '../../system/files/files.ts'
import { formatLocalDateTime, formatUtcDateTime } from '../../system/time-formats.ts'
import { readBashState } from '../../sources/bash-state.ts'
import { stateFilePath, writeStateFile } from '../../workspace/state-files.ts'
import { projectFoldersOf, withStoreIfAny } from '../open-store.ts'

export type { Transition }

export interface BreakerAndConversation extends Pick<InheritedState, 'breaker' | 'conversation'> {
  /** The run they belong to; null: an earlier tool, or no run. */
  run: RunId | null
  /** The process that runs it now. */
  live: Pick<LockOwner, 'pid' | 'command' | 'since'> | null
  /** The run has not ended: if it is resumed, it keeps its own breaker and conversation. */
  unfinished: boolean
  at: Instant
}

export async function loadBreakerAndConversation(root: string): Promise<BreakerAndConversation> {
  const at = systemClock().at()
  const kept = await withStoreIfAny(root, ({ sql }) => readBreakerAndConversation(sql, root, at))
  return kept ?? { ...oldKept(root, at), run: null, live: null, unfinished: false, at }
}

export async function readBreakerAndConversation(sql: Sql, root: string, at: Instant): Promise<BreakerAndConversation> {
  const last = await loadLatestRun(sql, root)
  const live = await lockOwnerOf(sql, root)
  if (last === null) {
    const carried = await applyResets(sql, root, { ...oldKept(root, at), limited: {} }, null)
    return { breaker: carried.breaker, conversation: carried.conversation, run: null, live, unfinished: false, at }
  }
  const { breaker, conversation } = last.end === null ? await ownOf(sql, last.id) : await loadInheritedState(sql, root)
  return { breaker, conversation, run: last.id, live, unfinished: last.end === null, at }
}

async function ownOf(sql: Sql, run: RunId): Promise<Pick<InheritedState, 'breaker' | 'conversation'>> {
  const state = await loadRunState(sql, run)
  const worker = state === null ? undefined : firstWorker(upgradeState(state, run).workers)
  return { breaker: worker?.breaker ?? null, conversation: worker?.conversation ?? null }
}

function oldKept(root: string, at: Instant): Pick<InheritedState, 'breaker' | 'conversation'> {
  const { breaker, conversation } = readBashState(root, at)
  return { breaker, conversation }
}

/** `circuit status --json`. */
export interface CircuitStatus {
  breaker: Breaker
  rules: BreakerRules
  /** When an open breaker allows one more iteration. */
  coolsAt: Instant | null
  /** The state it would have in a run that starts now. */
  nextStart: Breaker['is']
  run: RunId | null
  live: BreakerAndConversation['live']
}

export async function circuitStatus(root: string, rules: BreakerRules): Promise<CircuitStatus> {
  const { breaker: kept, run, live, at } = await loadBreakerAndConversation(root)
  const breaker = kept ?? closedBreaker(at)
  return {
    breaker,
    rules,
    coolsAt: breaker.is === 'open' ? breaker.openedAt + rules.cooldownMs : null,
    nextStart: inheritBreaker(kept, rules, at).is,
    run,
    live,
  }
}

/** `conversation show --json`. */
export interface ConversationResumeStatus {
  conversation: Pick<Conversation, 'agent' | 'id' | 'usedAt'> | null
  /** The next iteration resumes it. */
  resumes: boolean
  /** After this instant it is not resumed. */
  expiresAt: Instant | null
  run: RunId | null
  live: BreakerAndConversation['live']
}

export async function conversationResumeStatus(root: string, rules: AgentRules): Promise<ConversationResumeStatus> {
  const { conversation: kept, run, live, at } = await loadBreakerAndConversation(root)
  if (kept === null) return { conversation: null, resumes: false, expiresAt: null, run, live }
  const { agent, id, usedAt } = kept
  return {
    conversation: { agent, id, usedAt },
    resumes: rules.order.includes(agent) && conversationToResume(kept, rules, agent, at) !== null,
    expiresAt: usedAt + rules.conversationMaxAgeMs,
    run,
    live,
  }
}

/** As many runs as are kept by default. */
const RUNS_TOLD = 50

/** The transitions of breaker and conversation in all stored runs, oldest first. */
export async function loadTransitions(root: string): Promise<BashHistory> {
  const past = await withStoreIfAny(root, ({ sql }) => pastIn(sql, root))
  if (past !== null) return past
  const { breaker, conversation } = readBashState(root, systemClock().at()).turns
  return { ...EMPTY_BASH_HISTORY, breakerTransitions: breaker, conversationTransitions: conversation }
}

async function pastIn(sql: Sql, root: string): Promise<BashHistory> {
  const rows = await loadTransitionRows(sql, root, { runs: RUNS_TOLD })
  const resets = {
    breaker: await listResets(sql, root, 'breaker'),
    conversation: await listResets(sql, root, 'conversation'),
  }
  return addUnrecordedTransitions(rows.reduce(foldBashHistory, EMPTY_BASH_HISTORY), {
    old: await loadBashTransitions(sql, root),
    resets,
  })
}

export interface ResetResult {
  reset: Resettable[]
  at: Instant
  /** An unfinished run keeps its own state if it is resumed; only a new run starts with the reset. */
  unfinished: RunId | null
  /** Notices about the store. */
  said: string[]
}

/** Applies from the next run on; refused during a run, which keeps its own state. */
export async function resetBreakerOrConversation(
  root: string,
  what: { of: Resettable; reason: string }[],
): Promise<ResetResult> {
  const { folder } = await projectFoldersOf(root)
  const at = systemClock().at()
  const said: string[] = []
  const options = { create: true, notice: (text: string) => void said.push(text) }
  return useStore(join(folder, 'ralph.db'), options, async ({ sql }) => {
    const lockOwner = await lockOwnerOf(sql, root)
    if (lockOwner !== null) throw goingOn(lockOwner)
    for (const { of, reason } of what) await addReset(sql, root, of, { at, reason })
    const last = await loadLatestRun(sql, root)
    await showReset(sql, root, at)
    return {
      reset: what.map(({ of }) => of),
      at,
      unfinished: last !== null && last.end === null ? last.id : null,
      said,
    }
  })
}

/** The conversation that led into the dead end is reset as well. */
export function resetCircuit(root: string): Promise<ResetResult> {
  return resetBreakerOrConversation(root, [
    { of: 'breaker', reason: 'Manual reset via command line' },
    { of: 'conversation', reason: 'manual_circuit_reset' },
  ])
}

function goingOn(lockOwner: LockOwner): RalphError {
  return new RalphError(
    'held',
    `"${lockOwner.command}" (process ${lockOwner.pid}) is running, so its breaker and conversation cannot be reset`,
    {
      hint: 'Stop it first: ralph stop. Or give the agent guidance: ralph steer "…".',
    },
  )
}

const TIMES: TimeFormatter = { utc: formatUtcDateTime, local: formatLocalDateTime }

/** Updates only files that exist: a project without the bash tool gets none. */
async function showReset(sql: Sql, root: string, at: Instant): Promise<void> {
  const past = await pastIn(sql, root)
  const breakerReset = (await listResets(sql, root, 'breaker')).at(-1)
  const conversationReset = (await listResets(sql, root, 'conversation')).at(-1)
  const files: Partial<Record<StateFile, string | null>> = {}
  if (breakerReset?.at === at) {
    files['.circuit_breaker_state'] = breakerFileText(closedBreaker(at), {
      lastProgress: 0,
      iteration: 0,
      times: TIMES,
    })
    files['.circuit_breaker_history'] = breakerHistoryText(past.breakerTransitions, TIMES)
  }
  if (conversationReset?.at === at) {
    files['.claude_session_id'] = null
    files['.ralph_session'] = sessionResetText(conversationReset, TIMES)
    files['.ralph_session_history'] = conversationHistoryText(past.conversationTransitions, TIMES)
  }
  for (const [name, text] of Object.entries(files)) {
    if (exists(stateFilePath(root, name))) writeStateFile(root, name, text)
  }
}
