/** Splits source text into code, strings and comments, so that mutations leave strings and comments alone. */
import type { LanguageFamily } from '../language-family.ts'

/** Line numbers from 1, both included. */
export interface LineRange {
  from: number
  to: number
}

/** The start of the second line if the first is a shebang, else 0. */
export function shebangEnd(text: string): number {
  if (!text.startsWith('#!')) return 0
  const end = text.indexOf('\n')
  return end < 0 ? text.length : end + 1
}

interface Piece {
  is: 'code' | 'text' | 'comment'
  from: number
  to: number
}

interface Marks {
  line: string[]
  block: [open: string, close: string][]
  quotes: string[]
}

const C_LIKE: Marks = { line: ['//'], block: [['/*', '*/']], quotes: ['"', "'", '`'] }
const HASH: Marks = { line: ['#'], block: [], quotes: ['"', "'", '`'] }

const MARKS: Record<LanguageFamily, Marks> = {
  js: C_LIKE,
  ts: C_LIKE,
  // A single quote may begin a lifetime instead of a character.
  rust: { ...C_LIKE, quotes: ['"'] },
  go: C_LIKE,
  c: C_LIKE,
  java: { ...C_LIKE, quotes: ['"""', '"', "'"] },
  csharp: C_LIKE,
  swift: { ...C_LIKE, quotes: ['"""', '"'] },
  php: { ...C_LIKE, line: ['//', '#'] },
  python: { line: ['#'], block: [], quotes: ['"""', "'''", '"', "'"] },
  ruby: HASH,
  shell: HASH,
  perl: HASH,
  elixir: { line: ['#'], block: [], quotes: ['"""', '"', "'"] },
  lua: { line: ['--'], block: [['--[[', ']]']], quotes: ['"', "'"] },
}

/** The text in pieces, in order and without gaps. At worst it misreads an unusual quote: then less is mutated and nothing is lost. */
export function splitSourceText(text: string, family: LanguageFamily): Piece[] {
  const { line, block, quotes } = MARKS[family]
  const pieces: Piece[] = []
  let from = 0
  let at = 0
  const close = (is: Piece['is'], to: number): void => {
    if (at > from) pieces.push({ is: 'code', from, to: at })
    pieces.push({ is, from: at, to })
    at = to
    from = to
  }
  while (at < text.length) {
    const opened = block.find(([open]) => text.startsWith(open, at))
    const quote = quotes.find((mark) => text.startsWith(mark, at))
    if (opened !== undefined) close('comment', endOf(text, opened[1], at + opened[0].length))
    else if (line.some((mark) => text.startsWith(mark, at))) close('comment', lineEnd(text, at))
    else if (quote !== undefined) close('text', quoteEnd(text, quote, at))
    else at += 1
  }
  if (at > from) pieces.push({ is: 'code', from, to: at })
  return pieces
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at
}

/** A string with single-character quotes ends with its line, except template literals. */
function quoteEnd(text: string, mark: string, from: number): number {
  const longer = mark.length > 1 || mark === '`'
  for (let at = from + mark.length; at < text.length; at += 1) {
    const here = text[at]
    if (here === '\\') at += 1
    else if (here === '\n' && !longer) return at
    else if (text.startsWith(mark, at)) return at + mark.length
  }
  return text.length
}
