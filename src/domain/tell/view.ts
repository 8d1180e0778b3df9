/**
 * What any screen can show of a run, folded from the rows of its record. It never calls `step`: a record shows what was
 * decided then, whatever version reads it. Lists are bounded, so a screen may watch for days.
 */
import type { LimitKind, Usage } from '../calls/agent.ts'
import type { Boxes, Change } from '../tree/change.ts'
import { questionIn, type DraftShown } from '../feature/draft.ts'
import type { PaperKind } from '../feature/paper.ts'
import type { Effect, EffectOf } from '../state/effect.ts'
import type { Event, EventOf } from '../state/event.ts'
import { astray, footingAfter, footingAtCommit, type Footing } from '../tree/branch-state.ts'
import type { Awake, EffectId, Instant, Millis, RunId, WorkerId } from '../ids.ts'
import { carryOver, type Breaker } from '../admission/breaker.ts'
import { change } from '../rules/change-rules.ts'
import { doingFor, type Doing, type DoingSince } from './doing.ts'
import type { Outcome } from '../state/outcome.ts'
import { never } from '../machine.ts'
import {
  isChoice,
  isIterationEnd,
  isRejection,
  type Decision,
  type IterationOutcome,
  type WordOf,
} from '../state/decision.ts'
import { type Orphan, type Orphans, orphansIn } from '../tree/orphan.ts'
import { failingLines } from '../proof/failing-lines.ts'
import { passed } from '../proof/verdict.ts'
import type { Evidence } from '../proof/evidence.ts'
import type { Reply } from '../reply/reply.ts'
import { wasIgnored, type Row } from '../state/row.ts'
import type { Rules } from '../state/rules.ts'
import type { Scope, TaskId } from '../task/task.ts'
import { addSpent, NOTHING_SPENT, type Spent } from '../calls/spent.ts'

export interface View {
  run: RunId
  project: string
  command: string
  version: string
  /** The tasks it works through; null: it is a plain loop. */
  tasks: Scope | null
  /** `left`: unfinished, and no engine serves it; `outcome` tells why. */
  is: 'going' | 'paused' | 'left' | 'stopping' | 'ended'
  rules: Rules
  startedAt: Instant
  startedUp: Awake
  /** Stamp of the last row. */
  at: Instant
  up: Awake
  seq: number
  pid: number
  workers: Record<WorkerId, WorkerView>
  spent: Spent
  quota: { calls: number; tokens: number }
  /** The newest ones of all workers, in the order in which they began. */
  iterations: IterationView[]
  /** All that began. */
  made: number
  decisions: (Decision & { at: Instant; seq: number })[]
  /** What it does as it does for: the last decision about the run itself. Null: none yet. */
  why: string | null
  /** The breaker as the run began with it. */
  breaker: Breaker['is']
  /** Who was really asked, in the order of their first call; one that was only asked for its opinion made no iteration. */
  agents: { agent: string; iterations: number }[]
  /** All that were named, newest last. Whether they still run, no record can tell. */
  orphans: Orphan[]
  outcome: Outcome | null
}

export interface WorkerView {
  id: WorkerId
  /** The task it is at; null: none. */
  task: TaskShown | null
  iteration: number
  doing: DoingSince
  agent: string | null
  model: string | null
  /** Why it works with that model; null: it is fixed. */
  chosen: string | null
  conversation: string | null
  breaker: string
  boxes: Boxes | null
  footing: Footing | null
  /** Absent: it drafts nothing. */
  draft?: DraftShown
  /** The last look that was asked for to measure an iteration, whatever is asked beside it meanwhile. */
  measures: EffectId | null
  /** The same of a look at what an agent left that was to read only. */
  checks: EffectId | null
  /** The last call beside the iteration's own. */
  aside: EffectId | null
}

export interface TaskShown {
  id: TaskId
  title: string
  /** The number of its claim. */
  attempt: number
  /** How often its work was begun in this claim, of how many times at most. */
  visit: number
  of: number
}

/** `worker` and `n` identify an iteration. */
export interface IterationView {
  n: number
  worker: WorkerId
  /** The row in which it began. */
  row: number
  agent: string
  startedAt: Instant
  /** The task it worked on; absent: a plain loop. */
  task?: TaskId
  /** The paper that it finished; absent: none. */
  paper?: PaperKind
  durationMs: Millis | null
  end: Reply['end'] | null
  failure: string | null
  summary: string
  usage: Usage | null
  tools: number
  /** A limit of the vendor that it ran into. */
  limit: LimitKind | null
  change: Pick<Change, 'files' | 'added' | 'removed' | 'commits'> | null
  boxes: Boxes | null
  /** There are more ticked boxes than before it. */
  ticked: boolean
  /** Why its completion or its document was rejected; null: it was not. */
  rejection: string | null
  /** `failing`: the lines that tell why it is red. */
  gates: { name: string; passed: boolean; durationMs: Millis; failing: string[] }[]
  commit: string | null
  /** Where it left HEAD and git, if not where the run began. */
  astray: string[]
  /** Who was left in the project and is not ours to end; null: nobody was seen. */
  orphans: Orphans | null
  /** Null: it has not ended. */
  outcome: IterationOutcome | null
  /** The reason for its outcome; of a draft's turn, what became of its paper. */
  why: string | null
  log: string | null
}

export const ITERATIONS_KEPT = 200
const DECISIONS_KEPT = 200
const ORPHANS_KEPT = 50

export function foldView(before: View | null, row: Row): View {
  const base = before ?? (row.event.type === 'run-started' ? firstView(row, row.event) : null)
  if (base === null) throw new Error(`the record of run ${row.run} does not begin with run-started`)
  const view: View = { ...base, at: row.at, up: row.up, seq: row.seq }
  if (!wasIgnored(row)) takeEvent(view, row.event)
  for (const effect of row.effects) takeEffect(view, effect)
  for (const decision of row.decisions) takeDecision(view, row, decision)
  return view
}

/** Folds a row that a newer Ralph may have written: what nobody here understands changes nothing, and is said to be so. */
export function foldKnown(view: View | null, row: Row): { view: View | null; known: boolean } {
  try {
    return { view: foldView(view, row), known: true }
  } catch {
    return { view: view === null ? null : { ...view, at: row.at, up: row.up, seq: row.seq }, known: false }
  }
}

function firstView(row: Row, event: EventOf<'run-started'>): View {
  return {
    run: row.run,
    project: event.project,
    command: event.command,
    version: event.version,
    tasks: event.tasks ?? null,
    is: 'going',
    rules: event.rules,
    startedAt: row.at,
    startedUp: row.up,
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

/** As the core took it over. */
function breakerAt({ at }: Row, { breaker, rules }: Partial<EventOf<'run-started'>>): Breaker['is'] {
  if (breaker === undefined || breaker === null || rules === undefined) return 'closed'
  return carryOver(breaker, rules.breaker, at).is
}

function takeEvent(view: View, event: Event): void {
  switch (event.type) {
    case 'run-started':
      return takeDraft(view, event)
    case 'run-continued':
      view.pid = event.pid
      view.outcome = null
      if (view.is !== 'stopping') view.is = 'going'
      return
    case 'surveyed':
      return takeSurvey(view, event)
    case 'admitted':
      view.quota = { calls: event.callsThisHour, tokens: event.tokensThisHour }
      return
    case 'agent-began':
      return takeBegan(view, event)
    case 'conversation-known':
      if (isAside(view, event)) return
      patch(view, event.worker, { conversation: event.conversation, model: event.model })
      return
    case 'agent-ended':
      takeReply(view, event)
      return takeOrphans(view, event)
    case 'gate-ended':
      takeEvidence(view, event.worker, event.evidence)
      return takeOrphans(view, event)
    case 'committed':
      patchLast(view, event.worker, { commit: event.sha })
      patch(view, event.worker, {
        footing: footingAtCommit(view.workers[event.worker]?.footing ?? null, event.sha),
      })
      return
    case 'put-back':
      return takePutBack(view, event)
    case 'paper-taken':
      return takePaper(view, event)
    case 'task-claimed':
    case 'task-settled':
      return patch(view, event.worker, { task: shownTask(event, view.rules) })
    case 'run-ended':
    case 'run-left':
      return takeEnd(view, event)
    case 'request-received':
      return takeRequest(view, event)
    case 'room-tried':
      return takeOrphans(view, event)
    case 'nothing-ready':
      return doing(view, event.worker, { is: 'idle' })
    case 'base-taken':
    case 'changes-sorted':
    case 'looked-again':
    case 'claim-lost':
    case 'knowledge-kept':
    case 'held-back':
    case 'agent-denied':
    case 'spend-crossed':
    case 'wait-over':
    case 'aborted':
    case 'effect-failed':
    case 'effect-lost':
    case 'clock-jumped':
    case 'remark':
      return
    default:
      return never(event)
  }
}

function takeDraft(view: View, { draft }: EventOf<'run-started'>): void {
  if (draft === undefined) return
  const { name, folder, papers } = draft
  patch(view, '1', { draft: { name, folder, paper: papers[0], said: '' } })
}

function takePaper(view: View, { worker, paper, first, there, problems }: EventOf<'paper-taken'>): void {
  if (there && problems.length === 0 && first === undefined) patchLast(view, worker, { paper })
}

function takePutBack(view: View, event: EventOf<'put-back'>): void {
  if (event.is === 'stays') return
  patch(view, event.worker, {
    boxes: event.boxes,
    footing: footingAfter(view.workers[event.worker]?.footing ?? null, event.snapshot, 'agent'),
  })
}

function takeRequest(view: View, { request }: EventOf<'request-received'>): void {
  if (request.do === 'stop' && request.to === undefined) view.is = 'stopping'
  if (request.do === 'resume') view.is = 'going'
  if (request.do === 'set') view.rules = changed(view.rules, request)
}

function takeBegan(view: View, event: EventOf<'agent-began'>): void {
  if (isAside(view, event)) return
  doing(view, event.worker, { is: 'working', pid: event.pid, log: event.log })
  patchLast(view, event.worker, { log: event.log })
}

function takeEnd(view: View, event: EventOf<'run-ended' | 'run-left'>): void {
  view.is = event.type === 'run-left' ? 'left' : 'ended'
  view.outcome = event.outcome
  for (const one of Object.values(view.workers))
    if (one.doing.is !== 'ended') doing(view, one.id, { is: 'ended' })
}

function shownTask(event: EventOf<'task-claimed' | 'task-settled'>, rules: Rules): TaskShown | null {
  if (event.type === 'task-settled') return null
  const { id, title, attempt, maxRetries } = event.task
  return { id, title, attempt, visit: 1, of: (maxRetries ?? rules.task.maxRetries) + 1 }
}

function takeEffect(view: View, effect: Effect): void {
  if (effect.type === 'survey') look(view, effect)
  if (effect.type === 'run-agent') {
    view.agents = asked(view.agents, effect)
    if (effect.role === 'work') beginIteration(view, effect)
    else patch(view, effect.worker, { aside: effect.id })
  }
  if (effect.type === 'take-paper' && effect.first === undefined)
    patchDraft(view, effect.worker, { said: effect.said })
  const what = doingFor(effect)
  if (what !== null) doing(view, effect.worker, what)
}

function patchDraft(view: View, id: WorkerId, change: Partial<DraftShown>): void {
  const draft = view.workers[id]?.draft
  if (draft !== undefined) patch(view, id, { draft: { ...draft, ...change } })
}

function beginIteration(view: View, { worker, iteration, agent, task, draft }: EffectOf<'run-agent'>): void {
  const shown = view.workers[worker]?.task ?? null
  const at =
    shown === null || task === undefined ? {} : { task: { ...shown, visit: task.visit, of: task.of } }
  patch(view, worker, { iteration, agent, chosen: null, ...at })
  if (draft !== undefined) patchDraft(view, worker, { paper: draft.paper })
  const begun: IterationView = {
    ...newIteration(worker, iteration, agent, view),
    ...(task === undefined ? {} : { task: task.id }),
  }
  // A call that was cut off before it began is asked for again under the same number.
  const others = view.iterations.filter((one) => one.worker !== worker || one.n !== iteration)
  if (others.length === view.iterations.length) view.made += 1
  view.iterations = [...others, begun].slice(-ITERATIONS_KEPT)
}

function look(view: View, { worker, id, for: why }: EffectOf<'survey'>): void {
  patch(view, worker, { measures: why === 'after' ? id : null, checks: why === 'check' ? id : null })
}

function asked(agents: View['agents'], { agent, role }: EffectOf<'run-agent'>): View['agents'] {
  const more = role === 'work' ? 1 : 0
  if (!agents.some((one) => one.agent === agent)) return [...agents, { agent, iterations: more }]
  return agents.map((one) => (one.agent === agent ? { agent, iterations: one.iterations + more } : one))
}

function takeDecision(view: View, row: Row, decision: Decision): void {
  view.decisions = [...view.decisions, { ...decision, at: row.at, seq: row.seq }].slice(-DECISIONS_KEPT)
  if (!isBeside(decision)) view.why = whyOf(decision)
  const { worker } = decision
  if (worker === undefined) return
  takeStanding(view, worker, decision)
  if (wasIgnored(row)) return
  if (decision.by === 'breaker') patch(view, worker, { breaker: decision.what })
  if (isChoice(decision)) patch(view, worker, { chosen: decision.why })
  if (isIterationEnd(decision))
    patchIteration(view, decision, { outcome: decision.outcome, why: decision.why })
  if (isRejection(decision)) patchLast(view, worker, { rejection: whyOf(decision) })
  if (decision.by === 'draft' && ABOUT_PAPER.has(decision.what))
    patchLast(view, worker, { why: decision.why })
}

/** What became of the paper of a turn that ended well. */
const ABOUT_PAPER: ReadonlySet<Decision['what']> = new Set<WordOf<'draft'>>(['paper', 'idle', 'ask'])

/** A run is paused when nobody in it works any more: its workers may pause and end one by one. */
function takeStanding(view: View, worker: WorkerId, { by, what }: Decision): void {
  if (by === 'draft' && what === 'ask')
    doing(view, worker, { is: 'asking', question: questionIn(view.workers[worker]?.draft?.said ?? '') })
  const is = by === 'loop' && what === 'pause' ? 'paused' : by === 'exit' && what === 'end' ? 'ended' : null
  if (is === null) return
  // Who stood still before stands still since then.
  if (view.workers[worker]?.doing.is !== is) doing(view, worker, { is })
  const workers = Object.values(view.workers).map((one) => one.doing.is)
  const idle = workers.every((is) => is === 'paused' || is === 'idle' || is === 'ended')
  if (view.is === 'going' && idle && workers.includes('paused')) view.is = 'paused'
}

/** Nothing happens because of it: an order that was not obeyed changes nothing, and a model is chosen for what happens anyway. */
function isBeside({ by, what }: Decision): boolean {
  return (by === 'steer' && what === 'refuse') || (by === 'loop' && what === 'ignore') || by === 'model'
}

/** Why it does as it does, if these were decided last; null: none of them was about the run itself. */
export function whyAfter(decisions: readonly Decision[]): string | null {
  const last = decisions.findLast((decision) => !isBeside(decision))
  return last === undefined ? null : whyOf(last)
}

/** The sentence alone: the name of an outcome before it is for programs, which find it there; that it is a refusal is shown. */
export function whyOf({ by, what, why }: Decision): string {
  if (by === 'exit' && what === 'end') return why.replace(/^[a-z_]+: /, '')
  return by === 'proof' && what === 'refuse' ? why.replace(/^the completion is refused: /, '') : why
}

/** A look before an iteration shows other people's work; only the one after it belongs to the iteration. */
function takeSurvey(view: View, event: EventOf<'surveyed'>): void {
  const worker = view.workers[event.worker]
  const after = worker?.measures === event.effect
  const byAgent = after || worker?.checks === event.effect
  const footing = footingAfter(worker?.footing ?? null, event.snapshot, byAgent ? 'agent' : 'person')
  const ticked = (event.boxes?.done ?? 0) > (worker?.boxes?.done ?? 0)
  patch(view, event.worker, { boxes: event.boxes, footing })
  if (event.change === null || !after) return
  patchLast(view, event.worker, {
    change: event.change,
    boxes: event.boxes,
    ticked,
    astray: astray(footing).map(({ short }) => short),
  })
}

/** What `ralph set` changed; a refused change leaves the rules as they are. */
function changed(rules: Rules, { key, value }: { key: string; value: string }): Rules {
  const result = change(rules, key, value)
  return 'problem' in result ? rules : result.rules
}

/** Another call than the iteration's own, such as a second opinion: it costs, and changes nothing else that is shown of the iteration. */
function isAside(view: View, { worker, effect }: { worker: WorkerId; effect: EffectId }): boolean {
  return view.workers[worker]?.aside === effect
}

function takeReply(view: View, event: EventOf<'agent-ended'>): void {
  const { worker, reply } = event
  const { usage } = reply
  view.spent = addSpent(view.spent, usage)
  if (isAside(view, event)) return
  if (reply.conversation !== null) patch(view, worker, { conversation: reply.conversation })
  patchLast(view, worker, {
    durationMs: reply.durationMs,
    end: reply.end,
    failure: reply.failure?.message ?? null,
    summary: reply.signals.summary,
    usage,
    tools: reply.tools,
    limit: reply.limit,
  })
}

function takeEvidence(view: View, worker: WorkerId, evidence: Evidence): void {
  const gate = {
    name: evidence.gate,
    passed: passed(evidence),
    durationMs: evidence.durationMs,
    failing: failingLines(evidence),
  }
  const last = view.iterations.findLast((one) => one.worker === worker)
  if (last !== undefined) patchLast(view, worker, { gates: [...last.gates, gate] })
}

function takeOrphans(view: View, event: EventOf<'agent-ended' | 'gate-ended' | 'room-tried'>): void {
  if (event.orphans === undefined) return
  view.orphans = [...view.orphans, ...orphansIn(event)].slice(-ORPHANS_KEPT)
  patchLast(view, event.worker, { orphans: event.orphans })
}

function newIteration(worker: WorkerId, n: number, agent: string, { at, seq }: View): IterationView {
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
    boxes: null,
    ticked: false,
    rejection: null,
    gates: [],
    commit: null,
    astray: [],
    orphans: null,
    outcome: null,
    why: null,
    log: null,
  }
}

function patch(view: View, id: WorkerId, change: Partial<WorkerView>): void {
  const worker: WorkerView = view.workers[id] ?? {
    id,
    task: null,
    iteration: 0,
    doing: { is: 'starting', since: view.at },
    agent: null,
    model: null,
    chosen: null,
    conversation: null,
    breaker: view.breaker,
    boxes: null,
    footing: null,
    measures: null,
    checks: null,
    aside: null,
  }
  view.workers = { ...view.workers, [id]: { ...worker, ...change } }
}

function doing(view: View, id: WorkerId, what: Doing): void {
  patch(view, id, { doing: { ...what, since: view.at } })
}

/** Changes what is shown of the iteration that a worker is at, or that it made last. */
function patchLast(view: View, worker: WorkerId, change: Partial<IterationView>): void {
  const n = view.workers[worker]?.iteration ?? 0
  patchIteration(view, { worker, n }, change)
}

function patchIteration(
  view: View,
  { worker, n }: Pick<IterationView, 'worker' | 'n'>,
  change: Partial<IterationView>,
): void {
  view.iterations = view.iterations.map((one) =>
    one.worker === worker && one.n === n ? { ...one, ...change } : one,
  )
}
