/**
 * The morning report: what a run did, what of it is proven and how, what was refused and why, what it cost, and what to do next.
 * Folded from the rows of its record, with bounded lists, so that a run of a week gives a page too.
 */
import type { Boxes } from '../tree/change.ts'
import { isAnswer, type EventOf } from '../state/event.ts'
import { astrayLine, footingAfter, footingAtCommit, standsInGit, type Footing } from '../tree/branch-state.ts'
import type { Awake, EffectId, Instant, Millis, RunId, TreeHash, WorkerId } from '../ids.ts'
import { tokensOf } from '../admission/budget.ts'
import type { Outcome } from '../state/outcome.ts'
import type { Evidence } from '../proof/evidence.ts'
import {
  adviceFor,
  adviceMeanwhile,
  adviceSince,
  adviceUndone,
  termsOf,
  termsSet,
  type Advice,
  type FeatureSince,
  type Terms,
} from './advice.ts'
import { markOf, type Marked } from './iteration-mark.ts'
import type { ReportTasks } from './report-tasks.ts'
import { failingLines } from '../proof/failing-lines.ts'
import { counts, describeFailure } from '../proof/verdict.ts'
import type { Reply } from '../reply/reply.ts'
import type { EffectOf } from '../state/effect.ts'
import { isIterationEnd } from '../state/decision.ts'
import { wasIgnored, type Row } from '../state/row.ts'
import type { TaskId } from '../task/task.ts'
import { paperIn } from '../feature/paper.ts'
import { addSpent, NOTHING_SPENT, type Spent } from '../calls/spent.ts'

export interface Report {
  run: RunId
  project: string
  command: string
  startedAt: Instant
  /** Of the last row: the end, or how far the record goes. */
  at: Instant
  /** Awake time. */
  durationMs: Millis
  /** Null: the run has not ended. */
  outcome: Outcome | null
  /** Unfinished, and no engine serves it; the outcome tells why. */
  left: boolean
  /** It rests until somebody says `ralph resume`. */
  paused: boolean
  /** An engine works on it at this moment, which its record cannot know: filled in by whoever does. */
  served?: true
  /** Taken back since, which its record cannot know: filled in by whoever does. `command` brings it back. */
  undone?: { at: Instant; command: string }
  /** Of a run through tasks, which its record does not know either; absent: a plain loop. */
  tasks?: ReportTasks
  /** Papers that are whole, by their paths; absent: it drafted none. */
  papers?: string[]
  iterations: {
    made: number
    succeeded: number
    limited: number
    /** By what they came to; one under way is none of them. */
    moved: number
    nothing: number
    refused: number
  }
  /** `byRun`: ticked in its iterations, less what they opened again; the rest were a person's. */
  boxes: { before: Boxes | null; after: Boxes | null; byRun: number }
  /** Boxes that its iterations ticked, in their order; where their texts are not known, as far as they were next. */
  done: string[]
  /** The box to go on with. */
  nextBox: string | null
  commits: ReportCommit[]
  /** All of them; `commits` keeps the last ones. */
  commitCount: number
  changed: ReportChange
  /** Trees of the first and the last look, between which the whole change lies. */
  trees: { first: TreeHash | null; last: TreeHash | null }
  /** The last result of each gate on the work, not of the baseline. */
  gates: ReportGate[]
  /** What of the rules the advice depends on. */
  terms: Terms
  /** What became of its feature after its end; absent: nothing. */
  since?: FeatureSince
  /** What each rung of the ladder showed of the last completion. */
  rungs: string[]
  refused: { iteration: number; why: string }[]
  refusedCount: number
  /** What else a person should know: an open breaker, limits, troubles. */
  remarks: string[]
  /** What agents asked, and what they found besides their work; the latest last. Absent: nothing. */
  asked?: { id: string; text: string }[]
  found?: string[]
  /** Where the agent left HEAD and git, if not where the run began, with the command that helps. */
  astray: string | null
  /** False: there is no git here, so nothing can be taken back. */
  inGit: boolean
  agents: ReportAgent[]
  /** Which model was chosen, and why, the latest last; absent: one for all. */
  models?: ReportModel[]
  spent: Spent
}

export interface ReportChange {
  files: number
  added: number
  removed: number
  /** `snapshots`: what lies between the first look and the last. `iterations`: nobody could ask git, and a file that two iterations
   *  changed counts twice. */
  from: 'snapshots' | 'iterations'
  /** Files that changed while no agent worked, counted by each look: a person's, and part of what lies between the snapshots. */
  between: number
}

export interface ReportCommit {
  sha: string
  subject: string
  iteration: number
  /** Filled in by whoever can ask git; null: nobody could. */
  stat: { files: number; added: number; removed: number } | null
}

interface ReportGate {
  gate: string
  command: string
  passed: boolean
  /** How it went, in words. */
  said: string
  /** The lines that tell why it is red. */
  failing: string[]
  tree: TreeHash
  durationMs: Millis
}

/** The choice in its own words, and how many iterations it was made for. */
interface ReportModel {
  why: string
  iterations: number
}

interface ReportAgent {
  agent: string
  iterations: number
  usd: number | null
  tokens: number
  /** Iterations whose cost is an estimate. */
  estimated: number
  /** Iterations whose cost nobody told. */
  unknown: number
}

/** A report under way. */
export interface ReportFold {
  report: Report
  /** What of the fold its readers do not need. */
  up: Awake
  quarantine: string[]
  /** Where the papers of a draft lie. */
  folder?: string
  workers: Record<WorkerId, WorkerFold>
  asked: Record<
    EffectId,
    /** `check`: what it shows is a reader's doing. */
    { is: 'look'; after: boolean; check?: true } | { is: 'agent'; agent: string; role: 'work' | 'opinion' }
  >
}

/** What the fold knows of one worker. */
interface WorkerFold {
  /** Of the iteration that it is at, or that it made last; 0: none yet. */
  iteration: number
  /** What that iteration worked on; absent: a plain loop. */
  task?: TaskId
  /** That iteration, as far as it is known. */
  current: Marked
  footing: Footing | null
}

const COMMITS_KEPT = 100
const REFUSED_KEPT = 10
const REMARKS_KEPT = 8
const TOLD_KEPT = 20
const MODELS_KEPT = 8
const DONE_KEPT = 50

/** Null until the row that begins a run. Events that a newer version added are passed over. */
export function foldReport(before: ReportFold | null, row: Row): ReportFold | null {
  const base = before ?? firstFold(row)
  if (base === null) return null
  const fold: ReportFold = {
    ...base,
    up: row.up,
    report: {
      ...base.report,
      at: row.at,
      durationMs: base.report.durationMs + Math.max(0, row.up - base.up),
    },
  }
  if (!wasIgnored(row)) takeEvent(fold, row)
  takeEffects(fold, row)
  takeDecisions(fold, row)
  return fold
}

function firstFold(row: Row): ReportFold | null {
  const { event } = row
  if (event.type !== 'run-started') return null
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
    boxes: { before: null, after: null, byRun: 0 },
    done: [],
    nextBox: null,
    commits: [],
    commitCount: 0,
    changed: { files: 0, added: 0, removed: 0, from: 'iterations', between: 0 },
    trees: { first: null, last: null },
    gates: [],
    terms: termsOf(event.rules, event.command),
    rungs: [],
    refused: [],
    refusedCount: 0,
    remarks: [],
    astray: null,
    inGit: true,
    agents: [],
    spent: NOTHING_SPENT,
    ...(event.draft === undefined ? {} : { papers: [] }),
  }
  return {
    report,
    up: row.up,
    ...(event.draft === undefined ? {} : { folder: event.draft.folder }),
    quarantine: event.rules.proof.quarantine,
    workers: {},
    asked: {},
  }
}

function takeEvent(fold: ReportFold, { event, decisions }: Row): void {
  const { report } = fold
  if (event.type === 'surveyed') takeSurvey(fold, event)
  if (event.type === 'agent-ended') takeReply(fold, event)
  if (event.type === 'committed' && event.sha !== null) takeCommit(fold, event.worker, event.sha)
  if (event.type === 'gate-ended' && event.evidence.purpose !== 'baseline') takeGate(fold, event.evidence)
  if (event.type === 'request-received' && event.request.do === 'resume') report.paused = false
  if (event.type === 'request-received' && event.request.do === 'set' && isSet(decisions))
    report.terms = termsSet(report.terms, event.request)
  if (event.type === 'paper-taken') takePaper(fold, event)
  if (event.type === 'effect-failed') remark(report, event.problem)
  if (event.type === 'run-continued') {
    report.outcome = null
    report.left = false
    report.paused = false
    remark(report, `it was ${LEFT[event.after]} and taken up again`)
  }
  if (event.type === 'run-ended' || event.type === 'run-left') {
    report.outcome = event.outcome
    report.left = event.type === 'run-left'
  }
  if (isAnswer(event)) {
    const { [event.effect]: _, ...open } = fold.asked
    fold.asked = open
  }
}

function workerIn({ workers }: ReportFold, id: WorkerId): WorkerFold {
  return workers[id] ?? { iteration: 0, current: NOT_ENDED, footing: null }
}

function patchWorker(fold: ReportFold, id: WorkerId, change: Partial<WorkerFold>): void {
  fold.workers = { ...fold.workers, [id]: { ...workerIn(fold, id), ...change } }
}

function takeCommit(fold: ReportFold, id: WorkerId, sha: string): void {
  const { task, iteration, footing } = workerIn(fold, id)
  const on = task === undefined ? '' : ` on ${task}`
  addCommits(fold, id, [{ sha, subject: `iteration ${iteration}${on}, committed by Ralph` }])
  takeFooting(fold, id, footingAtCommit(footing, sha))
}

function takeFooting(fold: ReportFold, id: WorkerId, footing: Footing | null): void {
  patchWorker(fold, id, { footing })
  fold.report.inGit = standsInGit(footing)
  const lines = Object.values(fold.workers).map((one) => astrayLine(one.footing))
  fold.report.astray = lines.find((line) => line !== null) ?? null
}

function takePaper(fold: ReportFold, event: EventOf<'paper-taken'>): void {
  const { worker, paper, first, there, problems } = event
  const { report, folder } = fold
  if (!there || problems.length > 0 || folder === undefined) return
  report.papers = [...(report.papers ?? []), paperIn(folder, paper)]
  if (first === undefined) markCurrent(fold, worker, { paper })
}

const LEFT: Record<EventOf<'run-continued'>['after'], string> = {
  crash: 'cut off',
  pause: 'paused',
  outage: 'left in an outage',
}

function takeSurvey(fold: ReportFold, event: EventOf<'surveyed'>): void {
  const { report } = fold
  const { snapshot, boxes, nextBox, change } = event
  // Only a look after an iteration belongs to the run; the others show what people did meanwhile.
  const asked = fold.asked[event.effect]
  const after = asked?.is === 'look' && asked.after
  const before = report.boxes.after?.done ?? boxes?.done ?? 0
  const ticked = (boxes?.done ?? before) - before
  report.trees = { first: report.trees.first ?? snapshot.tree, last: snapshot.tree }
  if (after) report.done = doneAfter(report, event, ticked)
  report.boxes = {
    before: report.boxes.before ?? boxes,
    after: boxes,
    byRun: report.boxes.byRun + (after ? ticked : 0),
  }
  report.nextBox = nextBox
  const { footing } = workerIn(fold, event.worker)
  takeFooting(fold, event.worker, footingAfter(footing, snapshot, after ? 'agent' : 'person'))
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

/** By their texts; where those are not known, by which box was next. */
function doneAfter(
  { done, nextBox }: Report,
  { ticks, nextBox: next }: EventOf<'surveyed'>,
  ticked: number,
): string[] {
  if (ticks !== undefined)
    return [...done.filter((text) => !ticks.undone.includes(text)), ...ticks.done].slice(-DONE_KEPT)
  return ticked > 0 && nextBox !== null && nextBox !== next ? [...done, nextBox].slice(-DONE_KEPT) : done
}

/** What is learnt of an iteration bit by bit changes its mark, and so the count of each. */
function markCurrent(fold: ReportFold, id: WorkerId, learnt: Partial<Marked>): void {
  const { current: before } = workerIn(fold, id)
  const after = { ...before, ...learnt }
  patchWorker(fold, id, { current: after })
  const counts = { ...fold.report.iterations }
  const [was, is] = [markOf(before).is, markOf(after).is]
  if (was !== 'going') counts[was] -= 1
  if (is !== 'going') counts[is] += 1
  fold.report.iterations = counts
}

const NOT_ENDED: Marked = {
  outcome: null,
  end: null,
  change: null,
  ticked: false,
  rejection: null,
  limit: null,
}

function takeReply(fold: ReportFold, { worker, effect, reply }: EventOf<'agent-ended'>): void {
  const { report } = fold
  const asked = fold.asked[effect]
  const name = asked?.is === 'agent' ? asked.agent : 'unknown'
  // An opinion costs as an iteration does, and is none.
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
  takeTold(report, reply)
  const { usage } = reply
  report.spent = addSpent(report.spent, usage)
  const before = report.agents.find((one) => one.agent === name) ?? {
    agent: name,
    iterations: 0,
    usd: null,
    tokens: 0,
    estimated: 0,
    unknown: 0,
  }
  const after: ReportAgent = {
    agent: name,
    iterations: before.iterations + (works ? 1 : 0),
    usd: usage?.usd === undefined ? before.usd : (before.usd ?? 0) + usage.usd,
    tokens: before.tokens + (usage === null ? 0 : tokensOf(usage)),
    estimated: before.estimated + (usage?.estimated === true ? 1 : 0),
    unknown: before.unknown + (usage?.usd === undefined ? 1 : 0),
  }
  report.agents = [...report.agents.filter((one) => one.agent !== name), after]
}

/** Each once, however often it was said. */
function takeTold(report: Report, { told }: Reply): void {
  const { asks = [], findings = [] } = told ?? {}
  if (asks.length > 0) {
    const before = (report.asked ?? []).filter(({ id }) => asks.every((one) => one.id !== id))
    report.asked = [...before, ...asks].slice(-TOLD_KEPT)
  }
  if (findings.length > 0)
    report.found = [...new Set([...(report.found ?? []), ...findings])].slice(-TOLD_KEPT)
}

function takeGate({ report, quarantine }: ReportFold, evidence: Evidence): void {
  const passed = counts(evidence, quarantine)
  const gate: ReportGate = {
    gate: evidence.gate,
    command: evidence.command,
    passed,
    said: passed ? 'passed' : describeFailure(evidence),
    failing: passed ? [] : failingLines(evidence),
    tree: evidence.tree,
    durationMs: evidence.durationMs,
  }
  report.gates = [...report.gates.filter((one) => one.gate !== gate.gate), gate]
}

function addCommits(fold: ReportFold, id: WorkerId, commits: { sha: string; subject: string }[]): void {
  const { report } = fold
  const { iteration } = workerIn(fold, id)
  const fresh = commits.filter(({ sha }) => !report.commits.some((known) => known.sha === sha))
  const added = fresh.map(({ sha, subject }) => ({ sha, subject, iteration, stat: null }))
  report.commits = [...report.commits, ...added].slice(-COMMITS_KEPT)
  report.commitCount += added.length
}

function lookFor({ for: why }: EffectOf<'survey'>): { is: 'look'; after: boolean; check?: true } {
  return { is: 'look', after: why === 'after', ...(why === 'check' ? { check: true } : {}) }
}

function takeEffects(fold: ReportFold, { effects }: Row): void {
  for (const effect of effects) {
    if (effect.type === 'survey') fold.asked = { ...fold.asked, [effect.id]: lookFor(effect) }
    if (effect.type === 'run-agent') {
      fold.asked = { ...fold.asked, [effect.id]: { is: 'agent', agent: effect.agent, role: effect.role } }
      if (effect.role !== 'work') continue
      beginIteration(fold, effect)
    }
  }
}

function beginIteration(fold: ReportFold, effect: EffectOf<'run-agent'>): void {
  const { worker, iteration, task } = effect
  // A call that was cut off before it began is asked for again under the same number.
  if (workerIn(fold, worker).iteration === iteration) return
  patchWorker(fold, worker, {
    iteration,
    current: NOT_ENDED,
    ...(task === undefined ? {} : { task: task.id }),
  })
  fold.report.iterations = { ...fold.report.iterations, made: fold.report.iterations.made + 1 }
}

/** What made a person's night: refusals with their reasons, and the loud ones of the other decisions. */
function takeDecisions(fold: ReportFold, { decisions }: Row): void {
  const { report } = fold
  for (const decision of decisions) {
    const { by, what, why, worker } = decision
    if (isIterationEnd(decision)) markCurrent(fold, decision.worker, { outcome: decision.outcome })
    if (by === 'proof' && what === 'check') report.rungs = []
    if (by === 'loop' && what === 'pause') report.paused = true
    if (by === 'proof' && what === 'rung') report.rungs = [...report.rungs, why]
    if (worker !== undefined && (by === 'proof' || by === 'draft') && what === 'refuse') {
      const { iteration } = workerIn(fold, worker)
      report.refused = [...report.refused, { iteration, why }].slice(-REFUSED_KEPT)
      report.refusedCount += 1
      markCurrent(fold, worker, { rejection: why })
    }
    if (by === 'model' && what !== 'keep') report.models = chosen(report.models ?? [], why)
    if ((by === 'draft' || by === 'proof') && (what === 'put-back' || what === 'stays')) remark(report, why)
    if ((by === 'breaker' && what === 'open') || (by === 'limit' && what === 'rest') || LOUD.has(what))
      remark(report, why)
  }
}

function chosen(models: ReportModel[], why: string): ReportModel[] {
  const before = models.find((one) => one.why === why)?.iterations ?? 0
  return [...models.filter((one) => one.why !== why), { why, iterations: before + 1 }].slice(-MODELS_KEPT)
}

const LOUD = new Set(['trouble', 'outage', 'switch', 'unfit', 'note', 'base'])

function remark(report: Report, text: string): void {
  if (!report.remarks.includes(text)) report.remarks = [...report.remarks, text].slice(-REMARKS_KEPT)
}

/** Not one that was refused. */
function isSet(decisions: Row['decisions']): boolean {
  return decisions.some(({ by, what }) => by === 'steer' && what === 'set')
}

/** What to do next: the last word of every report. */
export function adviceAfter(report: Report): Advice {
  const { outcome, left, run, terms, paused, served, undone, iterations, changed, inGit } = report
  if (undone !== undefined)
    return adviceUndone({ command: undone.command, ended: outcome !== null && !left }, terms.begin)
  if (outcome === null)
    return adviceMeanwhile(paused ? 'paused' : served === true ? 'served' : 'cut-off', terms.begin)
  if (report.since !== undefined) return adviceSince(report.since, run)
  const { moved, refused } = iterations
  return adviceFor({ outcome, run, terms, undoable: inGit && moved + refused + changed.files > 0 })
}
