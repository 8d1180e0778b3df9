/**
 * What a row says to a person, in a few words: the one narrator. The dashboard, plain lines, log files and notices take its words and its
 * weight, and only choose how they look.
 */
import { cost } from '../calls/spent.ts'
import { never } from '../machine.ts'
import { PURPOSES, purposeWords, type Trial } from '../proof/trial.ts'
import { describeFailure, passed } from '../proof/verdict.ts'
import { weightOf, type Decision } from '../state/decision.ts'
import type { Event, EventOf, Request } from '../state/event.ts'
import type { Row } from '../state/row.ts'
import { count, span } from '../text/amounts.ts'
import { oneLine } from '../text/text.ts'
import { toneOf } from './outcome-words.ts'

export type Tone = 'dim' | 'bold' | 'good' | 'bad' | 'warn' | 'head'

export interface Narrated {
  text: string
  /** Absent: as any other line. */
  tone?: Tone
}

/** What happened and what began with it. Nothing for the steps that only Ralph itself cares about. */
export function narrate(row: Row): Narrated[] {
  const begun = row.effects.flatMap((effect): Narrated[] => {
    if (effect.type === 'run-agent') {
      const what =
        effect.role === 'opinion'
          ? `${effect.agent} is asked for its opinion`
          : `iteration ${effect.iteration} begins with ${effect.agent}`
      return [{ text: what, tone: 'bold' }]
    }
    if (effect.type === 'try-room') return [{ text: `trial: ${PURPOSES[effect.purpose]}` }]
    if (effect.type === 'run-gate')
      return [{ text: `gate ${effect.gate.name} (${effect.purpose}): ${effect.gate.run}` }]
    return []
  })
  const told = tell(row.event)
  return [...(told === null ? [] : [told]), ...questionsIn(row.event), ...begun]
}

/** What the agent wanted to ask a person; nobody was there. */
function questionsIn(event: Event): Narrated[] {
  const asks = event.type === 'agent-ended' ? event.reply.told.asks : []
  return asks.map(({ id, text }) => ({ text: `the agent asks (${id}): ${oneLine(text, 300)}`, tone: 'warn' }))
}

/** Why it was decided so; `loud`: a person should see it. Null: the line of the iteration or the result says it already. */
export function sayDecision(decision: Decision): { text: string; loud: boolean } | null {
  const weight = weightOf(decision)
  return weight === 'told' ? null : { text: `${decision.by}: ${decision.why}`, loud: weight === 'loud' }
}

function tell(event: Event): Narrated | null {
  switch (event.type) {
    case 'run-started':
      return { text: `the run began (process ${event.pid})` }
    case 'run-continued':
      return { text: `taken up after a ${event.after} (process ${event.pid})`, tone: 'warn' }
    case 'surveyed':
      return event.snapshot.busy === null
        ? null
        : { text: `git is busy: ${event.snapshot.busy}`, tone: 'warn' }
    case 'held-back':
      return { text: `held back: ${event.why}`, tone: 'warn' }
    case 'agent-began':
      return { text: `the agent runs (process ${event.pid})` }
    case 'conversation-known':
      return {
        text: `conversation ${event.conversation}${event.model === null ? '' : ` with ${event.model}`}`,
      }
    case 'agent-denied':
      return { text: `denied: ${event.denial.tool} ${event.denial.command ?? ''}`.trimEnd(), tone: 'warn' }
    case 'spend-crossed':
      return {
        text: `${event.tenth * 10} % of what is left is spent`,
        tone: event.tenth >= 8 ? 'warn' : 'dim',
      }
    case 'agent-ended': {
      const { reply } = event
      const how = reply.end === 'success' ? 'ended' : `ended: ${reply.failure?.message ?? reply.end}`
      return {
        text: `the agent ${how} after ${span(reply.durationMs)} · ${cost(reply.usage)}`,
        tone: reply.end === 'success' ? 'dim' : 'bad',
      }
    }
    case 'gate-ended': {
      const { evidence } = event
      if (passed(evidence))
        return { text: `gate ${evidence.gate} passed in ${span(evidence.durationMs)}`, tone: 'good' }
      return { text: describeFailure(evidence), tone: 'bad' }
    }
    case 'base-taken':
      return event.news.warnings.length === 0 ? null : { text: event.news.warnings.join('; '), tone: 'warn' }
    case 'changes-sorted': {
      const { work, judge, unclear } = event.sorting
      return {
        text: `${count(work, 'file')} of the work changed, ${count(judge + unclear.length, 'file')} of the judge`,
      }
    }
    case 'room-tried':
      return tried(event.trial)
    case 'looked-again':
      return event.changed.length === 0
        ? null
        : { text: `changed while it was tried: ${event.changed.slice(0, 5).join(', ')}`, tone: 'bad' }
    case 'committed':
      if (event.problem !== null) return { text: `could not commit: ${event.problem}`, tone: 'bad' }
      return event.sha === null
        ? null
        : { text: `committed ${count(event.files, 'file')} as ${event.sha.slice(0, 10)}` }
    case 'knowledge-kept':
      return keptWords(event)
    case 'run-ended':
      return {
        text: `the run ended: ${event.outcome.reason}`,
        tone: toneOf(event.outcome),
      }
    case 'run-left':
      return { text: `the run was left unfinished: ${event.outcome.reason}`, tone: 'warn' }
    case 'effect-failed':
      return { text: event.problem, tone: 'bad' }
    case 'effect-lost':
      return { text: 'nobody knows what became of a step that was cut off', tone: 'warn' }
    case 'request-received':
      return { text: `${event.request.from}: ${asked(event.request)}`, tone: 'head' }
    case 'clock-jumped':
      return {
        text: `the clock jumped by ${span(Math.abs(event.by))}${event.by < 0 ? ' backwards' : ''}`,
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
    case 'put-back':
    case 'paper-taken':
    case 'task-settled':
    case 'admitted':
    case 'wait-over':
    case 'aborted':
      return null
    default:
      return never(event)
  }
}

/** Files of the project that somebody may want to read, and to commit. */
export function keptWords({ kept, refused }: EventOf<'knowledge-kept'>): Narrated {
  const said = [
    ...(kept.length === 0 ? [] : [`written down: ${kept.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`not written down: ${refused.join('; ')}`]),
  ]
  return { text: said.join('; '), ...(refused.length === 0 ? {} : { tone: 'warn' }) }
}

function tried(trial: Trial): Narrated | null {
  if (trial.is === 'room-failed') return { text: `the clean room failed: ${trial.why}`, tone: 'bad' }
  const last = trial.results.at(-1)
  if (last === undefined) return { text: `the clean room is ready after ${span(trial.durationMs)}` }
  const red = trial.results.find((one) => !passed(one))
  const what = red === undefined ? 'every gate passed' : describeFailure(red)
  return { text: `${purposeWords(last.purpose)}: ${what} (${span(trial.durationMs)})` }
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
