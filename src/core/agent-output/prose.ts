/**
 * Which lines of a message are the agent's own words, and which it shows: code in fences, quotations after `>`. Everything that
 * listens to words (heuristics, questions, summary, status block) asks here, so that a quoted line never counts.
 */

export interface Fence {
  /** The line of the opening fence. */
  from: number
  /** The line of the closing fence, or the number of lines when it was never closed. */
  to: number
  closed: boolean
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/)
}

/** The code fences of a message, as Markdown reads them: closed only by a bare fence of the same sign, at least as long. */
export function fencesOf(lines: string[]): Fence[] {
  const fences: Fence[] = []
  let open: { from: number; mark: string } | null = null
  for (const [index, line] of lines.entries()) {
    const found = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line)
    const mark = found?.[1]
    if (found === null || mark === undefined) continue
    if (open === null) open = { from: index, mark }
    else if (found[2]?.trim() === '' && mark.startsWith(open.mark)) {
      fences.push({ from: open.from, to: index, closed: true })
      open = null
    }
  }
  if (open !== null) fences.push({ from: open.from, to: lines.length, closed: false })
  return fences
}

/** The message without code fences, quotations and status blocks. A fence that was never closed is taken for a slip: its lines
 *  stay. */
export function proseOf(text: string): string {
  const lines = linesOf(text)
  const shown = new Set<number>()
  for (const fence of fencesOf(lines)) {
    for (let at = fence.from; at <= (fence.closed ? fence.to : fence.from); at++) shown.add(at)
  }
  const own = lines.filter((line, index) => !shown.has(index) && !/^\s*>/.test(line))
  return withoutBlocks(own).join('\n')
}

/** Status blocks speak for themselves: their own `STATUS: COMPLETE` is no prose. */
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
