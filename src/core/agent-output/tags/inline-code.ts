/** Code between backticks within a paragraph. Text that is code in any reading counts as code: a tag in it must not count. */

/** Replaces code. It cannot occur otherwise, because control characters are removed before. */
const HIDDEN = '\0'

/** The text with all code replaced; its length stays the same. */
export function blankInlineCode(text: string): string {
  // A span needs two backticks. Most paragraphs have none.
  if (text.indexOf(TICK) === text.lastIndexOf(TICK)) return text
  const spans: Span[] = []
  for (const escapes of text.includes(`\\${TICK}`) ? [true, false] : [false])
    // Over the whole paragraph, as Markdown does, and line by line, because a single backtick would invert everything after it.
    for (const { 0: part, index } of [...text.matchAll(/[^]+/g), ...text.matchAll(/[^\n]+/g)])
      for (const { from, to } of spansIn(part, escapes)) spans.push({ from: index + from, to: index + to })
  return hidden(text, spans)
}

const TICK = '`'

interface Span {
  from: number
  to: number
}

function hidden(text: string, spans: Span[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    if (to <= at) continue
    const begins = Math.max(at, from)
    pieces.push(text.slice(at, begins), HIDDEN.repeat(to - begins))
    at = to
  }
  return pieces.join('') + text.slice(at)
}

/** A span goes from a run of backticks to the next run of the same length; a run without such a partner is plain text.
 *  `escapes`: a backtick after a backslash opens no span. */
function spansIn(text: string, escapes: boolean): Span[] {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: run, index }) => ({ from: index, to: index + run.length }))
  const next = nextAlike(runs)
  const spans: Span[] = []
  for (let at = 0; at < runs.length; at++) {
    const closing = next[at]
    const [run, end] = [runs[at], runs[closing ?? -1]]
    if (run === undefined || end === undefined || (escapes && isEscaped(text, run.from))) continue
    spans.push({ from: run.from, to: end.to })
    at = closing ?? at
  }
  return spans
}

/** For each run, the index of the next run of the same length. */
function nextAlike(runs: Span[]): (number | undefined)[] {
  const nearest = new Map<number, number>()
  return runs
    .toReversed()
    .map(({ from, to }, fromLast) => {
      const next = nearest.get(to - from)
      nearest.set(to - from, runs.length - 1 - fromLast)
      return next
    })
    .toReversed()
}

/** Whether the character comes after an odd number of backslashes. */
export function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charAt(at - 1 - slashes) === '\\') slashes++
  return slashes % 2 === 1
}
