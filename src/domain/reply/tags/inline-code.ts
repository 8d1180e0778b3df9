/** Code within a paragraph, between backticks. What only one reading takes for code is code: nothing that is shown may count. */

/** What stands where code was: nothing else can be it, controls are taken out before. */
const HIDDEN = '\0'

/** The text, as long as it was, with all code in it hidden. */
export function hideCode(text: string): string {
  if (!text.includes('`')) return text
  const signs = text.split('')
  const hide = (from: number, to: number) => void signs.fill(HIDDEN, from, to)
  for (const escapes of [true, false]) {
    // As Markdown has it, over the lines of a paragraph; and line by line, because a lone backtick turns everything after it round.
    hideSpans(text, { from: 0, to: text.length, escapes, hide })
    for (let from = 0; from < text.length;) {
      const end = text.indexOf('\n', from)
      const to = end === -1 ? text.length : end
      hideSpans(text, { from, to, escapes, hide })
      from = to + 1
    }
  }
  return signs.join('')
}

interface Part {
  from: number
  to: number
  /** A backtick after a backslash opens nothing. */
  escapes: boolean
  hide: (from: number, to: number) => void
}

/** A span goes from a run of backticks to the next run that is just as long; one without such a next is only letters. */
function hideSpans(text: string, { from, to, escapes, hide }: Part): void {
  const runs = [...text.slice(from, to).matchAll(/`+/g)].map(({ index, 0: { length } }) => ({
    at: from + index,
    length,
  }))
  const next = nextAlike(runs)
  for (let index = 0; index < runs.length;) {
    const run = runs[index]
    const closing = next[index] ?? null
    if (run === undefined || closing === null || (escapes && isEscaped(text, run.at))) index += 1
    else {
      const end = runs[closing]
      hide(run.at, end === undefined ? to : end.at + end.length)
      index = closing + 1
    }
  }
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
