/**
 * What any screen can show of a run, folded from the rows of its record. It never calls `step`: a record shows what was
 * decided then, whatever version reads it. Lists are bounded, so a screen may watch for days.
 */
import type { LimitKind, Usage } from '../calls/agent-io.ts'
import type { CheckboxCounts, Change } from '../tree/change.ts'
import { draftQuestionText, type DraftView } from '../features/draft.ts'
import type { DocumentKind } from '../features/documents.ts'
import type { Effect, EffectOf } from '../state/effect.ts'
import type { Event, EventOf } from '../state/event.ts'
import { findDrift, branchStateAfter, branchStateAtCommit, type BranchState } from '../tree/branch-state.ts'
import type { AwakeMs, EffectId, Instant, Millis, RunId, WorkerId } from '../ids.ts'
import { inheritBreaker, type Breaker } from '../admission/breaker.ts'
import { changeRule } from '../settings/change-rules.ts'
import { activityFor, type Activity, type ActivitySince } from './activity.ts'
import type { Outcome } from '../state/outcome.ts'
import { assertNever } from '../assert-never.ts'
import {
  isModelChoice,
  isIterationEnd,
  isRejection,
  type Decision,
  type IterationOutcome,
  type DecisionName,
} from '../state/decision.ts'
import { type Orphan, type Orphans, orphansIn } from '../tree/orphan.ts'
import { gateFailureLines } from '../proof/gate-failure-lines.ts'
import { hasPassed } from '../proof/verdict.ts'
import type { Evidence } from '../proof/evidence.ts'
import type { Reply } from '../agent-output/reply.ts'
import { wasIgnored, type Row } from '../state/row.ts'
import type { Rules } from '../state/rules.ts'
import { LOOP_START_COMMAND, type StartCommand } from '../state/start-command.ts'
import type { TaskScope, TaskId } from '../tasks/task.ts'
import { addToSpent, NOTHING_SPENT, type SpentTotals } from '../calls/spending.ts'

export interface RunView {
  run: RunId
  project: string
  command: string
  start: StartCommand
  version: string
  /** The tasks it works through; null: it is a plain loop. */
  tasks: TaskScope | null
  /** `left`: unfinished, and no engine runs it; `outcome` has the reason. */
  is: 'going' | 'paused' | 'left' | 'stopping' | 'ended'
  rules: Rules
  startedAt: Instant
  startedAwakeMs: AwakeMs
  /** Time of the last row. */
  at: Instant
  up: AwakeMs
  seq: number
  pid: number
  workers: Record<WorkerId, WorkerView>
  spent: SpentTotals
  quota: { calls: number; tokens: number }
  /** The newest iterations of all workers, in the order of their start. */
  iterations: IterationView[]
  /** How many iterations started. */
  made: number
  decisions: (Decision & { at: Instant; seq: number })[]
  /** The reason of the last decision about the run itself. Null: none yet. */
  why: string | null
  /** The breaker at the start of the run. */
  breaker: Breaker['is']
  /** The agents that were called, in the order of their first call; one that only reviewed has no iterations. */
  agents: { agent: string; iterations: number }[]
  /** All that were reported, newest last. The record does not know whether they still run. */
  orphans: Orphan[]
  outcome: Outcome | null
}

export interface WorkerView {
  id: WorkerId
  /** The task it works on; null: none. */
  task: TaskView | null
  iteration: number
  activity: ActivitySince
  agent: string | null
  model: string | null
  /** Why this model was chosen; null: it is fixed. */
  chosen: string | null
  conversation: string | null
  breaker: string
  checkboxes: CheckboxCounts | null
  branchState: BranchState | null
  /** Absent: it drafts nothing. */
  draft?: DraftView
  /** The last snapshot requested to measure an iteration. */
  measures: EffectId | null
  /** The last snapshot requested to check that a reviewer changed nothing. */
  checks: EffectId | null
  /** The last call that is not the iteration's own, such as a review. */
  sideCall: EffectId | null
}

export interface TaskView {
  id: TaskId
  title: string
  /** The number of its claim. */
  attempt: number
  /** How often work on it started in this claim, and the maximum. */
  visit: number
  of: number
}

/** `worker` and `n` identify an iteration. */
export interface IterationView {
  n: number
  worker: WorkerId
  /** The row in which it started. */
  row: number
  agent: string
  startedAt: Instant
  /** The task it worked on; absent: a plain loop. */
  task?: TaskId
  /** The document that it finished; absent: none. */
  document?: DocumentKind
  durationMs: Millis | null
  end: Reply['end'] | null
  failure: string | null
  summary: string
  usage: Usage | null
  tools: number
  /** The vendor's limit that it reached. */
  limit: LimitKind | null
  change: Pick<Change, 'files' | 'added' | 'removed' | 'commits'> | null
  checkboxes: CheckboxCounts | null
  /** More checkboxes are ticked than before it. */
  ticked: boolean
  /** Why its completion or its document was rejected; null: it was not. */
  rejection: string | null
  /** `failing`: the output lines that explain the failure. */
  gates: { name: string; passed: boolean; durationMs: Millis; failing: string[] }[]
  commit: string | null
  /** How it left HEAD or git different from the start of the run. */
  drift: string[]
  /** Processes left in the project that Ralph may not kill; null: none were seen. */
  orphans: Orphans | null
  /** Null: it has not ended. */
  outcome: IterationOutcome | null
  /** The reason for its outcome; for an iteration of a draft, what happened to its document. */
  why: string | null
  log: string | null
}

export const MAX_ITERATIONS_KEPT = 200
const DECISIONS_KEPT = 200
const ORPHANS_KEPT = 50

export function foldView(before: RunView | null, row: Row): RunView {
  const base = before ?? (row.event.type === 'run-started' ? firstView(row, row.event) : null)
  if (base === null) throw new Error(`the record of run ${row.run} does not begin with run-started`)
  const view: RunView = { ...base, at: row.at, up: row.up, seq: row.seq }
  if (!wasIgnored(row)) takeEvent(view, row.event)
  for (const effect of row.effects) takeEffect(view, effect)
  for (const decision of row.decisions) takeDecision(view, row, decision)
  return view
}

/** Folds a row that a newer Ralph may have written: a row this version does not understand changes nothing, and `known` is false. */
export function foldViewTolerantly(view: RunView | null, row: Row): { view: RunView | null; known: boolean } {
  try {
    return { view: foldView(view, row), known: true }
  } catch {
    return { view: view === null ? null : { ...view, at: row.at, up: row.up, seq: row.seq }, known: false }
  }
}

function firstView(row: Row, event: EventOf<'run-started'>): RunView {
  return {
    run: row.run,
    project: event.project,
    command: event.command,
    start: event.start ?? LOOP_START_COMMAND,
    version: event.version,
    tasks: event.tasks ?? null,
    is: 'going',
    rules: event.rules,
    startedAt: row.at,
    startedAwakeMs: row.up,
    at: row.at,
    up: row.up,
    seq: row.seq,
    pid: event.pid,
    workers: {},
    spent: NOTHING_SPENT,
    quota: { calls: 0, tokens: 0 },
    iterations: [],
    made: 0,
    decisions: [],
    why: null,
    breaker: breakerAt(row, event),
    agents: [],
    orphans: [],
    outcome: null,
  }
}

/** As the core inherits it. */
function breakerAt({ at }: Row, { breaker, rules }: Partial<EventOf<'run-started'>>): Breaker['is'] {
  if (breaker === undefined || breaker === null || rules === undefined) return 'closed'
  return inheritBreaker(breaker, rules.breaker, at).is
}

function takeEvent(view: RunView, event: Event): void {
  switch (event.type) {
    case 'run-started':
      return takeDraft(view, event)
    case 'run-resumed':
      view.pid = event.pid
      view.outcome = null
      if (view.is !== 'stopping') view.is = 'going'
      return
    case 'snapshot-taken':
      return takeSnapshotEvent(view, event)
    case 'admitted':
      view.quota = { calls: event.callsThisHour, tokens: event.tokensThisHour }
      return
    case 'agent-started':
      return takeAgentStarted(view, event)
    case 'conversation-known':
      if (isSideCall(view, event)) return
      patchWorker(view, event.worker, { conversation: event.conversation, model: event.model })
      return
    case 'agent-ended':
      takeReply(view, event)
      return takeOrphans(view, event)
    case 'gate-ended':
      takeEvidence(view, event.worker, event.evidence)
      return takeOrphans(view, event)
    case 'committed':
      patchLastIteration(view, event.worker, { commit: event.sha })
      patchWorker(view, event.worker, {
        branchState: branchStateAtCommit(view.workers[event.worker]?.branchState ?? null, event.sha),
      })
      return
    case 'reverted':
      return takeReverted(view, event)
    case 'document-checked':
      if (event.there && event.problems.length === 0 && event.first === undefined)
        patchLastIteration(view, event.worker, { document: event.document })
      return
    case 'task-claimed':
    case 'task-finished':
      return patchWorker(view, event.worker, { task: shownTask(event, view.rules) })
    case 'run-ended':
    case 'run-suspended':
      return takeEnd(view, event)
    case 'request-received':
      return takeRequest(view, event)
    case 'trial-ended':
      return takeOrphans(view, event)
    case 'nothing-ready':
      return setActivity(view, event.worker, { is: 'idle' })
    case 'base-resolved':
    case 'changes-classified':
    case 'final-tree-checked':
    case 'claim-lost':
    case 'knowledge-saved':
    case 'import-checked':
    case 'call-deferred':
    case 'agent-denied':
    case 'spend-threshold-crossed':
    case 'wait-ended':
    case 'aborted':
    case 'effect-failed':
    case 'effect-lost':
    case 'clock-jumped':
    case 'remark':
      return
    default:
      return assertNever(event)
  }
}

function takeDraft(view: RunView, { draft }: EventOf<'run-started'>): void {
  if (draft === undefined) return
  const { name, folder, documents } = draft
  patchWorker(view, '1', { draft: { name, folder, document: documents[0], said: '' } })
}

function takeReverted(view: RunView, event: EventOf<'reverted'>): void {
  if (event.is === 'stays') return
  patchWorker(view, event.worker, {
    checkboxes: event.checkboxes,
    branchState: branchStateAfter(view.workers[event.worker]?.branchState ?? null, event.snapshot, 'agent'),
  })
}

function takeRequest(view: RunView, { request }: EventOf<'request-received'>): void {
  if (request.do === 'stop' && request.to === undefined) view.is = 'stopping'
  if (request.do === 'resume') view.is = 'going'
  if (request.do === 'set') view.rules = applyRuleChange(view.rules, request)
}

function takeAgentStarted(view: RunView, event: EventOf<'agent-started'>): void {
  if (isSideCall(view, event)) return
  setActivity(view, event.worker, { is: 'working', pid: event.pid, log: event.log })
  patchLastIteration(view, event.worker, { log: event.log })
}

function takeEnd(view: RunView, event: EventOf<'run-ended' | 'run-suspended'>): void {
  view.is = event.type === 'run-suspended' ? 'left' : 'ended'
  view.outcome = event.outcome
  for (const one of Object.values(view.workers))
    if (one.activity.is !== 'ended') setActivity(view, one.id, { is: 'ended' })
}

function shownTask(event: EventOf<'task-claimed' | 'task-finished'>, rules: Rules): TaskView | null {
  if (event.type === 'task-finished') return null
  const { id, title, attempt, maxRetries } = event.task
  return { id, title, attempt, visit: 1, of: (maxRetries ?? rules.task.maxRetries) + 1 }
}

function takeEffect(view: RunView, effect: Effect): void {
  if (effect.type === 'snapshot') {
    const { worker, id, for: why } = effect
    patchWorker(view, worker, { measures: why === 'after' ? id : null, checks: why === 'check' ? id : null })
  }
  if (effect.type === 'run-agent') {
    view.agents = countAgentCall(view.agents, effect)
    if (effect.role === 'work') beginIteration(view, effect)
    else patchWorker(view, effect.worker, { sideCall: effect.id })
  }
  if (effect.type === 'check-document' && effect.first === undefined)
    patchDraft(view, effect.worker, { said: effect.said })
  const what = activityFor(effect)
  if (what !== null) setActivity(view, effect.worker, what)
}

function patchDraft(view: RunView, id: WorkerId, change: Partial<DraftView>): void {
  const draft = view.workers[id]?.draft
  if (draft !== undefined) patchWorker(view, id, { draft: { ...draft, ...change } })
}

function beginIteration(view: RunView, { worker, iteration, agent, task, draft }: EffectOf<'run-agent'>): void {
  const shown = view.workers[worker]?.task ?? null
  const at = shown === null || task === undefined ? {} : { task: { ...shown, visit: task.visit, of: task.of } }
  patchWorker(view, worker, { iteration, agent, chosen: null, ...at })
  if (draft !== undefined) patchDraft(view, worker, { document: draft.document })
  const begun: IterationView = {
    ...newIteration(worker, iteration, agent, view),
    ...(task === undefined ? {} : { task: task.id }),
  }
  // A call that was interrupted before it started is requested again with the same number.
  const others = view.iterations.filter((one) => one.worker !== worker || one.n !== iteration)
  if (others.length === view.iterations.length) view.made += 1
  view.iterations = [...others, begun].slice(-MAX_ITERATIONS_KEPT)
}

function countAgentCall(agents: RunView['agents'], { agent, role }: EffectOf<'run-agent'>): RunView['agents'] {
  const more = role === 'work' ? 1 : 0
  if (!agents.some((one) => one.agent === agent)) return [...agents, { agent, iterations: more }]
  return agents.map((one) => (one.agent === agent ? { agent, iterations: one.iterations + more } : one))
}

function takeDecision(view: RunView, row: Row, decision: Decision): void {
  view.decisions = [...view.decisions, { ...decision, at: row.at, seq: row.seq }].slice(-DECISIONS_KEPT)
  if (!isNoRunReason(decision)) view.why = decisionReason(decision)
  const { worker } = decision
  if (worker === undefined) return
  takePauseOrEnd(view, worker, decision)
  if (wasIgnored(row)) return
  if (decision.by === 'breaker') patchWorker(view, worker, { breaker: decision.what })
  if (isModelChoice(decision)) patchWorker(view, worker, { chosen: decision.why })
  if (isIterationEnd(decision)) patchIteration(view, decision, { outcome: decision.outcome, why: decision.why })
  if (isRejection(decision)) patchLastIteration(view, worker, { rejection: decisionReason(decision) })
  if (decision.by === 'draft' && ABOUT_DOCUMENT.has(decision.what))
    patchLastIteration(view, worker, { why: decision.why })
}

/** Decisions about the document of an iteration that ended well. */
const ABOUT_DOCUMENT: ReadonlySet<Decision['what']> = new Set<DecisionName<'draft'>>(['document', 'idle', 'ask'])

/** A run is paused when none of its workers works any more: workers pause and end one by one. */
function takePauseOrEnd(view: RunView, worker: WorkerId, { by, what }: Decision): void {
  if (by === 'draft' && what === 'ask')
    setActivity(view, worker, { is: 'asking', question: draftQuestionText(view.workers[worker]?.draft?.said ?? '') })
  const is = by === 'loop' && what === 'pause' ? 'paused' : by === 'exit' && what === 'end' ? 'ended' : null
  if (is === null) return
  // A worker that already is in this state keeps the time since when.
  if (view.workers[worker]?.activity.is !== is) setActivity(view, worker, { is })
  const workers = Object.values(view.workers).map((one) => one.activity.is)
  const idle = workers.every((is) => is === 'paused' || is === 'idle' || is === 'ended')
  if (view.is === 'going' && idle && workers.includes('paused')) view.is = 'paused'
}

/** Not a reason for what the run does: a rejected request changes nothing, and a model is chosen for a call that happens anyway. */
function isNoRunReason({ by, what }: Decision): boolean {
  return (by === 'steer' && what === 'refuse') || (by === 'loop' && what === 'ignore') || by === 'model'
}

/** The reason of the last of these decisions that is about the run itself; null: there is none. */
export function lastRunReason(decisions: readonly Decision[]): string | null {
  const last = decisions.findLast((decision) => !isNoRunReason(decision))
  return last === undefined ? null : decisionReason(last)
}

/** The reason without the outcome's name, which is for programs. */
export function decisionReason({ by, what, why }: Decision): string {
  if (by === 'exit' && what === 'end') return why.replace(/^[a-z_]+: /, '')
  return why
}

/** A snapshot before an iteration shows other people's work; only the one after it shows the iteration's own change. */
function takeSnapshotEvent(view: RunView, event: EventOf<'snapshot-taken'>): void {
  const worker = view.workers[event.worker]
  const after = worker?.measures === event.effect
  const byAgent = after || worker?.checks === event.effect
  const branchState = branchStateAfter(worker?.branchState ?? null, event.snapshot, byAgent ? 'agent' : 'person')
  const ticked = (event.checkboxes?.done ?? 0) > (worker?.checkboxes?.done ?? 0)
  patchWorker(view, event.worker, { checkboxes: event.checkboxes, branchState })
  if (event.change === null || !after) return
  patchLastIteration(view, event.worker, {
    change: event.change,
    checkboxes: event.checkboxes,
    ticked,
    drift: findDrift(branchState).map(({ short }) => short),
  })
}

/** Applies a change by `ralph set`; a rejected change leaves the rules as they are. */
function applyRuleChange(rules: Rules, { key, value }: { key: string; value: string }): Rules {
  const result = changeRule(rules, key, value)
  return 'problem' in result ? rules : result.rules
}

/** Not the iteration's own call but, for example, a review: only its cost counts. */
function isSideCall(view: RunView, { worker, effect }: { worker: WorkerId; effect: EffectId }): boolean {
  return view.workers[worker]?.sideCall === effect
}

function takeReply(view: RunView, event: EventOf<'agent-ended'>): void {
  const { worker, reply } = event
  const { usage } = reply
  view.spent = addToSpent(view.spent, usage)
  if (isSideCall(view, event)) return
  if (reply.conversation !== null) patchWorker(view, worker, { conversation: reply.conversation })
  patchLastIteration(view, worker, {
    durationMs: reply.durationMs,
    end: reply.end,
    failure: reply.failure?.message ?? null,
    summary: reply.signals.summary,
    usage,
    tools: reply.tools,
    limit: reply.limit,
  })
}

function takeEvidence(view: RunView, worker: WorkerId, evidence: Evidence): void {
  const gate = {
    name: evidence.gate,
    passed: hasPassed(evidence),
    durationMs: evidence.durationMs,
    failing: gateFailureLines(evidence),
  }
  const last = view.iterations.findLast((one) => one.worker === worker)
  if (last !== undefined) patchLastIteration(view, worker, { gates: [...last.gates, gate] })
}

function takeOrphans(view: RunView, event: EventOf<'agent-ended' | 'gate-ended' | 'trial-ended'>): void {
  if (event.orphans === undefined) return
  view.orphans = [...view.orphans, ...orphansIn(event)].slice(-ORPHANS_KEPT)
  patchLastIteration(view, event.worker, { orphans: event.orphans })
}

function newIteration(worker: WorkerId, n: number, agent: string, { at, seq }: RunView): IterationView {
  return {
    n,
    worker,
    row: seq,
    agent,
    startedAt: at,
    durationMs: null,
    end: null,
    failure: null,
    summary: '',
    usage: null,
    tools: 0,
    limit: null,
    change: null,
    checkboxes: null,
    ticked: false,
    rejection: null,
    gates: [],
    commit: null,
    drift: [],
    orphans: null,
    outcome: null,
    why: null,
    log: null,
  }
}

function patchWorker(view: RunView, id: WorkerId, change: Partial<WorkerView>): void {
  const worker: WorkerView = view.workers[id] ?? {
    id,
    task: null,
    iteration: 0,
    activity: { is: 'starting', since: view.at },
    agent: null,
    model: null,
    chosen: null,
    conversation: null,
    breaker: view.breaker,
    checkboxes: null,
    branchState: null,
    measures: null,
    checks: null,
    sideCall: null,
  }
  view.workers = { ...view.workers, [id]: { ...worker, ...change } }
}

function setActivity(view: RunView, id: WorkerId, what: Activity): void {
  patchWorker(view, id, { activity: { ...what, since: view.at } })
}

/** Changes the worker's current or last iteration. */
function patchLastIteration(view: RunView, worker: WorkerId, change: Partial<IterationView>): void {
  const n = view.workers[worker]?.iteration ?? 0
  patchIteration(view, { worker, n }, change)
}

function patchIteration(
  view: RunView,
  { worker, n }: Pick<IterationView, 'worker' | 'n'>,
  change: Partial<IterationView>,
): void {
  view.iterations = view.iterations.map((one) => (one.worker === worker && one.n === n ? { ...one, ...change } : one))
}
