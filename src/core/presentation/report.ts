/**
 * The morning report: what a run did, what is proven and how, what was rejected and why, what it cost, and what to do next.
 * Folded from the rows of its record, with bounded lists, so that even a run of a week fits on a page.
 */
import type { CheckboxCounts } from '../tree/change.ts'
import { isEffectAnswer, type EventOf } from '../state/event.ts'
import {
  describeDrift,
  branchStateAfter,
  branchStateAtCommit,
  isUnderGit,
  type BranchState,
} from '../tree/branch-state.ts'
import type { AwakeMs, EffectId, Instant, Millis, RunId, TreeHash, WorkerId } from '../ids.ts'
import type { Outcome } from '../state/outcome.ts'
import type { Evidence } from '../proof/evidence.ts'
import type { ProofStepResult } from '../proof/proof-types.ts'
import {
  adviceForEndedRun,
  adviceForUnfinished,
  adviceForFeature,
  adviceForUndoneRun,
  adviceWithQuestions,
  adviceContextOf,
  adviceContextAfterSet,
  type Advice,
  type FeatureAfterRun,
  type AdviceContext,
} from './advice.ts'
import type { IterationSeries } from './charts/iteration-series.ts'
import { iterationMarkOf, type IterationMarkInput } from './iteration-mark.ts'
import type { OpenQuestion } from './answer-to-agent.ts'
import { RESUMED_AFTER_TEXT } from './outcome-text.ts'
import type { ReportTasks } from './report-tasks.ts'
import type { ReaderClock } from './wait-text.ts'
import { gateFailureLines } from '../proof/gate-failure-lines.ts'
import { passesExceptQuarantined, gateFailureReason } from '../proof/verdict.ts'
import type { Reply } from '../agent-output/reply.ts'
import type { EffectOf } from '../state/effect.ts'
import { isIterationEnd } from '../state/decision.ts'
import { wasIgnored, type Row } from '../state/row.ts'
import { LOOP_START_COMMAND, type StartCommand } from '../state/start-command.ts'
import type { TaskId } from '../tasks/task.ts'
import { documentPathIn } from '../features/documents.ts'
import { addToSpent, NOTHING_SPENT, type SpentTotals } from '../calls/spending.ts'

export interface Report {
  run: RunId
  project: string
  command: string
  startedAt: Instant
  /** Time of the last row: the end of the run, or how far the record goes. */
  at: Instant
  /** Awake time. */
  durationMs: Millis
  /** Null: the run has not ended. */
  outcome: Outcome | null
  /** Unfinished, and no engine runs it; the outcome has the reason. */
  left: boolean
  /** Paused until `ralph resume`. */
  paused: boolean
  /** An engine runs it now. The record does not know this; the caller fills it in. */
  served?: true
  /** Undone since. The record does not know this; the caller fills it in. `command` restores the run's changes. */
  undone?: { at: Instant; command: string }
  /** Filled in by the caller for a run through tasks; absent: a plain loop. */
  tasks?: ReportTasks
  /** Paths of the valid documents; absent: the run drafts none. */
  documents?: string[]
  iterations: {
    made: number
    succeeded: number
    limited: number
    /** By result; an iteration that still runs is in none of these. */
    moved: number
    nothing: number
    refused: number
  }
  /** `byRun`: ticked by its iterations, minus those they unticked; a person ticked the rest. */
  checkboxes: { before: CheckboxCounts | null; after: CheckboxCounts | null; byRun: number }
  /** Checkboxes that its iterations ticked, in order; where the texts are unknown, only those that were next in the plan. */
  done: string[]
  /** The first open checkbox. */
  nextCheckbox: string | null
  commits: ReportCommit[]
  /** The number of all commits; `commits` keeps the last ones. */
  commitCount: number
  changed: ReportChange
  /** Trees of the first and the last snapshot; the run's change is the difference between them. */
  trees: { first: TreeHash | null; last: TreeHash | null }
  /** The last result of each gate on the work, not of the baseline. */
  gates: ReportGate[]
  /** The rules that the advice depends on. */
  adviceContext: AdviceContext
  /** What happened to its feature after the run ended; absent: nothing. */
  since?: FeatureAfterRun
  /** The result of each proof step for the last completion. */
  proofSteps: ProofStepResult[]
  refused: { worker: WorkerId; iteration: number; why: string }[]
  refusedCount: number
  /** What else a person should know: an open breaker, limits, failures. */
  remarks: string[]
  /** Questions of agents, and what they found besides their work, newest last. Absent: none. */
  asked?: { id: string; text: string }[]
  /** Questions that are open now, of this run or an earlier one. Absent: the caller did not look, or there are none. */
  questions?: OpenQuestion[]
  found?: string[]
  /** How HEAD or git differs from the start of the run, with the command that fixes it; null: it does not. */
  drift: string | null
  /** False: there is no git here, so the run cannot be undone. */
  inGit: boolean
  agents: ReportAgent[]
  /** Which models were chosen and why, newest last; absent: one model for all. */
  models?: ReportModel[]
  spent: SpentTotals
  /** Of the newest iterations, for charts. The caller fills it in from the table of iterations. */
  series?: IterationSeries
}

export interface ReportChange {
  files: number
  added: number
  removed: number
  /** `snapshots`: the difference between the first and the last snapshot. `iterations`: the sum over the iterations, because git is not
   *  available; a file that two iterations changed counts twice. */
  from: 'snapshots' | 'iterations'
  /** Files that a person changed while no agent worked, counted at each snapshot. The difference between the snapshots includes them. */
  between: number
}

export interface ReportCommit {
  sha: string
  subject: string
  /** Both identify the iteration that made it. */
  worker: WorkerId
  iteration: number
  /** Filled in by a caller with access to git; null: unknown. */
  stat: { files: number; added: number; removed: number } | null
}

interface ReportGate {
  gate: string
  command: string
  passed: boolean
  /** The result in words, without the gate's name. */
  said: string
  /** The output lines that explain the failure. */
  failing: string[]
  tree: TreeHash
  durationMs: Millis
}

/** The reason of the choice, and for how many iterations it was made. */
interface ReportModel {
  why: string
  iterations: number
}

interface ReportAgent extends Omit<SpentTotals, 'usd'> {
  agent: string
  iterations: number
  /** Null: the agent reported no cost. */
  usd: number | null
}

/** The state of the fold: the report so far, and what later rows need. */
export interface ReportState {
  report: Report
  /** Awake time of the last row. */
  up: AwakeMs
  start: StartCommand
  quarantine: string[]
  /** The folder of a draft's documents. */
  folder?: string
  workers: Record<WorkerId, WorkerFold>
  asked: Record<
    EffectId,
    /** `check`: the snapshot shows what a reviewer changed. */
    { is: 'look'; after: boolean; check?: true } | { is: 'agent'; agent: string; role: 'work' | 'review' }
  >
}

/** What the fold knows of one worker. */
interface WorkerFold {
  /** The current or last iteration; 0: none yet. */
  iteration: number
  /** The task of that iteration; absent: a plain loop. */
  task?: TaskId
  /** That iteration, as far as it is known. */
  current: IterationMarkInput
  branchState: BranchState | null
}

const COMMITS_KEPT = 100
const REFUSED_KEPT = 10
const REMARKS_KEPT = 8
const TOLD_KEPT = 20
const MODELS_KEPT = 8
const DONE_KEPT = 50

/** Null until the row that starts the run. Skips events that a newer version added. */
export function foldReport(before: ReportState | null, row: Row): ReportState | null {
  const base = before ?? firstFold(row)
  if (base === null) return null
  const fold: ReportState = {
    ...base,
    up: row.up,
    report: { ...base.report, at: row.at, durationMs: base.report.durationMs + Math.max(0, row.up - base.up) },
  }
  if (!wasIgnored(row)) takeEvent(fold, row)
  takeEffects(fold, row)
  takeDecisions(fold, row)
  return fold
}

function firstFold(row: Row): ReportState | null {
  const { event } = row
  if (event.type !== 'run-started') return null
  const { start = LOOP_START_COMMAND } = event
  const report: Report = {
    run: row.run,
    project: event.project,
    command: event.command,
    startedAt: row.at,
    at: row.at,
    durationMs: 0,
    outcome: null,
    left: false,
    paused: false,
    iterations: { made: 0, succeeded: 0, limited: 0, moved: 0, nothing: 0, refused: 0 },
    checkboxes: { before: null, after: null, byRun: 0 },
    done: [],
    nextCheckbox: null,
    commits: [],
    commitCount: 0,
    changed: { files: 0, added: 0, removed: 0, from: 'iterations', between: 0 },
    trees: { first: null, last: null },
    gates: [],
    adviceContext: adviceContextOf(event.rules, start),
    proofSteps: [],
    refused: [],
    refusedCount: 0,
    remarks: [],
    drift: null,
    inGit: true,
    agents: [],
    spent: NOTHING_SPENT,
    ...(event.draft === undefined ? {} : { documents: [] }),
  }
  return {
    report,
    up: row.up,
    start,
    ...(event.draft === undefined ? {} : { folder: event.draft.folder }),
    quarantine: event.rules.proof.quarantine,
    workers: {},
    asked: {},
  }
}

function takeEvent(fold: ReportState, { event, decisions }: Row): void {
  const { report } = fold
  if (event.type === 'snapshot-taken') takeSnapshotEvent(fold, event)
  if (event.type === 'agent-ended') takeReply(fold, event)
  if (event.type === 'committed' && event.sha !== null) takeCommit(fold, event.worker, event.sha)
  if (event.type === 'gate-ended' && event.evidence.purpose !== 'baseline') takeGate(fold, event.evidence)
  if (event.type === 'request-received' && event.request.do === 'resume') report.paused = false
  if (event.type === 'request-received' && event.request.do === 'set' && isSet(decisions))
    report.adviceContext = adviceContextAfterSet(report.adviceContext, event.request)
  if (event.type === 'document-checked') takeDocument(fold, event)
  if (event.type === 'effect-failed') remark(report, event.problem)
  if (event.type === 'run-resumed') {
    report.outcome = null
    report.left = false
    report.paused = false
    remark(report, `the run was ${RESUMED_AFTER_TEXT[event.after]} and resumed`)
  }
  if (event.type === 'run-ended' || event.type === 'run-suspended') {
    report.outcome = event.outcome
    report.left = event.type === 'run-suspended'
  }
  if (isEffectAnswer(event)) {
    const { [event.effect]: _, ...open } = fold.asked
    fold.asked = open
  }
}

function workerIn({ workers }: ReportState, id: WorkerId): WorkerFold {
  return workers[id] ?? { iteration: 0, current: NOT_ENDED, branchState: null }
}

function patchWorker(fold: ReportState, id: WorkerId, change: Partial<WorkerFold>): void {
  fold.workers = { ...fold.workers, [id]: { ...workerIn(fold, id), ...change } }
}

function takeCommit(fold: ReportState, id: WorkerId, sha: string): void {
  const { task, iteration, branchState } = workerIn(fold, id)
  const on = task === undefined ? '' : ` on ${task}`
  addCommits(fold, id, [{ sha, subject: `iteration ${iteration}${on}, committed by Ralph` }])
  updateBranchState(fold, id, branchStateAtCommit(branchState, sha))
}

function updateBranchState(fold: ReportState, id: WorkerId, branchState: BranchState | null): void {
  patchWorker(fold, id, { branchState })
  fold.report.inGit = isUnderGit(branchState)
  const lines = Object.values(fold.workers).map((one) => describeDrift(one.branchState))
  fold.report.drift = lines.find((line) => line !== null) ?? null
}

function takeDocument(fold: ReportState, event: EventOf<'document-checked'>): void {
  const { worker, document, first, there, problems } = event
  const { report, folder } = fold
  if (!there || problems.length > 0 || folder === undefined) return
  report.documents = [...(report.documents ?? []), documentPathIn(folder, document)]
  if (first === undefined) markCurrent(fold, worker, { document })
}

function takeSnapshotEvent(fold: ReportState, event: EventOf<'snapshot-taken'>): void {
  const { report } = fold
  const { snapshot, checkboxes, nextCheckbox, change } = event
  // Only a snapshot after an iteration shows the run's own change; the others show what people did meanwhile.
  const asked = fold.asked[event.effect]
  const after = asked?.is === 'look' && asked.after
  const before = report.checkboxes.after?.done ?? checkboxes?.done ?? 0
  const ticked = (checkboxes?.done ?? before) - before
  report.trees = { first: report.trees.first ?? snapshot.tree, last: snapshot.tree }
  if (after) report.done = doneAfter(report, event, ticked)
  report.checkboxes = {
    before: report.checkboxes.before ?? checkboxes,
    after: checkboxes,
    byRun: report.checkboxes.byRun + (after ? ticked : 0),
  }
  report.nextCheckbox = nextCheckbox
  const { branchState } = workerIn(fold, event.worker)
  updateBranchState(fold, event.worker, branchStateAfter(branchState, snapshot, after ? 'agent' : 'person'))
  if (change === null || (asked?.is === 'look' && asked.check === true)) return
  const { changed } = report
  if (!after) {
    report.changed = { ...changed, between: changed.between + change.files }
    return
  }
  report.changed = {
    ...changed,
    files: changed.files + change.files,
    added: changed.added + change.added,
    removed: changed.removed + change.removed,
  }
  addCommits(fold, event.worker, change.commits)
  markCurrent(fold, event.worker, { change, ticked: ticked > 0 })
}

/** Uses the texts of the ticks; where these are unknown, the checkbox that was next. */
function doneAfter(
  { done, nextCheckbox }: Report,
  { ticks, nextCheckbox: next }: EventOf<'snapshot-taken'>,
  ticked: number,
): string[] {
  if (ticks !== undefined)
    return [...done.filter((text) => !ticks.undone.includes(text)), ...ticks.done].slice(-DONE_KEPT)
  return ticked > 0 && nextCheckbox !== null && nextCheckbox !== next ? [...done, nextCheckbox].slice(-DONE_KEPT) : done
}

/** Adds a fact about the current iteration. Its mark may change with it, and so the count of each mark. */
function markCurrent(fold: ReportState, id: WorkerId, learnt: Partial<IterationMarkInput>): void {
  const { current: before } = workerIn(fold, id)
  const after = { ...before, ...learnt }
  patchWorker(fold, id, { current: after })
  const counts = { ...fold.report.iterations }
  const [was, is] = [iterationMarkOf(before).is, iterationMarkOf(after).is]
  if (was !== 'going') counts[was] -= 1
  if (is !== 'going') counts[is] += 1
  fold.report.iterations = counts
}

const NOT_ENDED: IterationMarkInput = {
  outcome: null,
  end: null,
  change: null,
  ticked: false,
  rejection: null,
  limit: null,
}

function takeReply(fold: ReportState, { worker, effect, reply }: EventOf<'agent-ended'>): void {
  const { report } = fold
  const asked = fold.asked[effect]
  const name = asked?.is === 'agent' ? asked.agent : 'unknown'
  // A review costs money as an iteration does, but is not counted as one.
  const works = asked?.is !== 'agent' || asked.role === 'work'
  if (works) {
    markCurrent(fold, worker, { end: reply.end, limit: reply.limit })
    const { succeeded, limited } = report.iterations
    report.iterations = {
      ...report.iterations,
      succeeded: succeeded + (reply.end === 'success' ? 1 : 0),
      limited: limited + (reply.limit !== null && reply.end !== 'success' ? 1 : 0),
    }
  }
  takeAgentMessages(report, reply)
  const { usage } = reply
  report.spent = addToSpent(report.spent, usage)
  const before: ReportAgent = report.agents.find((one) => one.agent === name) ?? { ...NEW_AGENT, agent: name }
  const spent = addToSpent({ ...before, usd: before.usd ?? 0 }, usage)
  const after: ReportAgent = {
    ...before,
    ...spent,
    iterations: before.iterations + (works ? 1 : 0),
    usd: usage?.usd === undefined ? before.usd : spent.usd,
  }
  report.agents = [...report.agents.filter((one) => one.agent !== name), after]
}

const NEW_AGENT = { agent: '', iterations: 0, usd: null, tokens: 0, estimated: 0, unknown: 0 }

/** Keeps each question and each finding once. */
function takeAgentMessages(report: Report, { told }: Reply): void {
  const { asks, findings } = told
  if (asks.length > 0) {
    const before = (report.asked ?? []).filter(({ id }) => asks.every((one) => one.id !== id))
    report.asked = [...before, ...asks].slice(-TOLD_KEPT)
  }
  if (findings.length > 0) report.found = [...new Set([...(report.found ?? []), ...findings])].slice(-TOLD_KEPT)
}

function takeGate({ report, quarantine }: ReportState, evidence: Evidence): void {
  const passed = passesExceptQuarantined(evidence, quarantine)
  const gate: ReportGate = {
    gate: evidence.gate,
    command: evidence.command,
    passed,
    said: passed ? 'pass' : gateFailureReason(evidence),
    failing: passed ? [] : gateFailureLines(evidence),
    tree: evidence.tree,
    durationMs: evidence.durationMs,
  }
  report.gates = [...report.gates.filter((one) => one.gate !== gate.gate), gate]
}

function addCommits(fold: ReportState, id: WorkerId, commits: { sha: string; subject: string }[]): void {
  const { report } = fold
  const { iteration } = workerIn(fold, id)
  const fresh = commits.filter(({ sha }) => !report.commits.some((known) => known.sha === sha))
  const added = fresh.map(({ sha, subject }) => ({ sha, subject, worker: id, iteration, stat: null }))
  report.commits = [...report.commits, ...added].slice(-COMMITS_KEPT)
  report.commitCount += added.length
}

function pendingSnapshot({ for: why }: EffectOf<'snapshot'>): { is: 'look'; after: boolean; check?: true } {
  return { is: 'look', after: why === 'after', ...(why === 'check' ? { check: true } : {}) }
}

function takeEffects(fold: ReportState, { effects }: Row): void {
  for (const effect of effects) {
    if (effect.type === 'snapshot') fold.asked = { ...fold.asked, [effect.id]: pendingSnapshot(effect) }
    if (effect.type === 'run-agent') {
      fold.asked = { ...fold.asked, [effect.id]: { is: 'agent', agent: effect.agent, role: effect.role } }
      if (effect.role !== 'work') continue
      beginIteration(fold, effect)
    }
  }
}

function beginIteration(fold: ReportState, effect: EffectOf<'run-agent'>): void {
  const { worker, iteration, task } = effect
  // A call that was interrupted before it started is requested again with the same number.
  if (workerIn(fold, worker).iteration === iteration) return
  patchWorker(fold, worker, { iteration, current: NOT_ENDED, ...(task === undefined ? {} : { task: task.id }) })
  fold.report.iterations = { ...fold.report.iterations, made: fold.report.iterations.made + 1 }
}

/** Takes rejections with their reasons, and of the other decisions those that a person should see. */
function takeDecisions(fold: ReportState, { decisions }: Row): void {
  const { report } = fold
  for (const decision of decisions) {
    const { by, what, why, worker } = decision
    if (isIterationEnd(decision)) markCurrent(fold, decision.worker, { outcome: decision.outcome })
    if (by === 'proof' && what === 'check') report.proofSteps = []
    if (by === 'loop' && what === 'pause') report.paused = true
    if ('step' in decision && decision.step !== undefined) report.proofSteps = [...report.proofSteps, decision.step]
    if (worker !== undefined && (by === 'proof' || by === 'draft') && what === 'refuse') {
      const { iteration } = workerIn(fold, worker)
      report.refused = [...report.refused, { worker, iteration, why }].slice(-REFUSED_KEPT)
      report.refusedCount += 1
      markCurrent(fold, worker, { rejection: why })
    }
    if (by === 'model' && what !== 'keep') report.models = countModelChoice(report.models ?? [], why)
    if ((by === 'draft' || by === 'proof') && (what === 'revert' || what === 'stays')) remark(report, why)
    if ((by === 'breaker' && what === 'open') || (by === 'limit' && what === 'cooldown') || LOUD.has(what))
      remark(report, why)
  }
}

function countModelChoice(models: ReportModel[], why: string): ReportModel[] {
  const before = models.find((one) => one.why === why)?.iterations ?? 0
  return [...models.filter((one) => one.why !== why), { why, iterations: before + 1 }].slice(-MODELS_KEPT)
}

const LOUD = new Set(['failure', 'outage', 'switch', 'clean-room-unusable', 'note', 'base'])

function remark(report: Report, text: string): void {
  if (!report.remarks.includes(text)) report.remarks = [...report.remarks, text].slice(-REMARKS_KEPT)
}

/** The setting was changed: the request was not rejected. */
function isSet(decisions: Row['decisions']): boolean {
  return decisions.some(({ by, what }) => by === 'steer' && what === 'set')
}

/** What to do next: the last section of every report. */
export function adviceForReport(report: Report, reader?: ReaderClock): Advice {
  return adviceWithQuestions(adviceWithoutQuestions(report, reader), report.questions ?? [])
}

function adviceWithoutQuestions(report: Report, reader: ReaderClock | undefined): Advice {
  const { outcome, left, run, adviceContext, paused, served, undone, iterations, changed, inGit } = report
  if (undone !== undefined)
    return adviceForUndoneRun({ command: undone.command, ended: outcome !== null && !left }, adviceContext.begin)
  if (outcome === null)
    return adviceForUnfinished(paused ? 'paused' : served === true ? 'served' : 'cut-off', adviceContext.begin)
  if (report.since !== undefined) return adviceForFeature(report.since, run)
  const { moved, refused } = iterations
  return adviceForEndedRun({
    outcome,
    run,
    adviceContext,
    undoable: inGit && moved + refused + changed.files > 0,
    iterations: iterations.made,
    ...(reader === undefined ? {} : { reader }),
  })
}
