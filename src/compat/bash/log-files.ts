/** `logs/ralph.log` and `logs/metrics.jsonl`: a row of the record in the bash tool's format. */
import { isCompleteOutcome } from '../../core/state/outcome.ts'
import type { Row } from '../../core/state/row.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { narrate, type NarratedLine } from '../../core/presentation/narrator.ts'
import type { IterationView, RunView } from '../../core/presentation/run-view.ts'
import type { TimeFormatter } from './state-files.ts'

type Level = 'INFO' | 'WARN' | 'ERROR' | 'SUCCESS' | 'LOOP'
type LogLine = [Level, string]

/** `view`: the run after the row. */
export function bashLogLines(row: Row, view: RunView, times: TimeFormatter): string[] {
  const lines = narrate(row, view, (at) => times.local(at))
  return [
    ...startLines(row),
    ...lines.flatMap(iterationLines),
    ...lines.flatMap(decisionLines),
    ...lines.flatMap(({ is, text }): LogLine[] => (is === 'wait' ? [['WARN', text]] : [])),
    ...row.effects.flatMap((effect): LogLine[] =>
      effect.type === 'run-agent' && effect.role === 'work'
        ? [['LOOP', `=== Starting Loop #${effect.iteration} === (${effect.agent})`]]
        : [],
    ),
    ...endLines(row),
  ].map(([level, text]) => `[${times.local(row.at)}] [${level}] ${oneLine(text, 500)}`)
}

/** One line per agent process, in whole seconds. */
export function metricsLine(row: Row, loop: number, times: TimeFormatter): string | null {
  if (row.event.type !== 'agent-ended') return null
  const { reply } = row.event
  return JSON.stringify({
    timestamp: times.utc(row.at),
    loop,
    duration: Math.round(reply.durationMs / 1000),
    success: reply.end === 'success',
    calls: 1,
  })
}

function startLines({ run, event }: Row): LogLine[] {
  if (event.type === 'run-started')
    return [['SUCCESS', `Ralph ${event.version} starting run ${event.run}: ${event.command}`]]
  return event.type === 'run-resumed' ? [['INFO', `Run ${run} goes on after a ${event.after}`]] : []
}

function iterationLines({ fact }: NarratedLine): LogLine[] {
  return fact?.is === 'iteration' ? [iterationLine(fact.iteration)] : []
}

function iterationLine({ n, end, failure, summary }: IterationView): LogLine {
  if (end === 'success') return ['SUCCESS', `Loop #${n}: ${summary || 'the agent ended'}`]
  return ['ERROR', `Loop #${n}: ${end ?? 'lost'}${failure === null ? '' : `: ${failure}`}`]
}

function decisionLines({ fact, tone }: NarratedLine): LogLine[] {
  if (fact?.is !== 'decision') return []
  return [[tone === 'warn' ? 'WARN' : 'INFO', `${fact.decision.by}: ${fact.decision.why}`]]
}

function endLines({ run, event }: Row): LogLine[] {
  if (event.type === 'run-suspended') return [['WARN', `Run ${run} is left unfinished: ${event.outcome.reason}`]]
  if (event.type !== 'run-ended') return []
  const { is, reason, verdict } = event.outcome
  return [[isCompleteOutcome(is) ? 'SUCCESS' : 'WARN', `Run ${run} ended: ${is} (${verdict}): ${reason}`]]
}
