/** What an event says to a person, in a few words: one line of the pane of recent events. */
import type { Event, Request } from '../../domain/event.ts'
import { never } from '../../domain/machine.ts'
import { describeFailure, passed } from '../../domain/proof/verdict.ts'
import type { Row } from '../../domain/row.ts'
import { cost, count, span } from '../plain/format.ts'
import type { Tone } from './line.ts'

export interface Happened {
  text: string
  tone?: Tone
}

/** Nothing for the steps that only Ralph itself cares about. */
export function happened(row: Row): Happened[] {
  const begun = row.effects.flatMap((effect): Happened[] => {
    if (effect.type === 'run-agent') {
      const what =
        effect.role === 'opinion'
          ? `${effect.agent} is asked for its opinion`
          : `iteration ${effect.iteration} begins with ${effect.agent}`
      return [{ text: what, tone: 'bold' }]
    }
    if (effect.type === 'run-gate')
      return [{ text: `gate ${effect.gate.name} (${effect.purpose}): ${effect.gate.run}` }]
    return []
  })
  const told = tell(row.event)
  return told === null ? begun : [told, ...begun]
}

function tell(event: Event): Happened | null {
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
    case 'guard-taken':
      return event.warnings.length === 0 ? null : { text: event.warnings.join('; '), tone: 'warn' }
    case 'guard-checked':
      if (event.report.tampered.length > 0)
        return { text: event.report.tampered.map(({ why }) => why).join('; '), tone: 'bad' }
      return event.report.edited.length === 0
        ? null
        : { text: `tests were edited: ${event.report.edited.join(', ')}`, tone: 'warn' }
    case 'restored':
      return { text: `put back as they were: ${event.paths.join(', ')}`, tone: 'warn' }
    case 'committed':
      if (event.problem !== null) return { text: `could not commit: ${event.problem}`, tone: 'bad' }
      return event.sha === null
        ? null
        : { text: `committed ${count(event.files, 'file')} as ${event.sha.slice(0, 10)}` }
    case 'run-ended':
      return {
        text: `the run ended: ${event.outcome.reason}`,
        tone: event.outcome.exit === 0 ? 'good' : 'bad',
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
    case 'admitted':
    case 'wait-over':
    case 'aborted':
      return null
    default:
      return never(event)
  }
}

function asked(request: Request): string {
  switch (request.do) {
    case 'stop':
      return request.now ? 'stop now' : 'stop'
    case 'pause':
    case 'resume':
    case 'abandon':
      return request.do
    case 'steer':
      return `"${request.text}"`
    case 'set':
      return `${request.key}=${request.value}`
    default:
      return never(request)
  }
}
