/**
 * Classifies the lines of a message as they arrive. Lines in a code fence, indented by four spaces, or in a quotation after `>` (and, as
 * in Markdown, its continuation lines) are not the agent's own text. In doubt a line is `shown`, not `said`.
 */

export type LineKind = 'said' | 'shown' | 'blank'

export function createLineClassifier(): (line: string) => LineKind {
  let fence: { mark: string; deep: boolean } | null = null
  /** The current paragraph began as a quotation. */
  let quoted = false
  return (line) => {
    // The fast path for most lines.
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
    // A closing tag for a tag that was opened outside of the quotation ends the quotation.
    else if (CLOSING.test(line)) quoted = false
    return quoted || DEEP.test(line) ? 'shown' : 'said'
  }
}

/** `- `, `2. `: a list item may begin with code or a quotation. */
const LIST_MARKS = /^(?:\s{0,40}(?:[-*+]|\d{1,9}[.)])\s{1,40}(?=[`~>]|[-*+\d]))+/
/** Backticks with more backticks later on the line are inline code, not a fence. */
const OPENING = /^\s*(?:(`{3,})[^`]*|(~{3,}).*)$/
const PLAIN = /^[A-Za-z<]/
const QUOTE = /^\s*>/
const CLOSING = /^\s*<\/[a-z-]+\s*>\s*$/
const DEEP = /^(?: {4}| {0,3}\t)/

/** A bare fence of the same character, at least as long, closes it. An indented fence, as in a list, may be closed at any depth. */
function closes(line: string, { mark, deep }: { mark: string; deep: boolean }): boolean {
  const bare = line.trim()
  return bare.startsWith(mark) && bare === mark.charAt(0).repeat(bare.length) && (deep || !DEEP.test(line))
}
