/**
 * A line of the screen as data: pieces of clean text, each with a tone. Panes make lines, tests read them, and only `toAnsi`
 * turns them into bytes for a terminal. Foreign text has one way in (`toSpan`), where it is cleaned.
 */
import { cellWidth, truncateToCells, printable } from './text-width.ts'

/** What a piece means; how that looks is decided once, below. No tone carries a meaning that the words do not. */
export type SpanTone = 'dim' | 'bold' | 'good' | 'bad' | 'warn' | 'head' | 'mark'

export interface Span {
  text: string
  tone?: SpanTone
  /** Begins at this column, from 0, whatever the terminal thinks of the width of what stands before. */
  column?: number
}

export type ScreenLine = Span[]

export interface Size {
  columns: number
  rows: number
}

/** The one way in for text. */
export function toSpan(text: string, tone?: SpanTone | undefined): Span {
  return tone === undefined ? { text: printable(text) } : { text: printable(text), tone }
}

export function widthOf(line: ScreenLine): number {
  return line.reduce((sum, span) => sum + cellWidth(span.text), 0)
}

/** At most so many cells; a cut shows as `…`. */
export function clipLine(line: ScreenLine, width: number): ScreenLine {
  if (widthOf(line) <= width) return line
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

/** Foreign text on one line of at most so many cells, whatever its characters. */
export function onOneLine(text: string, width: number): string {
  return plainText(clipLine([toSpan(text)], width))
}

/** Exactly so many cells. */
export function fillLine(line: ScreenLine, width: number): ScreenLine {
  const clipped = clipLine(line, width)
  const missing = width - widthOf(clipped)
  return missing <= 0 ? clipped : [...clipped, { text: ' '.repeat(missing) }]
}

/** The whole line in reverse: no colour is needed to see where the cursor stands. */
export function reverseLine(line: ScreenLine, width: number): ScreenLine {
  return fillLine(line, width).map((span) => ({ ...span, tone: 'mark' }))
}

/** Marks every place where the searched words stand. */
export function highlightMatches(line: ScreenLine, search: string): ScreenLine {
  if (search === '') return line
  const wanted = search.toLowerCase()
  return line.flatMap((span) => {
    const pieces: Span[] = []
    let rest = span.text
    // Lower case may be longer than what it came from; then places do not match and nothing is marked.
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

/** The eight basic colours only: every terminal theme, light or dark, keeps those readable. */
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
  /** The terminal takes more than ASCII. */
  unicode: boolean
}

export function toAnsi(line: ScreenLine, { colour, unicode }: TerminalFeatures): string {
  return line
    .map(({ text, tone, column }) => {
      const at = column === undefined ? '' : `\u001b[${column + 1}G`
      const said = unicode ? text : ascii(text)
      // Reverse video is no colour, and without it a search would show nothing at all.
      const plain = tone === undefined || (!colour && tone !== 'mark')
      return plain ? `${at}${said}` : `${at}\u001b[${CODES[tone]}m${said}\u001b[0m`
    })
    .join('')
}

/** What stands for our own signs where there is ASCII only; anything else is a question mark. */
const SIGNS: Record<string, string> = {
  '─': '-',
  '│': '|',
  '▏': '|',
  '▸': '>',
  '›': '>',
  '█': '#',
  '░': '.',
  '✓': '+',
  '✗': 'x',
  '×': 'x',
  '·': '.',
  '…': '~',
  '−': '-',
  '–': '-',
  '“': '"',
  '”': '"',
  '↑': '^',
  '↓': 'v',
  '←': '<',
  '→': '>',
}

/** As wide as it was, so that nothing moves. */
function ascii(text: string): string {
  return Array.from(text, (point) => (point <= '~' ? point : (SIGNS[point] ?? '?'.repeat(cellWidth(point))))).join('')
}

/** A terminal is taken to speak UTF-8 unless its locale says otherwise: containers often say nothing. */
export function supportsUnicode(env: Record<string, string | undefined>): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((one) => one !== undefined && one !== '')
  return locale === undefined || /utf-?8/i.test(locale)
}
