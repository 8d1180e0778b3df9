/** Log items as lines: each begins with its source, so that a pipe can filter. */
import type { LogItem } from '../../../app/run/logs.ts'
import type { AgentEvent } from '../../../core/calls/agent-io.ts'
import { assertNever } from '../../../core/assert-never.ts'
import { oneLine, stripControl } from '../../../core/text/sanitize.ts'
import { countBudgetTokens } from '../../../core/admission/budget.ts'
import { formatDollars, formatCompact } from '../format-values.ts'
import { textLinesFor } from '../row-lines.ts'
import type { Paint } from '../colours.ts'

/** Turns items into lines. Joins text that arrives in pieces; `end` returns the rest. */
export interface LogLineBuilder {
  take(item: LogItem): string[]
  end(): string[]
}

const PIECES_MAX = 10_000

export function createLogLineBuilder(p: Paint): LogLineBuilder {
  let open: { item: Extract<LogItem, { from: 'agent' }>; text: string } | null = null

  function end(): string[] {
    const left = open
    open = null
    return left === null ? [] : logLines({ ...left.item, said: { type: 'text', text: left.text, delta: false } }, p)
  }

  function take(item: LogItem): string[] {
    if (item.from !== 'agent' || item.said.type !== 'text' || !item.said.delta) return [...end(), ...logLines(item, p)]
    const text = `${open?.text ?? ''}${item.said.text}`
    const cut = text.length > PIECES_MAX ? text.length : text.lastIndexOf('\n') + 1
    open = { item, text: text.slice(cut) }
    return cut === 0 ? [] : logLines({ ...item, said: { type: 'text', text: text.slice(0, cut), delta: false } }, p)
  }

  return { take, end }
}

function logLines(item: LogItem, p: Paint): string[] {
  switch (item.from) {
    case 'events': {
      const lines = textLinesFor(item.moment.row, item.moment, p)
      return lines.map((line) => `${p.dim(`[${item.iteration} event]`)} ${line.trim()}`)
    }
    case 'agent':
      return saidLines(item.said).map((line) => `${p.dim(`[${item.iteration} ${item.agent}]`)} ${line}`)
    case 'gate':
      return [`${p.dim(`[${item.iteration} gate ${item.gate}]`)} ${stripControl(item.line)}`]
    case 'missing':
      return [`${p.dim(`[${item.iteration} ${item.of}]`)} ${p.warn('(its log was pruned or deleted)')}`]
    default:
      return assertNever(item)
  }
}

/** An agent's event as text for a person. */
function saidLines(said: AgentEvent): string[] {
  switch (said.type) {
    case 'started':
      return [`▸ started${said.model === undefined ? '' : ` with ${said.model}`}`]
    case 'text':
      return stripControl(said.text)
        .split('\n')
        .filter((line) => line.trim() !== '')
    case 'thought':
      return stripControl(said.text)
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => `~ ${line}`)
    case 'tool':
      return [`⚡ ${stripControl(said.name)} ${oneLine(said.input, 300)}`]
    case 'tool-ended':
      return said.ok ? [] : [`⚡ failed: ${oneLine(said.output, 300)}`]
    case 'usage':
      // One line for each step or message would be noise.
      return said.counts === 'add' || said.counts === 'message'
        ? []
        : [
            `$ ${said.usage.usd === undefined ? '' : `${formatDollars(said.usage.usd, said.usage)}, `}${formatCompact(countBudgetTokens(said.usage))} tokens`,
          ]
    case 'limited':
      return [`! ${said.kind}: ${oneLine(said.message, 300)}`]
    case 'denied':
      return [`! denied: ${said.tool} ${oneLine(said.command ?? '', 200)}`]
    case 'failed':
      return [`! ${said.kind}: ${oneLine(said.message, 300)}`]
    case 'ended':
      return [`▪ ended: ${oneLine(said.reason, 200)}`]
    case 'remark':
      return [`# ${oneLine(said.text, 300)}`]
    default:
      return assertNever(said)
  }
}
