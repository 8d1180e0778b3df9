/** Code within a paragraph, between backticks. What only one reading takes for code is code: nothing that is shown may count. */

/** What stands where code was: nothing else can be it, controls are taken out before. */
const HIDDEN = '\0'

/** The text, as long as it was, with all code in it hidden. */
export function blankInlineCode(text: string): string {
  // A span has two ends. Most paragraphs have none, so nothing is made before one is found.
  if (text.indexOf(TICK) === text.lastIndexOf(TICK)) return text
  const spans: Span[] = []
  const lines = linesOf(text)
  for (const escapes of text.includes(`\\${TICK}`) ? [true, false] : [false]) {
    // As Markdown has it, over the lines of a paragraph; and line by line, because a lone backtick turns everything after it round.
    findSpans(text, { from: 0, to: text.length, escapes, spans })
    if (lines.length > 1) for (const line of lines) findSpans(text, { ...line, escapes, spans })
  }
  return spans.length === 0 ? text : hidden(text, spans)
}

const TICK = '`'

interface Span {
  from: number
  to: number
}

function linesOf(text: string): Span[] {
  const lines: Span[] = []
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end
    lines.push({ from, to })
    from = to + 1
  }
  return lines
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

interface Part extends Span {
  /** A backtick after a backslash opens nothing. */
  escapes: boolean
  spans: Span[]
}

/** A span goes from a run of backticks to the next run that is just as long; one without such a next is only letters. */
function findSpans(text: string, { from, to, escapes, spans }: Part): void {
  const runs = runsIn(text, from, to)
  if (runs.length < 2) return
  const next = nextAlike(runs)
  for (let index = 0; index < runs.length;) {
    const run = runs[index]
    const closing = next[index] ?? null
    if (run === undefined || closing === null || (escapes && isEscaped(text, run.at))) index += 1
    else {
      const end = runs[closing]
      spans.push({ from: run.at, to: end === undefined ? to : end.at + end.length })
      index = closing + 1
    }
  }
}

interface Run {
  at: number
  length: number
}

function runsIn(text: string, from: number, to: number): Run[] {
  const runs: Run[] = []
  for (let at = text.indexOf(TICK, from); at !== -1 && at < to;) {
    let end = at + 1
    while (end < to && text[end] === TICK) end++
    runs.push({ at, length: end - at })
    at = text.indexOf(TICK, end)
  }
  return runs
}

function nextAlike(runs: { length: number }[]): (number | null)[] {
  const nearest = new Map<number, number>()
  const next: (number | null)[] = []
  for (let index = runs.length - 1; index >= 0; index--) {
    const { length } = runs[index] ?? { length: 0 }
    next[index] = nearest.get(length) ?? null
    nearest.set(length, index)
  }
  return next
}

/** After an odd number of backslashes. */
export function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charAt(at - 1 - slashes) === '\\') slashes++
  return slashes % 2 === 1
}
