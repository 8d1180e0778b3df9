/**
 * The history in the bash tool's files, folded from the rows of a record: transitions of the breaker, conversations that were
 * reset and why, which iterations signalled what, and the last reply. It decides nothing itself.
 */
import type { Change } from '../../core/tree/change.ts'
import type { EventOf } from '../../core/state/event.ts'
import type { EffectId, Instant, WorkerId } from '../../core/ids.ts'
import { inheritBreaker, type Breaker } from '../../core/admission/breaker.ts'
import type { OutcomeName } from '../../core/state/outcome.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import { isStuck } from '../../core/agent-output/is-stuck.ts'
import { isIterationEnd, type Decision } from '../../core/state/decision.ts'
import { wasIgnored, type Row } from '../../core/state/row.ts'
import type { AgentRules } from '../../core/state/rules.ts'
import { oneLine } from '../../core/text/sanitize.ts'

/** A change from one state to another. */
export interface Transition {
  at: Instant
  loop: number
  from: string
  to: string
  reason: string
}

export interface AnalyzedReply {
  worker: WorkerId
  loop: number
  at: Instant
  reply: Reply
  change: Change | null
  stuck: boolean
  /** The options the agent was called with. */
  how: How
}

type How = Pick<AgentRules, 'output' | 'tools'>

export interface BashHistory {
  /** Newest last, like all lists here. */
  breakerTransitions: Transition[]
  conversationTransitions: Transition[]
  /** By worker; a worker without an iteration is as the run began. */
  workers: Record<WorkerId, WorkerHistory>
  begun: WorkerHistory
  /** The last reset of a conversation, if none was started since. */
  lastReset: { at: Instant; reason: string } | null
  signals: { testOnly: number[]; done: number[]; indicators: number[] }
  analyzedReply: AnalyzedReply | null
  /** The last iteration that changed something. */
  lastProgress: number
  head: string | null
  startSha: string | null
  how: How
  /** Why it waits, as one word for `status.json`. */
  waits: 'api_limit' | 'rate_limit' | 'failed' | 'circuit_breaker_open' | 'completed'
}

interface WorkerHistory {
  /** Its last iteration, and the effect id of that call; a review is a separate call. */
  iteration: number
  call: EffectId | null
  breaker: Breaker['is']
  conversation: string | null
}

/** The bash tool has one worker, so its files show the first one. */
const FIRST = '1'

/** The number of a worker's last iteration. */
export function lastIterationOf(past: BashHistory, worker: WorkerId = FIRST): number {
  return workerIn(past, worker).iteration
}

function workerIn({ workers, begun }: BashHistory, worker: WorkerId): WorkerHistory {
  return workers[worker] ?? begun
}

function patchWorker(past: BashHistory, worker: WorkerId, change: Partial<WorkerHistory>): BashHistory {
  return { ...past, workers: { ...past.workers, [worker]: { ...workerIn(past, worker), ...change } } }
}

export const MAX_TRANSITIONS = 50

export const EMPTY_BASH_HISTORY: BashHistory = {
  breakerTransitions: [],
  conversationTransitions: [],
  workers: {},
  begun: { iteration: 0, call: null, breaker: 'closed', conversation: null },
  lastReset: null,
  signals: { testOnly: [], done: [], indicators: [] },
  analyzedReply: null,
  lastProgress: 0,
  head: null,
  startSha: null,
  how: { output: 'json', tools: null },
  waits: 'completed',
}

export function foldBashHistory(before: BashHistory, row: Row): BashHistory {
  let past = wasIgnored(row) ? before : applyEvent(before, row)
  for (const { by, what, why, worker = FIRST } of row.decisions) {
    if (by === 'breaker') past = moveBreakerTo(past, worker, { at: row.at, to: what, reason: why })
  }
  for (const reset of resetsIn(row, past)) past = resetConversation(past, row.at, reset)
  return applyEffects(past, row)
}

/** Transitions that no row has: an earlier tool's, and manual resets. */
export interface UnrecordedTransitions {
  old: { breaker: Transition[]; conversation: Transition[] }
  resets: { breaker: { at: Instant; reason: string }[]; conversation: { at: Instant; reason: string }[] }
}

export function addUnrecordedTransitions(past: BashHistory, { old, resets }: UnrecordedTransitions): BashHistory {
  const breaker = resets.breaker.map(({ at, reason }) => ({ at, reason, loop: 0, from: UNKNOWN, to: 'closed' }))
  const conversation = resets.conversation.map(({ at, reason }) => ({
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

/** A manual reset starts from whatever state the transition before it led to. */
const UNKNOWN = ''

function inOrder(turns: Transition[]): Transition[] {
  const sorted = turns.toSorted((a, b) => a.at - b.at)
  const whole = sorted.map((turn, i) =>
    turn.from === UNKNOWN ? { ...turn, from: sorted[i - 1]?.to ?? 'closed' } : turn,
  )
  return whole.slice(-MAX_TRANSITIONS)
}

/** A new run starts without signals and analysis; the transitions of earlier runs stay. */
function beginRun(past: BashHistory, row: Row, event: EventOf<'run-started'>): BashHistory {
  const { breaker, rules } = event
  const carried = inheritBreaker(breaker, rules.breaker, row.at)
  const begun: BashHistory = {
    ...EMPTY_BASH_HISTORY,
    breakerTransitions: past.breakerTransitions,
    conversationTransitions: past.conversationTransitions,
    begun: {
      ...EMPTY_BASH_HISTORY.begun,
      breaker: breaker?.is ?? 'closed',
      conversation: event.conversation?.id ?? null,
    },
  }
  const reason = carried.is === 'half-open' ? carried.reason : 'reset at the start'
  const moved = moveBreakerTo(begun, FIRST, { at: row.at, to: carried.is, reason })
  return { ...moved, begun: { ...begun.begun, breaker: carried.is } }
}

function applyEvent(past: BashHistory, row: Row): BashHistory {
  const { event } = row
  if (event.type === 'run-started') return beginRun(past, row, event)
  if (event.type === 'conversation-known')
    return { ...patchWorker(past, event.worker, { conversation: event.conversation }), lastReset: null }
  if (event.type === 'agent-ended' && event.effect === workerIn(past, event.worker).call)
    return applyReply(past, row.at, event)
  if (event.type === 'snapshot-taken') return applySnapshot(past, event)
  return past
}

function applySnapshot(past: BashHistory, event: EventOf<'snapshot-taken'>): BashHistory {
  const { head } = event.snapshot
  const { analyzedReply } = past
  const loop = lastIterationOf(past, event.worker)
  // The snapshot of an iteration is the first one after its reply.
  if (analyzedReply?.worker !== event.worker || analyzedReply.loop !== loop || analyzedReply.change !== null)
    return { ...past, head }
  const moved = (event.change?.files ?? 0) > 0 || (event.change?.commits.length ?? 0) > 0
  const change = event.change ?? { paths: [], files: 0, added: 0, removed: 0, commits: [] }
  return { ...past, head, analyzedReply: { ...analyzedReply, change }, lastProgress: moved ? loop : past.lastProgress }
}

function applyReply(past: BashHistory, at: Instant, { worker, reply }: EventOf<'agent-ended'>): BashHistory {
  const { signals } = reply
  const { iteration: loop, conversation } = workerIn(past, worker)
  const claims = signals.exitSignal ?? signals.complete
  const add = (list: number[], when: boolean): number[] => (when ? [...list, loop].slice(-MAX_TRANSITIONS) : list)
  const analyzedReply: AnalyzedReply = {
    worker,
    loop,
    at,
    reply,
    change: null,
    stuck: isStuck(signals.errors, past.analyzedReply === null ? [] : [past.analyzedReply.reply.signals.errors]),
    how: past.how,
  }
  return {
    ...patchWorker(past, worker, { conversation: reply.conversation ?? conversation }),
    analyzedReply,
    signals: {
      testOnly: add(past.signals.testOnly, signals.testOnly),
      done: add(past.signals.done, claims && signals.exitSignal !== true),
      indicators: add(past.signals.indicators, signals.exitSignal === true),
    },
  }
}

function applyEffects(before: BashHistory, row: Row): BashHistory {
  let past = before
  for (const effect of row.effects) {
    if (effect.type === 'run-agent') {
      const { id, worker, iteration, role, how } = effect
      past = patchWorker(past, worker, role === 'work' ? { iteration, call: id } : { iteration })
      if (role === 'work') past = { ...past, startSha: past.head, how }
    }
    if (effect.type === 'wait' && effect.worker === FIRST) past = { ...past, waits: whyWaits(row, past) }
  }
  return past
}

/**
 * Decides by the decisions of this row and of earlier ones: a second wait in a row has no decision of its own, and the wait for an
 * open breaker comes in a later row than the one that opened it.
 */
function whyWaits({ event, decisions }: Row, past: BashHistory): BashHistory['waits'] {
  if (event.type === 'call-deferred') return 'rate_limit'
  if (decisions.some(({ by }) => by === 'limit')) return 'api_limit'
  if (decisions.some(({ by, what }) => by === 'retry' && (what === 'wait' || what === 'outage'))) return 'failed'
  if (workerIn(past, FIRST).breaker === 'open') return 'circuit_breaker_open'
  return event.type === 'wait-ended' ? past.waits : 'completed'
}

function moveBreakerTo(
  past: BashHistory,
  worker: WorkerId,
  { at, to, reason }: { at: Instant; to: string; reason: string },
): BashHistory {
  const { iteration: loop, breaker: from } = workerIn(past, worker)
  if (to === from || !isState(to)) return past
  const made: Transition = { at, loop, from, to, reason: oneLine(reason, 300) }
  return {
    ...patchWorker(past, worker, { breaker: to }),
    breakerTransitions: [...past.breakerTransitions, made].slice(-MAX_TRANSITIONS),
  }
}

function isState(word: string): word is Breaker['is'] {
  return word === 'closed' || word === 'half-open' || word === 'open'
}

/** Only if there is a conversation: the end of a run whose breaker opened is one reset, not two. */
function resetConversation(past: BashHistory, at: Instant, { worker, reason }: Reset): BashHistory {
  const { conversation, iteration: loop } = workerIn(past, worker)
  if (conversation === null) return past
  const turn: Transition = { at, loop, from: 'active', to: 'reset', reason }
  return {
    ...patchWorker(past, worker, { conversation: null }),
    lastReset: { at, reason },
    conversationTransitions: [...past.conversationTransitions, turn].slice(-MAX_TRANSITIONS),
  }
}

interface Reset {
  worker: WorkerId
  reason: string
}

/** Which conversations a row reset and why, in the bash tool's terms if it has one. */
function resetsIn({ event, decisions }: Row, { workers }: BashHistory): Reset[] {
  if (event.type === 'run-ended') {
    const reason = RESET_AT_END[event.outcome.is]
    const all = new Set([FIRST, ...Object.keys(workers)])
    return reason === null ? [] : [...all].map((worker) => ({ worker, reason }))
  }
  return decisions.flatMap((decision) => {
    const reason = resetReason(decision, decisions)
    return reason === null ? [] : [{ worker: decision.worker ?? FIRST, reason }]
  })
}

function resetReason(decision: Decision, decisions: Row['decisions']): string | null {
  const { by, what } = decision
  if (by === 'breaker' && what === 'open') return 'circuit_breaker_trip'
  if (isIterationEnd(decision) && decision.outcome === 'interrupted') return 'interrupted'
  const isError = by === 'retry' && (what === 'fresh' || what === 'wait' || what === 'outage')
  return isError ? errorReason(decisions) : null
}

function errorReason(decisions: Row['decisions']): string {
  const concurrent = decisions.some(({ why }) => /concurrency/i.test(why))
  return concurrent ? 'tool_use_concurrency_error' : 'api_error_is_error_true'
}

/** Null: a run that a limit ended keeps its conversation for the next one. */
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
