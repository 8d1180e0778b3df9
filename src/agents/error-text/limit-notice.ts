/**
 * A usage limit that is reported as plain text, where a program has no event for it: text output, an answer that is not marked as an
 * error, stray lines of a broken stream. The agent's own text is in the same place, and an agent that works on limits writes about them
 * all the time. So a notice is a line of its own that begins with the vendor's wording, outside of code and quotations, and a reply with
 * a status block has none: an agent that wrote one was not stopped.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import { splitLines, proseOf } from '../../core/agent-output/prose.ts'
import { findStatusBlock } from '../../core/agent-output/status/status-block.ts'
import { failureEvent } from './classify-failure.ts'

type Notice = Extract<AgentEvent, { type: 'limited' | 'failed' }>

/** The notice at the end of a message; null: none. */
export function trailingLimitNotice(message: string): Notice | null {
  const lines = ownLines(message)
  const at = lines.findLastIndex((line) => !CONTINUES.test(line))
  return lines.length - at > LINES_OF_ONE ? null : noticeAt(lines, at)
}

/** Any notice among the last lines of a program that failed. */
export function findLimitNotice(output: string): Notice | null {
  const lines = ownLines(output).slice(-TAIL_LINES)
  const notices = lines.map((_line, at) => noticeAt(lines, at))
  return notices.findLast((notice) => notice !== null) ?? null
}

/** As many lines as the bash tool read, which was used on real logs for years. */
export const TAIL_LINES = 30
const LINES_OF_ONE = 3

/** A notice is in the last lines, so only the end of a long message is read. */
const CHARACTERS_LOOKED_AT = 16 * 1024

function ownLines(text: string): string[] {
  const end = text.slice(-CHARACTERS_LOOKED_AT)
  if (findStatusBlock(end) !== null) return []
  return splitLines(proseOf(end)).filter((line) => line.trim() !== '')
}

function noticeAt(lines: string[], at: number): Notice | null {
  if (!isNotice(lines[at] ?? '')) return null
  const more = lines.slice(at + 1, at + LINES_OF_ONE)
  const end = more.findIndex((line) => !CONTINUES.test(line))
  const whole = [lines[at] ?? '', ...more.slice(0, end === -1 ? more.length : end)].map((line) => line.trim())
  const event = failureEvent(whole.join(' '))
  const isLimit = event.type === 'limited' || (event.type === 'failed' && event.kind === 'balance')
  return isLimit ? event : null
}

/** Continuation lines of a wrapped sentence, and what vendors add: the reset time, and where to buy more. */
const CONTINUES = /^\s*(?:[·∙•/(]|resets?\b|at \d|your limit\b|please\b|try again\b|run \/|upgrade\b)/i

const LONGEST = 400

function isNotice(line: string): boolean {
  return line.length <= LONGEST && !/^(?: {4}|\t)/.test(line) && NOTICE.test(line) && !OF_OTHERS.test(line)
}

const NOTICE = new RegExp(
  String.raw`^\s*(?:[⚠✗✕×●]\ufe0f?\s*)?(?:Error: )?(?:` +
    [
      String.raw`Claude(?: AI| Code| Pro| Max)? usage limit reached${end()}`,
      String.raw`You(?:['’]ve| have) (?:hit|reached|exceeded|used 100 ?% of) your (?:[\w'’.-]+ ){0,5}limits?${end()}`,
      String.raw`You(?:['’]re| are) out of (?:extra )?usage${end()}`,
      String.raw`(?:(?:5-hour|weekly|daily|session|usage|opus|sonnet|haiku) ){1,3}limit reached${end()}`,
      String.raw`API Error: (?:\d{3} \{|Request rejected \(\d{3}\))`,
      String.raw`\d{3} \{"type":"error"`,
    ].join('|') +
    ')',
  'i',
)

/** The vendor's wording is followed by a full stop or nothing; prose continues. */
function end(): string {
  return String.raw`(?=\s*$|\s*[|.!·∙•(]|,? please\b|,? try\b| for Claude\b)`
}

/** Limits of registries and services that an agent runs into while working. */
const OF_OTHERS = /^\s*You.*\b(?:pull|rate|disk|file|download|request)s? limit/i
