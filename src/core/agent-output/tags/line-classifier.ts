/**
 * Which lines of a message are the agent's own words while they arrive: nothing in a code fence, four blanks deep, or in a quotation after
 * `>` is, nor the line that goes on with a quotation, as Markdown reads it. In doubt a line is shown and not said.
 */

export type LineKind = 'said' | 'shown' | 'blank'

export interface LineClassifier {
  take(line: string): LineKind
}

export function createLineClassifier(): LineClassifier {
  let fence: { mark: string; deep: boolean } | null = null
  /** The paragraph that is being read began as a quotation. */
  let quoted = false
  return {
    take(line) {
      // Most lines.
      if (fence === null && !quoted && PLAIN.test(line)) return 'said'
      if (fence !== null) {
        if (closes(line, fence)) fence = null
        return 'shown'
      }
      if (line.trim() === '') {
        quoted = false
        return 'blank'
      }
      const bare = line.replace(LIST_MARKS, '')
      const opening = OPENING.exec(bare)
      const mark = opening?.[1] ?? opening?.[2]
      if (mark !== undefined) {
        quoted = false
        fence = { mark, deep: bare !== line || DEEP.test(line) }
        return 'shown'
      }
      if (QUOTE.test(bare)) quoted = true
      // What was begun outside of a quotation does not end in it.
      else if (CLOSING.test(line)) quoted = false
      return quoted || DEEP.test(line) ? 'shown' : 'said'
    },
  }
}

/** `- `, `2. `: what a list item begins with may be code or a quotation as well. */
const LIST_MARKS = /^(?:\s{0,40}(?:[-*+]|\d{1,9}[.)])\s{1,40}(?=[`~>]|[-*+\d]))+/
/** A run of backticks with another one after it is code within its line, no fence. */
const OPENING = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/
const PLAIN = /^[A-Za-z<]/
const QUOTE = /^\s*>/
const CLOSING = /^\s*<\/[a-z-]+\s*>\s*$/
const DEEP = /^(?: {4}| {0,3}\t)/

/** By a bare fence of the same sign, at least as long. One that stands deep, in a list, may be closed at any depth. */
function closes(line: string, { mark, deep }: { mark: string; deep: boolean }): boolean {
  const bare = line.trim()
  return bare.startsWith(mark) && bare === mark.charAt(0).repeat(bare.length) && (deep || !DEEP.test(line))
}
