/** One line about a reply, for the next prompt and the screens. */
import { oneLine } from '../text/sanitize.ts'
import { splitLines, proseOf } from './prose.ts'
import type { StatusBlock } from './reply.ts'

const SUMMARY_MAX = 200

/** The line in which the agent sums up, else its first line, else what its status block says. */
export function summarizeReply(text: string, block: StatusBlock | null): string {
  const lines = splitLines(proseOf(text))
    .map(plain)
    .filter((line) => line !== '')
  const summing = lines.findIndex((line) => /\b(?:summary|completed|implemented)\b/i.test(line))
  const line = summing === -1 ? lines[0] : afterHeading(lines, summing)
  if (line !== undefined) return oneLine(line, SUMMARY_MAX)
  return block === null ? '' : oneLine(blockSummary(block), SUMMARY_MAX)
}

/** `## Summary` says nothing; the line below it does. */
function afterHeading(lines: string[], at: number): string | undefined {
  const line = lines[at] ?? ''
  return /^\W*(?:\w+ )?summary\W*$/i.test(line) ? (lines[at + 1] ?? line) : line
}

function blockSummary(block: StatusBlock): string {
  const status = block.status ?? (block.exitSignal === true ? 'COMPLETE' : 'IN_PROGRESS')
  const tests = block.tests === undefined ? '' : `, tests ${block.tests}`
  const next = block.recommendation === undefined ? '' : `: ${block.recommendation}`
  return `${status}${tests}${next}`
}

/** The line without Markdown and without Ralph's tags. A table rule or a drawn line becomes empty. */
function plain(line: string): string {
  const text = line
    .slice(0, 1_000)
    .replace(/^\s*(?:#{1,6}\s+|[-*+•●]\s+|\d+[.)]\s+)/, '')
    .replace(/\*\*|__|`/g, '')
    .replace(/<(task-done|task-failed|promise|next-model|phase-complete)>[^<>]*<\/\1>/g, '')
    .replace(/<\/?(?:journal|knowledge|tasks-created)(?:\s[^<>]*)?\/?>/g, '')
    .trim()
  return /[\p{L}\p{N}]/u.test(text) ? text : ''
}
