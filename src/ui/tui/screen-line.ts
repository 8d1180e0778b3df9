/**
 * A line of the screen as data: pieces of clean text, each with a tone. Panes make lines, tests read them, and only `toAnsi`
 * turns them into bytes for a terminal. All foreign text passes through `toSpan`, which cleans it.
 */
import { toAscii } from '../../core/text/ascii.ts'
import { cellWidth, truncateToCells, toPrintable } from './text-width.ts'

/** The meaning of a piece; its colour is decided once, below. The text alone must carry every meaning, without its tone. */
export type SpanTone = 'dim' | 'bold' | 'good' | 'bad' | 'warn' | 'head' | 'mark'

export interface Span {
  text: string
  tone?: SpanTone
  /** Starts at this column, from 0, whatever width the terminal gives the text before it. */
  column?: number
}

export type ScreenLine = Span[]

export interface Size {
  columns: number
  rows: number
}

/** All text enters a line through this function. */
export function toSpan(text: string, tone?: SpanTone): Span {
  return tone === undefined ? { text: toPrintable(text) } : { text: toPrintable(text), tone }
}

export function lineWidth(line: ScreenLine): number {
  return line.reduce((sum, span) => sum + cellWidth(span.text), 0)
}

/** Clips to at most this many cells; `…` marks a cut. */
export function clipLine(line: ScreenLine, width: number): ScreenLine {
  if (lineWidth(line) <= width) return line
  const kept: ScreenLine = []
  let room = width - 1
  for (const span of line) {
    const wide = cellWidth(span.text)
    if (wide <= room) {
      kept.push(span)
      room -= wide
      continue
    }
    kept.push({ ...span, text: `${truncateToCells(span.text, room)}…` })
    break
  }
  return width <= 0 ? [] : kept
}

/** Fits foreign text on one line of at most this many cells. */
export function truncateToOneLine(text: string, width: number): string {
  return plainText(clipLine([toSpan(text)], width))
}

/** Clips or pads to exactly this many cells. */
export function fillLine(line: ScreenLine, width: number): ScreenLine {
  const clipped = clipLine(line, width)
  const missing = width - lineWidth(clipped)
  return missing <= 0 ? clipped : [...clipped, { text: ' '.repeat(missing) }]
}

/** Reverses the whole line, so that the cursor is visible without colours. */
export function reverseVideo(line: ScreenLine, width: number): ScreenLine {
  return fillLine(line, width).map((span) => ({ ...span, tone: 'mark' }))
}

/** Marks every match of the searched text. */
export function highlightMatches(line: ScreenLine, search: string): ScreenLine {
  if (search === '') return line
  const wanted = search.toLowerCase()
  return line.flatMap((span) => {
    const pieces: Span[] = []
    let rest = span.text
    // Lower case may be longer than the original; then the positions do not match and nothing is marked.
    const places = rest.toLowerCase().length === rest.length
    for (let at = rest.toLowerCase().indexOf(wanted); places && at !== -1; at = rest.toLowerCase().indexOf(wanted)) {
      pieces.push({ ...span, text: rest.slice(0, at) }, { text: rest.slice(at, at + wanted.length), tone: 'mark' })
      rest = rest.slice(at + wanted.length)
    }
    return [...pieces, { ...span, text: rest }].filter(({ text }) => text !== '')
  })
}

export function plainText(line: ScreenLine): string {
  return line
    .map((span) => span.text)
    .join('')
    .trimEnd()
}

/** Only the eight basic colours: they are readable in every terminal theme, light or dark. */
const CODES: Record<SpanTone, string> = {
  dim: '2',
  bold: '1',
  good: '32',
  bad: '31',
  warn: '33',
  head: '36',
  mark: '7',
}

export interface TerminalFeatures {
  colour: boolean
  /** The terminal supports more than ASCII. */
  unicode: boolean
}

export function toAnsi(line: ScreenLine, { colour, unicode }: TerminalFeatures): string {
  return line
    .map(({ text, tone, column }) => {
      const at = column === undefined ? '' : `\u001b[${column + 1}G`
      const said = unicode ? text : toAscii(text)
      // Reverse video is not a colour, and without it a search would show nothing at all.
      const plain = tone === undefined || (!colour && tone !== 'mark')
      return plain ? `${at}${said}` : `${at}\u001b[${CODES[tone]}m${said}\u001b[0m`
    })
    .join('')
}
