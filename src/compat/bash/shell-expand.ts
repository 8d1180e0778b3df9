/**
 * Expands one shell word from data alone: quotes, escapes, `$VAR` and the defaults of `${VAR:-…}`. A word that needs
 * more than that (a command, arithmetic, the file system) sets `problem` and is read to its end.
 */
import { assertNever } from '../../core/assert-never.ts'
import {
  endsWord,
  shellTokenAt,
  readEscaped,
  readQuoted,
  skipSubstitution,
  walkDoubleQuoted,
  type ShellScanner,
} from '../../core/text/shell-scan.ts'

export interface ExpandContext {
  /** The part that needs a shell; null: none so far. */
  problem: string | null
  /** Variables that `${A:=b}` set in the word. */
  assigned: Map<string, string>
  lookup(name: string): string | string[] | undefined
  /** The variable has a value that needs a shell. */
  isUnknown(name: string): boolean
}

/** Exponential expansion (`A=$A$A`, forty times) must not exhaust the memory. */
const VALUE_MAX = 64 * 1024
/** Deeper nesting than any person writes. */
const DEPTH_MAX = 40

type Piece =
  | { is: 'plain' | 'quoted' | 'expanded'; text: string }
  /** `${A[@]}`: one field per element. */
  | { is: 'elements'; items: string[]; quoted: boolean }

/** A word while it is read. */
interface Reading {
  scan: ShellScanner
  words: ExpandContext
  /** The pieces read so far. */
  pieces: Piece[]
}

/** Reads a word: as the value of an assignment (one text, never split) or as a field (split as in bash). */
export function expandShellWord(scan: ShellScanner, words: ExpandContext, as: 'scalar' | 'field'): string[] {
  const reading: Reading = { scan, words, pieces: [] }
  const start = scan.at
  while (scan.at < scan.text.length && !endsWord(scan.text.charAt(scan.at))) {
    if (isTilde(reading, { start, as })) readTilde(reading)
    else readPiece(reading, 0)
  }
  const result = as === 'scalar' ? [joined(reading.pieces)] : fieldsOf(reading)
  if (result.reduce((sum, text) => sum + text.length, 0) <= VALUE_MAX) return result
  words.problem ??= 'a value of more than 64 KB'
  return []
}

function readPiece(reading: Reading, depth: number): void {
  const { scan, words, pieces } = reading
  const piece = shellTokenAt(scan, { quoted: false })
  switch (piece) {
    case 'escaped': {
      const next = readEscaped(scan)
      if (next === '') plain(pieces, '\\')
      else if (next !== '\n') quote(pieces, next)
      return
    }
    case 'single':
    case 'ansi': {
      const { text, closed } = readQuoted(scan, piece)
      if (!closed) words.problem ??= NOT_CLOSED
      return quote(pieces, piece === 'single' ? text : decodeAnsi(text, words))
    }
    case 'double':
      return readDouble(reading, depth)
    case 'backticks':
      return passBackticks(reading)
    case 'substitution':
    case 'dollar':
      return readDollar(reading, { quoted: false, depth })
    case 'plain':
      plain(pieces, scan.text.charAt(scan.at))
      scan.at++
      return
    default:
      return assertNever(piece)
  }
}

const NOT_CLOSED = 'a quote that is not closed'

function passBackticks({ scan, words }: Reading): void {
  words.problem ??= 'backticks'
  readQuoted(scan, 'backticks')
}

function readDouble(reading: Reading, depth: number): void {
  const { scan, words, pieces } = reading
  quote(pieces, '')
  const closed = walkDoubleQuoted(scan, () => readQuotedPiece(reading, { depth, escapes: '$`"\\' }))
  if (!closed) words.problem ??= NOT_CLOSED
}

/** One step inside double quotes, where a backslash is special only before `escapes` and a line end. */
function readQuotedPiece(reading: Reading, { depth, escapes }: { depth: number; escapes: string }): void {
  const { scan, pieces } = reading
  const piece = shellTokenAt(scan, { quoted: true })
  switch (piece) {
    case 'substitution':
    case 'dollar':
      return readDollar(reading, { quoted: true, depth })
    case 'backticks':
      return passBackticks(reading)
    case 'escaped': {
      const next = scan.text.charAt(scan.at + 1)
      const isSpecial = next === '\n' || (next !== '' && escapes.includes(next))
      if (next !== '\n') quote(pieces, isSpecial ? next : '\\')
      scan.at += isSpecial ? 2 : 1
      return
    }
    case 'single':
    case 'double':
    case 'ansi':
    case 'plain':
      quote(pieces, scan.text.charAt(scan.at))
      scan.at++
      return
    default:
      return assertNever(piece)
  }
}

const SIMPLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y
const ELEMENT = /\$\{([A-Za-z_]\w*)\[(@|\*|\d+)\]\}/y
const WITH_DEFAULT = /\$\{([A-Za-z_]\w*)(:?)([-=+])/y
const SPECIAL = /\$[@*#?$!0-9-]/y

interface Nesting {
  quoted: boolean
  depth: number
}

function readDollar(reading: Reading, nesting: Nesting): void {
  const { scan, words, pieces } = reading
  const next = scan.text.charAt(scan.at + 1)
  const simple = match(SIMPLE, scan)
  const element = match(ELEMENT, scan)
  const defaulted = match(WITH_DEFAULT, scan)
  if (simple !== null) {
    scan.at += simple[0].length
    push(pieces, nesting, first(valueOf(words, simple[1] ?? simple[2] ?? '')) ?? '')
  } else if (element !== null) {
    scan.at += element[0].length
    pushElement(pieces, nesting, { value: valueOf(words, element[1] ?? ''), index: element[2] ?? '@' })
  } else if (defaulted !== null && nesting.depth < DEPTH_MAX) {
    scan.at += defaulted[0].length
    const [, name = '', colon = '', operator = ''] = defaulted
    readDefault(reading, { nesting, name, operator, emptyCounts: colon === '' })
  } else if (next === '"' && !nesting.quoted) {
    scan.at++
  } else if (next === '(' || next === '{') {
    words.problem ??= next === '(' ? '$(…)' : `\${…} of a kind beyond a default`
    skipSubstitution(scan)
  } else if (match(SPECIAL, scan) !== null) {
    words.problem ??= `$${next}`
    scan.at += 2
  } else {
    push(pieces, { ...nesting, quoted: true }, '$')
    scan.at++
  }
}

/** `${A:-b}`, `${A-b}`, `${A:=b}`, `${A:+b}`: as in bash, problems in the unused branch do not matter. */
function readDefault(
  reading: Reading,
  given: { nesting: Nesting; name: string; operator: string; emptyCounts: boolean },
): void {
  const { words, pieces } = reading
  const { nesting, name, operator, emptyCounts } = given
  const value = first(valueOf(words, name))
  const isSet = value !== undefined && (emptyCounts || value !== '')
  const usesOperand = operator === '+' ? isSet : !isSet
  const before = { problem: words.problem, assigned: new Map(words.assigned) }
  const operand = readOperand({ ...reading, pieces: [] }, nesting)
  if (usesOperand) {
    pieces.push(...operand.pieces)
    if (operator === '=') words.assigned.set(name, joined(operand.pieces))
    return
  }
  // A missing closing brace is a problem in either branch.
  if (operand.closed) Object.assign(words, before)
  push(pieces, nesting, operator === '+' ? '' : (value ?? ''))
}

function readOperand(reading: Reading, { quoted, depth }: Nesting): { pieces: Piece[]; closed: boolean } {
  const { scan, words, pieces } = reading
  const start = scan.at
  while (scan.text.charAt(scan.at) !== '}') {
    if (scan.at >= scan.text.length) {
      words.problem ??= 'a ${ that is not closed'
      return { pieces, closed: false }
    }
    if (scan.text.charAt(scan.at) === '"') readDouble(reading, depth + 1)
    else if (quoted) readQuotedPiece(reading, { depth: depth + 1, escapes: '$`"\\}' })
    else if (isTilde(reading, { start, as: 'scalar' })) readTilde(reading, '}')
    else readPiece(reading, depth + 1)
  }
  scan.at++
  // Outside quotes a default is split like an expanded value.
  const split: Piece[] = pieces.map((piece) => (piece.is === 'plain' ? { ...piece, is: 'expanded' } : piece))
  return { pieces: quoted ? pieces : split, closed: true }
}

const ANSI: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

/** The content of `$'…'`, the quotes in which `\n` is a line end. */
function decodeAnsi(written: string, words: ExpandContext): string {
  const codes = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([^]?))/g
  return written.replaceAll(codes, (_, byte?: string, point?: string, octal?: string, sign = '') => {
    const digits = byte ?? point ?? octal
    if (digits === undefined) return ANSI[sign] ?? (/["'\\?]/.test(sign) ? sign : `\\${sign}`)
    const number = parseInt(digits, octal === undefined ? 16 : 8)
    // The encoding of bytes above ASCII is unknown here.
    if ((point === undefined && number > 0x7f) || number === 0) words.problem ??= 'a byte written as a number'
    return String.fromCharCode(number)
  })
}

/** A tilde means the home folder at the start of a word, and in an assignment also after an unquoted colon. */
function isTilde({ scan, pieces }: Reading, { start, as }: { start: number; as: 'scalar' | 'field' }): boolean {
  if (scan.text.charAt(scan.at) !== '~') return false
  const last = pieces.at(-1)
  return scan.at === start || (as === 'scalar' && last?.is === 'plain' && last.text.endsWith(':'))
}

/** `end`: another character that ends the word: the brace around a default. */
function readTilde({ scan, words, pieces }: Reading, end = ''): void {
  const home = first(valueOf(words, 'HOME'))
  const next = scan.text.charAt(scan.at + 1)
  const isAlone = next === end || /^[/:\s;&|()<>]?$/.test(next)
  if (!isAlone || home === undefined) words.problem ??= "somebody's home folder"
  quote(pieces, home ?? '')
  scan.at++
}

function valueOf(words: ExpandContext, name: string): string | string[] | undefined {
  if (words.isUnknown(name)) words.problem ??= `$${name}, which is not known`
  return words.lookup(name)
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function quote(pieces: Piece[], text: string): void {
  pieces.push({ is: 'quoted', text })
}

function push(pieces: Piece[], nesting: Nesting, text: string): void {
  pieces.push({ is: nesting.quoted ? 'quoted' : 'expanded', text })
}

function pushElement(
  pieces: Piece[],
  nesting: Nesting,
  { value, index }: { value: string | string[] | undefined; index: string },
): void {
  const items = value === undefined ? [] : Array.isArray(value) ? value : [value]
  if (index === '@' || (index === '*' && !nesting.quoted))
    pieces.push({ is: 'elements', items, quoted: nesting.quoted })
  else push(pieces, nesting, index === '*' ? items.join(' ') : (items[Number(index)] ?? ''))
}

function plain(pieces: Piece[], character: string): void {
  const last = pieces.at(-1)
  if (last?.is === 'plain') last.text += character
  else pieces.push({ is: 'plain', text: character })
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (piece.is === 'elements' ? piece.items.join(' ') : piece.text)).join('')
}

/** Splits a word into fields: unquoted values at white space, `"${A[@]}"` at its elements. */
function fieldsOf({ pieces, words }: Reading): string[] {
  const fields: string[] = []
  let current: string | null = null
  for (const piece of pieces) {
    if (piece.is === 'plain' || piece.is === 'expanded') checkPattern(piece, words)
    if (piece.is === 'plain' || piece.is === 'quoted') {
      current = (current ?? '') + piece.text
      continue
    }
    const parts: string[] = piece.is === 'elements' && piece.quoted ? piece.items : split(piece)
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        if (current !== null) fields.push(current)
        current = null
      }
      if (part !== '' || (piece.is === 'elements' && piece.quoted)) current = (current ?? '') + part
    }
  }
  if (current !== null) fields.push(current)
  return fields
}

/** The parts of an unquoted value; an empty part at an end means that white space separated it from its neighbour. */
function split(piece: Exclude<Piece, { is: 'plain' | 'quoted' }>): string[] {
  const text = piece.is === 'elements' ? piece.items.join(' ') : piece.text
  return text.split(/[ \t\n]+/)
}

/** Patterns and braces expand to file names or several words, which depends on the machine. */
function checkPattern(piece: { is: string; text: string }, words: ExpandContext): void {
  if (/[*?[]/.test(piece.text)) words.problem ??= 'a file pattern without quotes'
  if (piece.is === 'plain' && /\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(piece.text)) words.problem ??= 'a brace expansion'
}

function match(pattern: RegExp, scan: ShellScanner): RegExpExecArray | null {
  pattern.lastIndex = scan.at
  return pattern.exec(scan.text)
}
