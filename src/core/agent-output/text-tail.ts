/** Keeps the end of a text that arrives in pieces, in bounded memory; the result does not depend on the pieces. */

export interface TextTail {
  push(piece: string): void
  /** The kept text, or the part of it that was pushed after the first `from` characters. */
  text(from?: number): string
  /** How many characters were pushed in all. */
  pushed(): number
}

export function createTextTail(max: number): TextTail {
  let pieces: string[] = []
  let length = 0
  let pushed = 0
  // Most messages are one piece.
  const joined = () => (pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')).slice(-max)
  return {
    push(piece) {
      pieces.push(piece)
      length += piece.length
      pushed += piece.length
      // Let it grow to twice the size before cutting, so that each character is copied only a few times.
      if (length > 2 * max || pieces.length > PIECES_MAX) {
        pieces = [joined()]
        length = pieces[0]?.length ?? 0
      }
    },
    text(from = 0) {
      const kept = joined()
      return kept.slice(Math.max(0, kept.length - (pushed - from)))
    },
    pushed: () => pushed,
  }
}

/** A stream of single characters would cost more in its list than in its text. */
const PIECES_MAX = 10_000
