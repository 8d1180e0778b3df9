/**
 * What the bash tool's files tell of the past, folded from the rows of a record: turns of the breaker, conversations that were
 * given up and why, which iterations signalled what, and the last reply. It only follows what was decided.
 */
import type { Change } from '../../core/tree/change.ts'
import type { EventOf } from '../../core/state/event.ts'
import type { Instant } from '../../core/ids.ts'
import { inheritBreaker, type Breaker } from '../../core/admission/breaker.ts'
import type { OutcomeName } from '../../core/state/outcome.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import { isStuck } from '../../core/agent-output/is-stuck.ts'
import { wasIgnored, type Row } from '../../core/state/row.ts'
import type { AgentRules } from '../../core/state/rules.ts'
import { oneLine } from '../../core/text/sanitize.ts'

/** Something went from one state to another. */
export interface Transition {
  at: Instant
  loop: number
  from: string
  to: string
  reason: string
}

export interface AnalyzedReply {
  loop: number
  at: Instant
  reply: Reply
  change: Change | null
  stuck: boolean
  /** As the agent was asked. */
  how: How
}

type How = Pick<AgentRules, 'output' | 'tools'>

export interface BashHistory {
  /** Newest last, as all lists here. */
  breakerTransitions: Transition[]
  conversationTransitions: Transition[]
  breaker: Breaker['is']
  conversation: string | null
  /** The last time that a conversation was given up and none was begun since. */
  lastReset: { at: Instant; reason: string } | null
  signals: { testOnly: number[]; done: number[]; indicators: number[] }
  analyzedReply: AnalyzedReply | null
  iteration: number
  /** The last iteration that changed something. */
  lastProgress: number
  head: string | null
  startSha: string | null
  how: How
  /** Why it waits, as one word for `status.json`. */
  waits: 'api_limit' | 'rate_limit' | 'failed' | 'circuit_breaker_open' | 'completed'
}

export const MAX_TRANSITIONS = 50

export const EMPTY_HISTORY: BashHistory = {
  breakerTransitions: [],
  conversationTransitions: [],
  breaker: 'closed',
  conversation: null,
  lastReset: null,
  signals: { testOnly: [], done: [], indicators: [] },
  analyzedReply: null,
  iteration: 0,
  lastProgress: 0,
  head: null,
  startSha: null,
  how: { output: 'json', tools: null },
  waits: 'completed',
}

export function foldHistory(before: BashHistory, row: Row): BashHistory {
  let past = wasIgnored(row) ? before : takeEvent(before, row)
  for (const { by, what, why } of row.decisions) {
    if (by === 'breaker') past = moveBreakerTo(past, row.at, { to: what, reason: why })
  }
  const reason = resetReason(row)
  if (reason !== null) past = giveUp(past, { at: row.at, reason })
  return takeEffects(past, row)
}

/** Turns that no row tells: an earlier tool's, and what people reset by hand. */
export interface UnrecordedTransitions {
  old: { breaker: Transition[]; conversation: Transition[] }
  resets: { breaker: { at: Instant; reason: string }[]; conversation: { at: Instant; reason: string }[] }
}

export function withUnrecorded(past: BashHistory, { old, resets }: UnrecordedTransitions): BashHistory {
  const breaker = resets.breaker.map(({ at, reason }): Transition => ({
    at,
    reason,
    loop: 0,
    from: UNKNOWN,
    to: 'closed',
  }))
  const conversation = resets.conversation.map(({ at, reason }): Transition => ({
    at,
    reason,
    loop: 0,
    from: 'active',
    to: 'reset',
  }))
  return {
    ...past,
    breakerTransitions: inOrder([...old.breaker, ...past.breakerTransitions, ...breaker]),
    conversationTransitions: inOrder([...old.conversation, ...past.conversationTransitions, ...conversation]),
  }
}

/** A reset turns whatever the turn before it had led to. */
const UNKNOWN = ''

function inOrder(turns: Transition[]): Transition[] {
  const sorted = turns.toSorted((a, b) => a.at - b.at)
  const whole = sorted.map((turn, i) =>
    turn.from === UNKNOWN ? { ...turn, from: sorted[i - 1]?.to ?? 'closed' } : turn,
  )
  return whole.slice(-MAX_TRANSITIONS)
}

/** A new run begins with no signals and no analysis; what was told about runs before it stays. */
function beginRun(past: BashHistory, row: Row, event: EventOf<'run-started'>): BashHistory {
  const { breaker, rules } = event
  const carried = inheritBreaker(breaker, rules.breaker, row.at)
  const begun: BashHistory = {
    ...EMPTY_HISTORY,
    breakerTransitions: past.breakerTransitions,
    conversationTransitions: past.conversationTransitions,
    breaker: breaker?.is ?? 'closed',
    conversation: event.conversation?.id ?? null,
  }
  const reason = carried.is === 'half-open' ? carried.reason : 'reset at the start'
  return moveBreakerTo(begun, row.at, { to: carried.is, reason })
}

function takeEvent(past: BashHistory, row: Row): BashHistory {
  const { event } = row
  if (event.type === 'run-started') return beginRun(past, row, event)
  if (event.type === 'conversation-known')
    return { ...past, conversation: event.conversation, lastReset: null }
  if (event.type === 'agent-ended') return takeReply(past, row, event.reply)
  if (event.type === 'snapshot-taken') return takeSurvey(past, event)
  return past
}

function takeSurvey(past: BashHistory, event: EventOf<'snapshot-taken'>): BashHistory {
  const { head } = event.snapshot
  const { analyzedReply } = past
  // The look after an iteration is the first one that follows its reply.
  if (analyzedReply === null || analyzedReply.loop !== past.iteration || analyzedReply.change !== null)
    return { ...past, head }
  const moved = (event.change?.files ?? 0) > 0 || (event.change?.commits.length ?? 0) > 0
  const change = event.change ?? { paths: [], files: 0, added: 0, removed: 0, commits: [] }
  return {
    ...past,
    head,
    analyzedReply: { ...analyzedReply, change },
    lastProgress: moved ? past.iteration : past.lastProgress,
  }
}

function takeReply(past: BashHistory, row: Row, reply: Reply): BashHistory {
  const { signals } = reply
  const { iteration: loop } = past
  const claims = signals.exitSignal ?? signals.complete
  const add = (list: number[], when: boolean): number[] =>
    when ? [...list, loop].slice(-MAX_TRANSITIONS) : list
  const analyzedReply: AnalyzedReply = {
    loop,
    at: row.at,
    reply,
    change: null,
    stuck: isStuck(
      signals.errors,
      past.analyzedReply === null ? [] : [past.analyzedReply.reply.signals.errors],
    ),
    how: past.how,
  }
  return {
    ...past,
    analyzedReply,
    conversation: reply.conversation ?? past.conversation,
    signals: {
      testOnly: add(past.signals.testOnly, signals.testOnly),
      done: add(past.signals.done, claims && signals.exitSignal !== true),
      indicators: add(past.signals.indicators, signals.exitSignal === true),
    },
  }
}

function takeEffects(before: BashHistory, row: Row): BashHistory {
  let past = before
  for (const effect of row.effects) {
    if (effect.type === 'run-agent')
      past = { ...past, iteration: effect.iteration, startSha: past.head, how: effect.how }
    if (effect.type === 'wait') past = { ...past, waits: whyWaits(row, past) }
  }
  return past
}

/**
 * By what was decided, here and before: a wait that follows upon a wait has no decision of its own in the row, and an open breaker is
 * waited for in a later row than the one that opened it.
 */
function whyWaits({ event, decisions }: Row, { breaker, waits }: BashHistory): BashHistory['waits'] {
  if (event.type === 'call-deferred') return 'rate_limit'
  if (decisions.some(({ by }) => by === 'limit')) return 'api_limit'
  if (decisions.some(({ by, what }) => by === 'retry' && (what === 'wait' || what === 'outage')))
    return 'failed'
  if (breaker === 'open') return 'circuit_breaker_open'
  return event.type === 'wait-ended' ? waits : 'completed'
}

function moveBreakerTo(past: BashHistory, at: Instant, turn: { to: string; reason: string }): BashHistory {
  const { to } = turn
  if (to === past.breaker || !isState(to)) return past
  const made: Transition = {
    at,
    loop: past.iteration,
    from: past.breaker,
    to,
    reason: oneLine(turn.reason, 300),
  }
  return {
    ...past,
    breaker: to,
    breakerTransitions: [...past.breakerTransitions, made].slice(-MAX_TRANSITIONS),
  }
}

function isState(word: string): word is Breaker['is'] {
  return word === 'closed' || word === 'half-open' || word === 'open'
}

/** There must be one to give up: the end of a run whose breaker opened is one reset, not two. */
function giveUp(past: BashHistory, reset: { at: Instant; reason: string }): BashHistory {
  if (past.conversation === null) return past
  const turn: Transition = {
    at: reset.at,
    loop: past.iteration,
    from: 'active',
    to: 'reset',
    reason: reset.reason,
  }
  return {
    ...past,
    conversation: null,
    lastReset: reset,
    conversationTransitions: [...past.conversationTransitions, turn].slice(-MAX_TRANSITIONS),
  }
}

/** Why a row gave the conversation up, in the bash tool's words where it had one; null: it did not. */
function resetReason({ event, decisions }: Row): string | null {
  if (event.type === 'run-ended') return RESET_AT_END[event.outcome.is]
  for (const { by, what } of decisions) {
    if (by === 'breaker' && what === 'open') return 'circuit_breaker_trip'
    if (by === 'retry' && what === 'repeat') return 'interrupted'
    if (by === 'retry' && (what === 'fresh' || what === 'wait' || what === 'outage'))
      return errorReason(decisions)
  }
  return null
}

function errorReason(decisions: Row['decisions']): string {
  const concurrent = decisions.some(({ why }) => /concurrency/i.test(why))
  return concurrent ? 'tool_use_concurrency_error' : 'api_error_is_error_true'
}

/** Null: a run that a limit cut short keeps its conversation for the next one. */
const RESET_AT_END: Record<OutcomeName, string | null> = {
  plan_complete: 'project_complete',
  project_complete: 'project_complete',
  completion_signals: 'project_complete',
  test_saturation: 'project_complete',
  safety_stop: 'project_complete',
  permission_denied: 'permission_denied',
  breaker: 'circuit_breaker_open',
  iteration_limit: null,
  time_limit: null,
  token_limit: null,
  cost_limit: null,
  api_limit_exit: 'api_limit_exit',
  agent_unusable: 'agent_unusable',
  program_missing: null,
  not_started: null,
  outage: null,
  cannot_prove: 'cannot_prove',
  needs_acceptance: 'project_complete',
  room_failed: 'project_complete',
  files_deleted: 'integrity_failure',
  tasks_complete: 'project_complete',
  tasks_failed: 'tasks_failed',
  tasks_blocked: 'tasks_blocked',
  no_plan: null,
  drafted: 'project_complete',
  not_drafted: 'not_drafted',
  verified: null,
  stopped: 'manual_interrupt',
  abandoned: 'manual_reset',
  failed: 'failed',
}
