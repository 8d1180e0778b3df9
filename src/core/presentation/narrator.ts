/**
 * The only narrator: it turns each row into lines. The plain output, the dashboard, replay, logs, annotations, notifications and bash
 * Ralph's log use its lines; they only select by level and kind, and choose how a line looks. A decision has a line; an event or an effect
 * has one only if no decision says the same.
 */
import { assertNever } from '../assert-never.ts'
import type { Evidence } from '../proof/evidence.ts'
import { gateFailureLines } from '../proof/gate-failure-lines.ts'
import { describePurpose } from '../proof/trial.ts'
import { decisionLevelOf, isIterationEnd, type Decision } from '../state/decision.ts'
import type { Effect, EffectOf } from '../state/effect.ts'
import type { Event, EventOf, PersonRequest } from '../state/event.ts'
import type { Outcome } from '../state/outcome.ts'
import { wasIgnored, type Row } from '../state/row.ts'
import type { WorkerId } from '../ids.ts'
import { plural, formatSpan } from '../text/format-amounts.ts'
import { oneLine } from '../text/sanitize.ts'
import type { Orphans } from '../tree/orphan.ts'
import { gateResultMark, gateResultText, PROOF_STEP_MARKS, proofStepParts } from './gate-result.ts'
import { MARK_TONES, iterationMarkOf } from './iteration-mark.ts'
import { iterationName, iterationTextParts, orphansText, type TextPart, type TextTone } from './iteration-text.ts'
import { outcomeHeading, outcomeReason, outcomeTone } from './outcome-text.ts'
import { decisionReason, type IterationView, type RunView } from './run-view.ts'
import { describeWait, type ReaderClock, type WaitInfo } from './wait-text.ts'

export interface NarratedLine {
  /** The first word of the line in a pipe; stable for scripts. */
  is: 'iteration' | 'gate' | 'proof' | 'wait' | 'run' | 'decision' | 'question' | 'finding' | 'detail'
  /** `normal`: on every screen; `verbose`: on request; `trace`: only where everything is shown. */
  level: 'normal' | 'verbose' | 'trace'
  /** Absent: the line is about the whole run. */
  worker?: WorkerId
  mark?: { glyph: string; tone: TextTone }
  /** Printed before the text: the rule that decided, a person, a verdict. */
  who?: string
  text: string
  tone?: TextTone
  /** The same text in parts with different tones. */
  parts?: TextPart[]
  /** Lines that belong to it, such as the failing lines of a gate. */
  below?: string[]
  fact?: LineFact
}

/** The fact behind a line, for consumers that need more than its text. */
export type LineFact =
  | { is: 'iteration'; iteration: IterationView }
  | { is: 'decision'; decision: Decision }
  | { is: 'gate'; evidence: Evidence }
  | { is: 'wait'; wait: EffectOf<'wait'> }
  | { is: 'question'; id: string; text: string }
  | { is: 'ended' | 'left'; outcome: Outcome }

/** `view`: the run folded up to this row; `local`: writes an instant in the reader's zone. */
export function narrate(row: Row, view: RunView, local: ReaderClock['local']): NarratedLine[] {
  const reader = { now: row.at, local }
  const ended = endedIterations(row, view)
  return [
    ...ended.map((one) => iterationLine(one, view)),
    ...(wasIgnored(row) ? [] : eventLines(row.event, view, reader)),
    ...row.effects.flatMap((effect) => effectLines(effect, reader)),
    ...row.decisions.map((decision) => decisionLine(decision, ended)),
  ]
}

/** Without its mark. */
export function lineText({ who, text }: NarratedLine): string {
  return who === undefined ? text : `${who}: ${text}`
}

/** An iteration is reported once, in the row that ends it. If a draft's iteration ended well, the decision about its document reports it. */
function endedIterations({ decisions }: Row, { iterations }: RunView): IterationView[] {
  const ended = decisions
    .filter(isIterationEnd)
    .filter(({ by, outcome }) => by === 'iteration' || outcome !== 'progress')
  return ended.flatMap(({ worker, n }) => iterations.findLast((one) => one.worker === worker && one.n === n) ?? [])
}

function iterationLine(iteration: IterationView, { workers }: RunView): NarratedLine {
  const parts = iterationTextParts(iteration, iterationName(iteration, Object.keys(workers).length < 2))
  const { is, glyph } = iterationMarkOf(iteration)
  return {
    is: 'iteration',
    level: 'normal',
    worker: iteration.worker,
    mark: { glyph, tone: MARK_TONES[is] },
    ...inParts(parts),
    fact: { is: 'iteration', iteration },
  }
}

function eventLines(event: Event, view: RunView, reader: ReaderClock): NarratedLine[] {
  switch (event.type) {
    case 'run-started':
      return [{ is: 'run', level: 'trace', text: `run started (process ${event.pid})` }]
    case 'run-resumed':
      return [{ is: 'run', level: 'normal', text: 'run resumed', tone: 'head' }, ...stillWaiting(view, reader)]
    case 'admitted':
      return [detail(event.worker, `call ${event.callsThisHour} this hour`)]
    case 'agent-started':
      return [detail(event.worker, `process ${event.pid}, log: ${event.log}`)]
    case 'conversation-known': {
      const model = event.model === null ? '' : `, model ${event.model}`
      return [detail(event.worker, `session ${event.conversation}${model}`)]
    }
    case 'agent-denied':
      return [detail(event.worker, `denied: ${event.denial.tool} ${event.denial.command ?? ''}`.trimEnd(), 'warn')]
    case 'spend-threshold-crossed': {
      const text = `${event.tenth * 10}% of the remaining budget spent`
      const tone = event.tenth >= 8 ? 'warn' : 'dim'
      return [{ is: 'detail', level: 'trace', worker: event.worker, text, tone }]
    }
    case 'agent-ended':
      return agentMessages(event)
    case 'gate-ended':
      return [...gateLines(event), detail(event.worker, `output: ${event.evidence.log}`)]
    case 'changes-classified': {
      const { work, protectedFiles, unclear } = event.classification
      const text = `${plural(work, 'source file')} changed, ${plural(protectedFiles + unclear.length, 'test or config file')}`
      return [{ is: 'detail', level: 'trace', worker: event.worker, text }]
    }
    case 'trial-ended':
      return [...orphanLines(event, 'proof'), ...trialLines(event)]
    case 'committed':
      if (event.sha === null) return []
      return [detail(event.worker, `commit ${event.sha.slice(0, 10)}, ${plural(event.files, 'file')}`)]
    case 'knowledge-saved':
      return [savedKnowledge(event)]
    case 'run-ended':
      return [outcomeLine('ended', event.outcome)]
    case 'run-suspended':
      return [outcomeLine('left', event.outcome)]
    case 'request-received':
      return [{ is: 'run', level: 'trace', who: event.request.from, text: requestText(event.request), tone: 'head' }]
    case 'clock-jumped': {
      const back = event.by < 0 ? ' backwards' : ''
      return [detail(undefined, `the clock jumped by ${formatSpan(Math.abs(event.by))}${back}`, 'warn')]
    }
    case 'remark':
      return [detail(undefined, `${event.about}: ${event.text}`)]
    // Decisions report what follows from these.
    case 'snapshot-taken':
    case 'call-deferred':
    case 'base-resolved':
    case 'final-tree-checked':
    case 'effect-failed':
    case 'effect-lost':
    case 'task-claimed':
    case 'claim-lost':
    case 'nothing-ready':
    case 'reverted':
    case 'document-checked':
    case 'import-checked':
    case 'task-finished':
    case 'wait-ended':
    case 'aborted':
      return []
    default:
      return assertNever(event)
  }
}

function effectLines(effect: Effect, reader: ReaderClock): NarratedLine[] {
  const { worker } = effect
  if (effect.type === 'run-agent') {
    const { agent, iteration, role, resume, context } = effect
    const begins = resume === null ? 'starts a new session' : 'resumes its session'
    const what = role === 'review' ? 'reviews the work' : begins
    return [
      detail(worker, `iteration ${iteration}: ${agent} ${what}`, 'bold'),
      ...context.corrections.map((text) => detail(worker, `added to the prompt: ${oneLine(text, 160)}`)),
    ]
  }
  if (effect.type === 'run-gate') {
    return [detail(worker, `running ${effect.gate.name}: ${effect.gate.run}`)]
  }
  if (effect.type !== 'wait') return []
  // A back-off of seconds is too short to report.
  const level = effect.forMs === null || effect.outage !== undefined ? 'normal' : 'trace'
  return [{ ...waitLine(effect, worker, reader), level, fact: { is: 'wait', wait: effect } }]
}

/** A resumed run does not request its waits again, but a new screen has not shown them yet. */
function stillWaiting({ workers }: RunView, reader: ReaderClock): NarratedLine[] {
  return Object.values(workers).flatMap(({ id, activity }) =>
    activity.is === 'waiting' ? [waitLine(activity, id, reader)] : [],
  )
}

function waitLine(wait: WaitInfo, worker: WorkerId, reader: ReaderClock): NarratedLine {
  return { is: 'wait', level: 'normal', worker, text: describeWait(wait, reader), tone: 'warn' }
}

const MESSAGE_MAX = 300

/** The agent's questions and findings for a person: it does not wait for an answer, and a finding belongs to no task. */
function agentMessages({ worker, reply }: EventOf<'agent-ended'>): NarratedLine[] {
  const { asks, findings } = reply.told
  return [
    ...asks.map(({ id, text }): NarratedLine => {
      const words = `the agent asks: ${oneLine(text, MESSAGE_MAX)} · answer: ralph answer ${id} "…"`
      const fact = { is: 'question', id, text } as const
      return { is: 'question', level: 'normal', worker, text: words, tone: 'warn', fact }
    }),
    ...findings.map((text): NarratedLine => {
      const words = `the agent found: ${oneLine(text, MESSAGE_MAX)}`
      return { is: 'finding', level: 'normal', worker, text: words }
    }),
  ]
}

function gateLines(event: EventOf<'gate-ended'>): NarratedLine[] {
  const { worker, evidence } = event
  const parts: TextPart[] = [
    { text: gateResultText(evidence) },
    { text: ` · ${formatSpan(evidence.durationMs)}`, tone: 'dim' },
  ]
  const line: NarratedLine = {
    is: 'gate',
    level: 'normal',
    worker,
    mark: gateResultMark(evidence),
    ...inParts(parts),
    // The failing lines of the baseline are not the run's.
    below: evidence.purpose === 'baseline' ? [] : gateFailureLines(evidence),
    fact: { is: 'gate', evidence },
  }
  return [line, ...orphanLines(event, 'gate')]
}

function orphanLines(
  { worker, orphans }: { worker: WorkerId; orphans?: Orphans },
  is: 'gate' | 'proof',
): NarratedLine[] {
  if (orphans === undefined) return []
  return [{ is, level: 'normal', worker, text: orphansText(orphans), tone: 'warn' }]
}

function trialLines({ worker, trial }: EventOf<'trial-ended'>): NarratedLine[] {
  const results = trial.is === 'ran' ? trial.results : []
  return results.map((one) =>
    detail(worker, `${describePurpose(one.purpose)}: ${gateResultText(one)}, output: ${one.log}`),
  )
}

/** These are files of the project, so a person may want to read and commit them. */
function savedKnowledge({ worker, kept, refused }: EventOf<'knowledge-saved'>): NarratedLine {
  const said = [
    ...(kept.length === 0 ? [] : [`saved: ${kept.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`not saved: ${refused.join('; ')}`]),
  ]
  const tone = refused.length === 0 ? 'dim' : 'warn'
  return { is: 'detail', level: 'normal', worker, text: said.join('; '), tone }
}

/** The plain output prints the result as a block instead. */
function outcomeLine(is: 'ended' | 'left', outcome: Outcome): NarratedLine {
  const isLeft = is === 'left'
  return {
    is: 'run',
    level: 'trace',
    who: isLeft ? 'Interrupted' : outcomeHeading(outcome),
    text: isLeft ? `${outcome.reason}; the same command resumes it` : outcomeReason(outcome),
    tone: isLeft ? 'warn' : outcomeTone(outcome),
    fact: { is, outcome },
  }
}

/** `ended`: iterations that end in the same row; their lines already show their reasons. */
function decisionLine(decision: Decision, ended: IterationView[]): NarratedLine {
  const { by, what, why, worker } = decision
  const line: NarratedLine = {
    is: what === 'proof-step' ? 'proof' : 'decision',
    level: decisionLevelOf(decision) === 'told' ? 'verbose' : 'normal',
    who: by,
    text: why,
    tone: decisionTone(decision),
    ...(worker === undefined ? {} : { worker }),
    fact: { is: 'decision', decision },
  }
  const { who: _, tone: __, ...plain } = line
  const isRepeated = what !== 'pause' && ended.some((one) => one.why === decisionReason(decision))
  if (isRepeated && line.level === 'normal') return { ...line, level: 'trace' }
  if ('step' in decision && decision.step !== undefined)
    return { ...plain, mark: PROOF_STEP_MARKS[decision.step.mark], ...inParts(proofStepParts(decision.step)) }
  if (by === 'proof' && what === 'refuse')
    return { ...plain, text: `completion rejected: ${why}`, mark: { glyph: '✗', tone: 'bad' } }
  if (by === 'loop' && what === 'pause') return { ...line, text: `${why}; resume: ralph resume` }
  if (what !== 'clean-room-unusable') return line
  const [text = '', ...below] = why.split('\n')
  return { ...line, text, below }
}

/** `warn`: a person should see it. */
export function decisionTone(decision: Pick<Decision, 'by' | 'what'>): 'warn' | 'dim' {
  return decisionLevelOf(decision) === 'loud' ? 'warn' : 'dim'
}

function inParts(parts: TextPart[]): Pick<NarratedLine, 'text' | 'parts'> {
  return { text: parts.map(({ text }) => text).join(''), parts }
}

function detail(worker: WorkerId | undefined, text: string, tone: TextTone = 'dim'): NarratedLine {
  return { is: 'detail', level: 'verbose', ...(worker === undefined ? {} : { worker }), text, tone }
}

function requestText(request: PersonRequest): string {
  switch (request.do) {
    case 'stop':
      return request.now ? 'stop now' : 'stop'
    case 'pause':
      return request.now === true ? 'pause now' : 'pause'
    case 'resume':
    case 'abandon':
      return request.do
    case 'skip':
      return request.to !== undefined && 'task' in request.to ? `skip ${request.to.task}` : 'skip'
    case 'steer':
      return `"${request.text}"`
    case 'set':
      return `${request.key}=${request.value}`
    default:
      return assertNever(request)
  }
}
