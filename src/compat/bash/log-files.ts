/** `logs/ralph.log` and `logs/metrics.jsonl`: what a row of the record says there. */
import { decisionLevelOf } from '../../core/state/decision.ts'
import { isComplete } from '../../core/state/outcome.ts'
import type { Reply } from '../../core/agent-output/reply.ts'
import type { Row } from '../../core/state/row.ts'
import { oneLine } from '../../core/text/sanitize.ts'
import { describeWait } from '../../core/presentation/wait-text.ts'
import type { TimeFormat } from './state-files.ts'

type Level = 'INFO' | 'WARN' | 'ERROR' | 'SUCCESS' | 'LOOP'

/** `loop`: the iteration the row belongs to. */
export function logLines(row: Row, loop: number, times: TimeFormat): string[] {
  return said(row, loop, times).map(
    ([level, text]) => `[${times.local(row.at)}] [${level}] ${oneLine(text, 500)}`,
  )
}

/** One line per agent process, in whole seconds. */
export function metricsLine(row: Row, loop: number, times: TimeFormat): string | null {
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

function said(row: Row, loop: number, times: TimeFormat): [Level, string][] {
  const lines: [Level, string][] = []
  const { event } = row
  if (event.type === 'run-started')
    lines.push(['SUCCESS', `Ralph ${event.version} starting run ${event.run}: ${event.command}`])
  if (event.type === 'run-resumed') lines.push(['INFO', `Run ${row.run} goes on after a ${event.after}`])
  if (event.type === 'agent-ended') lines.push(replyLine(event.reply, loop))
  for (const decision of row.decisions)
    lines.push([decisionLevelOf(decision) === 'loud' ? 'WARN' : 'INFO', `${decision.by}: ${decision.why}`])
  for (const effect of row.effects) {
    if (effect.type === 'run-agent')
      lines.push(['LOOP', `=== Starting Loop #${effect.iteration} === (${effect.agent})`])
    if (effect.type === 'wait')
      lines.push(['WARN', describeWait(effect, { now: row.at, local: (at) => times.local(at) })])
  }
  if (event.type === 'run-suspended')
    lines.push(['WARN', `Run ${row.run} is left unfinished: ${event.outcome.reason}`])
  if (event.type === 'run-ended') {
    const { is, reason, verdict } = event.outcome
    lines.push([isComplete(is) ? 'SUCCESS' : 'WARN', `Run ${row.run} ended: ${is} (${verdict}): ${reason}`])
  }
  return lines
}

function replyLine(reply: Reply, loop: number): [Level, string] {
  if (reply.end === 'success')
    return ['SUCCESS', `Loop #${loop}: ${reply.signals.summary || 'the agent ended'}`]
  return ['ERROR', `Loop #${loop}: ${reply.end}${reply.failure === null ? '' : `: ${reply.failure.message}`}`]
}
