/** How much room a text has in a prompt, and how it is cut to it: where a line or a sentence ends, with a mark that says so. */

/** A token is about four characters of English. */
const CHARACTERS_A_TOKEN = 4

export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN)
}

/** As many characters as so many tokens may have. */
export function roomOf(tokens: number): number {
  return tokens * CHARACTERS_A_TOKEN
}

const MARK = '[… cut]'

/** At most `max` characters. What is longer ends where a line does, else a sentence, else a word, and has the mark below it. */
export function cutTo(text: string, max: number): string {
  if (text.length <= max) return text
  const room = max - MARK.length - 1
  if (room <= 0) return max >= MARK.length ? MARK : ''
  const head = text.slice(0, isInsidePair(text, room) ? room - 1 : room)
  return `${head.slice(0, lastEnd(head)).trimEnd()}\n${MARK}`
}

/** Whether the text would be cut between the two halves of one character. */
function isInsidePair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff)
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high
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
export interface Want {
  need: number
  share: number
}

/** Divides a room among texts: each has its share, and what some leave over goes to the others, the first first. */
export function divide(room: number, wants: Want[]): number[] {
  const given: number[] = []
  let left = room
  for (const { need, share } of wants) {
    const gets = Math.max(0, Math.min(need, share, left))
    given.push(gets)
    left -= gets
  }
  return wants.map(({ need }, index) => {
    const gets = given[index] ?? 0
    const more = Math.min(need - gets, left)
    left -= more
    return gets + more
  })
}
