/**
 * Chooses the parts of a long document for a task's prompt: the sections with keywords of the task, the best first until the space is
 * used up, then printed in the document's own order, with a mark wherever something is left out.
 */
import { oneLine } from '../text/sanitize.ts'
import { truncateToBytes, byteSize } from './prompt-budget.ts'

/** A longer section is split, or one chapter would push out all others. */
const PIECE_MAX = 2_000
/** A piece is cut to the remaining space only if a paragraph fits into it. */
const CUT_MIN = 400
/** In less space than this, no further piece is tried. */
const WORTH_MIN = 80
const PATH_MAX = 80
export const OMISSION_MARK = '[… omitted]'

export function excerptByKeywords(document: string, words: ReadonlySet<string>, max: number): string {
  const text = document.trim()
  if (text.length <= max && byteSize(text) <= max) return text
  const pieces = piecesOf(text)
  const chosen = choose(pieces, words, max)
  // The last piece may have one line break too many.
  return truncateToBytes(join(pieces, chosen), max)
}

interface Piece {
  /** The text as in the document, with its line breaks: all pieces together are the document. */
  text: string
  /** The headings above it, its own last. */
  path: string[]
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let path: string[] = []
  let fence: string | null = null
  let lines = ''
  let size = 0
  const close = (): void => {
    if (lines !== '') pieces.push({ text: lines, path })
    lines = ''
    size = 0
  }
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? null
    if (mark !== null && (fence === null || fence === mark)) fence = fence === null ? mark : null
    const heading = fence === null ? /^ {0,3}(#{1,6})[ \t]+(.*)/.exec(line) : null
    if (heading !== null) {
      close()
      const depth = heading[1]?.length ?? 1
      path = [...path.slice(0, depth - 1), (heading[2] ?? '').trim()]
    } else if (size + byteSize(line) > PIECE_MAX) close()
    lines += line
    size += byteSize(line)
  }
  close()
  return pieces
}

/** A keyword in a heading says more about a section than one in its text. */
const HEADING_WEIGHT = 3

/** The indexes of the pieces that fit, each with its text in the excerpt. */
function choose(pieces: Piece[], words: ReadonlySet<string>, max: number): Map<number, string> {
  const chosen = new Map<number, string>()
  let room = max - byteSize(OMISSION_MARK) - 2
  for (const [index, score] of ranked(pieces, words)) {
    if (room < WORTH_MIN) break
    const { text } = pieces[index] ?? { text: '' }
    const left = room - moreMarks(pieces, chosen, index)
    if (byteSize(text) <= left) {
      chosen.set(index, text)
      room = left - byteSize(text)
    } else if (left >= CUT_MIN && (score > 0 || chosen.size === 0)) {
      chosen.set(index, `${truncateToBytes(text, left)}\n`)
      break
    }
  }
  return chosen
}

/** How many bytes of marks one more piece adds: it needs none after a chosen piece, and the chosen piece after it loses its own. */
function moreMarks(pieces: Piece[], chosen: ReadonlyMap<number, string>, index: number): number {
  const own = index === 0 || chosen.has(index - 1) ? 0 : byteSize(markBefore(pieces[index]))
  return own - (chosen.has(index + 1) ? byteSize(markBefore(pieces[index + 1])) : 0)
}

/** The indexes and scores of the pieces, the best first; a keyword that is in every piece counts little. */
function ranked(pieces: Piece[], words: ReadonlySet<string>): [number, number][] {
  const found = pieces.map(({ text, path }) => ({
    body: common(words, keywordsOf(text)),
    heading: common(words, keywordsOf(path.join(' '))),
  }))
  const places = new Map<string, number>()
  for (const { body, heading } of found)
    for (const word of new Set([...body, ...heading])) places.set(word, (places.get(word) ?? 0) + 1)
  const weight = (word: string): number => Math.log2(1 + pieces.length / (places.get(word) ?? 1))
  const sum = (some: string[]): number => some.reduce((all, word) => all + weight(word), 0)
  return found
    .map(({ body, heading }, index): [number, number] => [index, sum(body) + HEADING_WEIGHT * sum(heading)])
    .sort(([one, a], [other, b]) => b - a || one - other)
}

function common(words: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...words].filter((word) => others.has(word))
}

function join(pieces: Piece[], chosen: Map<number, string>): string {
  let text = ''
  let next = 0
  for (const [index, own] of [...chosen].sort(([one], [other]) => one - other)) {
    if (index > next) text += markBefore(pieces[index])
    text += own
    if (!text.endsWith('\n')) text += '\n'
    next = index + 1
  }
  return next < pieces.length ? `${text}${OMISSION_MARK}` : text.trimEnd()
}

/** The mark before a piece; for a piece that does not begin with its heading, it names the headings above. */
function markBefore(piece: Piece | undefined): string {
  const { text, path } = piece ?? { text: '', path: [] }
  const above = text.trimStart().startsWith('#') ? path.slice(0, -1) : path
  const under = above.length === 0 ? '' : ` under: ${oneLine(above.join(' › '), PATH_MAX)}`
  return `${OMISSION_MARK}${under}\n\n`
}

/** Words that say nothing about the subject of a text. */
const COMMON = new Set(
  'the and for with from that this are was not but can has have must should when where which will its into all any add use'.split(
    ' ',
  ),
)

/** The keywords of a text: in lower case, without common words, singular and plural as one. */
export function keywordsOf(text: string): Set<string> {
  const words = new Set<string>()
  const small = text.toLowerCase()
  // In scripts without spaces between words, two characters count as a word.
  for (const [run] of small.matchAll(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{2,}/gu))
    for (let at = 0; at + 2 <= run.length; at++) words.add(run.slice(at, at + 2))
  for (const [word] of small.matchAll(/[\p{L}\p{N}]{3,}/gu))
    if (!COMMON.has(word)) words.add(word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word)
  return words
}
