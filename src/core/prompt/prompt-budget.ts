/** How much room a text has in a prompt, and how it is cut to it: where a line or a sentence ends, with a mark that says so. */

import { firstBytes, utf8Bytes } from '../text/sanitize.ts'

/** Four letters of English, two of Russian, a sign and a third of Chinese: bytes come near to what vendors count, characters do not. */
const BYTES_A_TOKEN = 4

export function estimateTokens(text: string): number {
  return Math.ceil(byteSize(text) / BYTES_A_TOKEN)
}

/** As many bytes as so many tokens may have. */
export function bytesForTokens(tokens: number): number {
  return tokens * BYTES_A_TOKEN
}

/** How much of a room a text takes: every room and every share of one is in bytes. */
export function byteSize(text: string): number {
  return utf8Bytes(text)
}

const MARK = '[… cut]'

/** At most `max` bytes. What is longer ends where a line does, else a sentence, else a word, and has the mark below it. */
export function truncateTo(text: string, max: number): string {
  if (text.length <= max && byteSize(text) <= max) return text
  const room = max - byteSize(MARK) - 1
  if (room <= 0) return max >= byteSize(MARK) ? MARK : ''
  const head = firstBytes(text, room)
  return `${head.slice(0, lastEnd(head)).trimEnd()}\n${MARK}`
}

/** Where to cut. An end in the first half would cost too much. */
function lastEnd(head: string): number {
  const half = head.length / 2
  const line = head.lastIndexOf('\n')
  if (line >= half) return line
  const sentence = Math.max(...['. ', '! ', '? '].map((end) => head.lastIndexOf(end))) + 1
  if (sentence >= half) return sentence
  const word = head.lastIndexOf(' ')
  return word >= half ? word : head.length
}

/** `need`: how long it is; `share`: what it has for sure. */
export interface SpaceRequest {
  need: number
  share: number
}

/** Divides a room among texts: each has its share, and what some leave over goes to the others, the first first. */
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
