/** The end of a text that comes in pieces, in bounded memory, and the same however it was cut into pieces. */

export interface TextTail {
  push(piece: string): void
  /** What is kept, or what is kept of what was pushed after the first `from` characters. */
  text(from?: number): string
  /** How many characters were pushed in all. */
  pushed(): number
}

export function createTextTail(max: number): TextTail {
  let pieces: string[] = []
  let length = 0
  let pushed = 0
  // A message mostly is one piece.
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
