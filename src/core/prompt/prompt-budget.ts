/** How much space a text has in a prompt, and how it is cut: at the end of a line or a sentence, with a mark. */

import { firstBytes, utf8Length } from '../text/sanitize.ts'

/** Four English letters, two Russian ones, one and a third Chinese characters: bytes are close to vendors' counts, characters are not. */
const BYTES_A_TOKEN = 4

export function estimateTokens(text: string): number {
  return Math.ceil(byteSize(text) / BYTES_A_TOKEN)
}

/** The bytes for a number of tokens. */
export function bytesForTokens(tokens: number): number {
  return tokens * BYTES_A_TOKEN
}

/** The size of a text: all budgets and shares are in bytes. */
export function byteSize(text: string): number {
  return utf8Length(text)
}

const MARK = '[… cut]'

/** At most `max` bytes. A longer text is cut at the end of a line, else a sentence, else a word, with the mark below it. */
export function truncateToBytes(text: string, max: number): string {
  if (text.length <= max && byteSize(text) <= max) return text
  const room = max - byteSize(MARK) - 1
  if (room <= 0) return max >= byteSize(MARK) ? MARK : ''
  const head = firstBytes(text, room)
  return `${head.slice(0, lastEnd(head)).trimEnd()}\n${MARK}`
}

/** Where to cut. A cut in the first half would lose too much. */
function lastEnd(head: string): number {
  const half = head.length / 2
  const line = head.lastIndexOf('\n')
  if (line >= half) return line
  const sentence = Math.max(...['. ', '! ', '? '].map((end) => head.lastIndexOf(end))) + 1
  if (sentence >= half) return sentence
  const word = head.lastIndexOf(' ')
  return word >= half ? word : head.length
}

/** `need`: its size; `share`: its guaranteed space. */
export interface SpaceRequest {
  need: number
  share: number
}

/** Divides space among texts: each has its share, and unused space goes to the others, in order. */
export function divideSpace(room: number, requests: SpaceRequest[]): number[] {
  const given: number[] = []
  let left = room
  for (const { need, share } of requests) {
    const gets = Math.max(0, Math.min(need, share, left))
    given.push(gets)
    left -= gets
  }
  return requests.map(({ need }, index) => {
    const gets = given[index] ?? 0
    const more = Math.min(need - gets, left)
    left -= more
    return gets + more
  })
}
