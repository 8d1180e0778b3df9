/**
 * Separates the agent's own prose from what it only shows: code in fences, quotations after `>`. Everything that evaluates prose
 * (heuristics, questions, summary, status block) uses this module, so a quoted line never counts.
 */
import { findCodeFences } from '../text/code-fences.ts'

export function splitLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/)
}

/** The message without code fences, quotations and status blocks. A fence that is never closed counts as a mistake: its lines
 *  stay. */
export function proseOf(text: string): string {
  const lines = splitLines(text)
  const shown = new Set<number>()
  for (const fence of findCodeFences(lines)) {
    for (let at = fence.from; at <= (fence.closed ? fence.to : fence.from); at++) shown.add(at)
  }
  const own = lines.filter((line, index) => !shown.has(index) && !/^\s*>/.test(line))
  return withoutBlocks(own).join('\n')
}

/** Status blocks are read separately: their `STATUS: COMPLETE` is not prose. */
function withoutBlocks(lines: string[]): string[] {
  const kept: string[] = []
  let inside = false
  for (const line of lines) {
    if (/-{3}\s*RALPH_STATUS\s*-{3}/i.test(line)) inside = true
    if (!inside) kept.push(line)
    if (/-{3}\s*END_RALPH_STATUS\s*-{3}/i.test(line)) inside = false
  }
  return kept
}
