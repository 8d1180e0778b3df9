/**
 * What a row says to a person, in a few words: the one narrator. The dashboard, plain lines, log files and notices take its words and its
 * weight, and only choose how they look.
 */
import { formatCost } from '../calls/spending.ts'
import { never } from '../assert-never.ts'
import { PURPOSE_TITLES, describePurpose, type Trial } from '../proof/trial.ts'
import { describeFailure, passed } from '../proof/verdict.ts'
import { decisionLevelOf, type Decision } from '../state/decision.ts'
import type { Event, EventOf, Request } from '../state/event.ts'
import type { Row } from '../state/row.ts'
import { count, formatSpan } from '../text/format-amounts.ts'
import { oneLine } from '../text/sanitize.ts'
import { outcomeTone } from './outcome-text.ts'

export type TextTone = 'dim' | 'bold' | 'good' | 'bad' | 'warn' | 'head'

export interface NarratedLine {
  text: string
  /** Absent: as any other line. */
  tone?: TextTone
}

/** What happened and what began with it. Nothing for the steps that only Ralph itself cares about. */
export function narrate(row: Row): NarratedLine[] {
  const begun = row.effects.flatMap((effect): NarratedLine[] => {
    if (effect.type === 'run-agent') {
      const what =
        effect.role === 'review'
          ? `${effect.agent} is asked for its opinion`
          : `iteration ${effect.iteration} begins with ${effect.agent}`
      return [{ text: what, tone: 'bold' }]
    }
    if (effect.type === 'run-trial') return [{ text: `trial: ${PURPOSE_TITLES[effect.purpose]}` }]
    if (effect.type === 'run-gate')
      return [{ text: `gate ${effect.gate.name} (${effect.purpose}): ${effect.gate.run}` }]
    return []
  })
  const told = tell(row.event)
  return [...(told === null ? [] : [told]), ...questionsIn(row.event), ...begun]
}

/** What the agent wanted to ask a person; nobody was there. */
function questionsIn(event: Event): NarratedLine[] {
  const asks = event.type === 'agent-ended' ? event.reply.told.asks : []
  return asks.map(({ id, text }) => ({ text: `the agent asks (${id}): ${oneLine(text, 300)}`, tone: 'warn' }))
}

/** Why it was decided so; `loud`: a person should see it. Null: the line of the iteration or the result says it already. */
export function describeDecision(decision: Decision): { text: string; loud: boolean } | null {
  const weight = decisionLevelOf(decision)
  return weight === 'told' ? null : { text: `${decision.by}: ${decision.why}`, loud: weight === 'loud' }
}

function tell(event: Event): NarratedLine | null {
  switch (event.type) {
    case 'run-started':
      return { text: `the run began (process ${event.pid})` }
    case 'run-resumed':
      return { text: `taken up after a ${event.after} (process ${event.pid})`, tone: 'warn' }
    case 'snapshot-taken':
      return event.snapshot.busy === null
        ? null
        : { text: `git is busy: ${event.snapshot.busy}`, tone: 'warn' }
    case 'call-deferred':
      return { text: `held back: ${event.why}`, tone: 'warn' }
    case 'agent-started':
      return { text: `the agent runs (process ${event.pid})` }
    case 'conversation-known':
      return {
        text: `conversation ${event.conversation}${event.model === null ? '' : ` with ${event.model}`}`,
      }
    case 'agent-denied':
      return { text: `denied: ${event.denial.tool} ${event.denial.command ?? ''}`.trimEnd(), tone: 'warn' }
    case 'spend-threshold-crossed':
      return {
        text: `${event.tenth * 10} % of what is left is spent`,
        tone: event.tenth >= 8 ? 'warn' : 'dim',
      }
    case 'agent-ended': {
      const { reply } = event
      const how = reply.end === 'success' ? 'ended' : `ended: ${reply.failure?.message ?? reply.end}`
      return {
        text: `the agent ${how} after ${formatSpan(reply.durationMs)} · ${formatCost(reply.usage)}`,
        tone: reply.end === 'success' ? 'dim' : 'bad',
      }
    }
    case 'gate-ended': {
      const { evidence } = event
      if (passed(evidence))
        return { text: `gate ${evidence.gate} passed in ${formatSpan(evidence.durationMs)}`, tone: 'good' }
      return { text: describeFailure(evidence), tone: 'bad' }
    }
    case 'base-resolved':
      return event.news.warnings.length === 0 ? null : { text: event.news.warnings.join('; '), tone: 'warn' }
    case 'changes-classified': {
      const { work, judge, unclear } = event.classification
      return {
        text: `${count(work, 'file')} of the work changed, ${count(judge + unclear.length, 'file')} of the judge`,
      }
    }
    case 'trial-ended':
      return tried(event.trial)
    case 'final-tree-checked':
      return event.changed.length === 0
        ? null
        : { text: `changed while it was tried: ${event.changed.slice(0, 5).join(', ')}`, tone: 'bad' }
    case 'committed':
      if (event.problem !== null) return { text: `could not commit: ${event.problem}`, tone: 'bad' }
      return event.sha === null
        ? null
        : { text: `committed ${count(event.files, 'file')} as ${event.sha.slice(0, 10)}` }
    case 'knowledge-saved':
      return describeSavedKnowledge(event)
    case 'run-ended':
      return {
        text: `the run ended: ${event.outcome.reason}`,
        tone: outcomeTone(event.outcome),
      }
    case 'run-suspended':
      return { text: `the run was left unfinished: ${event.outcome.reason}`, tone: 'warn' }
    case 'effect-failed':
      return { text: event.problem, tone: 'bad' }
    case 'effect-lost':
      return { text: 'nobody knows what became of a step that was cut off', tone: 'warn' }
    case 'request-received':
      return { text: `${event.request.from}: ${asked(event.request)}`, tone: 'head' }
    case 'clock-jumped':
      return {
        text: `the clock jumped by ${formatSpan(Math.abs(event.by))}${event.by < 0 ? ' backwards' : ''}`,
        tone: 'warn',
      }
    case 'remark':
      return { text: `${event.about}: ${event.text}` }
    case 'task-claimed':
      return { text: `task ${event.task.id}: ${event.task.title}`, tone: 'head' }
    case 'claim-lost':
      return { text: `task ${event.task} was taken away`, tone: 'warn' }
    // What follows from these is told as decisions.
    case 'nothing-ready':
    case 'revert':
    case 'document-checked':
    case 'task-finished':
    case 'admitted':
    case 'wait-ended':
    case 'aborted':
      return null
    default:
      return never(event)
  }
}

/** Files of the project that somebody may want to read, and to commit. */
export function describeSavedKnowledge({ kept, refused }: EventOf<'knowledge-saved'>): NarratedLine {
  const said = [
    ...(kept.length === 0 ? [] : [`written down: ${kept.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`not written down: ${refused.join('; ')}`]),
  ]
  return { text: said.join('; '), ...(refused.length === 0 ? {} : { tone: 'warn' }) }
}

function tried(trial: Trial): NarratedLine | null {
  if (trial.is === 'room-failed') return { text: `the clean room failed: ${trial.why}`, tone: 'bad' }
  const last = trial.results.at(-1)
  if (last === undefined) return { text: `the clean room is ready after ${formatSpan(trial.durationMs)}` }
  const red = trial.results.find((one) => !passed(one))
  const what = red === undefined ? 'every gate passed' : describeFailure(red)
  return { text: `${describePurpose(last.purpose)}: ${what} (${formatSpan(trial.durationMs)})` }
}

function asked(request: Request): string {
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
      return never(request)
  }
}
