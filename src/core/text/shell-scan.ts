/**
 * The one scanner of shell text: what a character begins, and where words, quotes and substitutions end. It runs nothing and evaluates
 * nothing. Command lines (`shell.ts`), scripts (`protection/imports.ts`) and the bash tool's settings (`compat/bash`) are read on top of it.
 *
 * Where it ends, because another language begins: the lines of a here-document and the blocks of bash (`compat/bash/shell-skip.ts`),
 * what a variable or a default is worth (`compat/bash/shell-expand.ts`), arithmetic, which is passed over as the command it looks like,
 * and texts of any kind in which a command may merely be mentioned (`protection/gate-commands.ts`).
 */
import { assertNever } from '../assert-never.ts'

export interface ShellScanner {
  readonly text: string
  at: number
}

/** Deeper nesting than any person writes; beyond it the rest of the file counts as unreadable. */
const DEPTH_MAX = 40

/** What ends a word that is not quoted. */
export function endsWord(character: string): boolean {
  return /[\s;&|()<>]/.test(character)
}

/** What stands at the scanner. `dollar`: a variable, or nothing but the sign; `substitution`: `$(…)`, `$((…))` or `${…}`. */
export type ShellToken = 'escaped' | 'single' | 'double' | 'ansi' | 'backticks' | 'substitution' | 'dollar' | 'plain'

/** `quoted`: between double quotes, where single ones mean nothing. */
export function shellTokenAt({ text, at }: ShellScanner, { quoted }: { quoted: boolean }): ShellToken {
  const next = text.charAt(at + 1)
  switch (text.charAt(at)) {
    case '\\':
      return 'escaped'
    case "'":
      return quoted ? 'plain' : 'single'
    case '"':
      return 'double'
    case '`':
      return 'backticks'
    case '$':
      if (next === '(' || next === '{') return 'substitution'
      return next === "'" && !quoted ? 'ansi' : 'dollar'
    default:
      return 'plain'
  }
}

/** From a backslash on: the character that it takes its meaning from; empty at the end of the text. */
export function readEscaped(scan: ShellScanner): string {
  const next = scan.text.charAt(scan.at + 1)
  scan.at += 2
  return next
}

export interface QuotedText {
  /** As it stands between the quotes. */
  text: string
  closed: boolean
}

/** From an opening quote on (`$'` for `toAnsi`) to the closing one that is not escaped; between single quotes nothing is. Whoever substitutes
 *  looks into double quotes for more: see `walkDoubleQuoted`. */
export function readQuoted(scan: ShellScanner, quote: 'single' | 'double' | 'ansi' | 'backticks'): QuotedText {
  const start = scan.at + (quote === 'ansi' ? 2 : 1)
  const close = scan.text.charAt(start - 1)
  scan.at = start
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== close)
    scan.at += quote !== 'single' && scan.text.charAt(scan.at) === '\\' ? 2 : 1
  const text = scan.text.slice(start, scan.at)
  return { text, closed: closeQuote(scan) }
}

function closeQuote(scan: ShellScanner): boolean {
  const closed = scan.at < scan.text.length
  scan.at = closed ? scan.at + 1 : scan.text.length
  return closed
}

/** From a double quote on, piece by piece, of which each moves the scanner on. False: the end is missing. */
export function walkDoubleQuoted(scan: ShellScanner, piece: () => void): boolean {
  scan.at++
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== '"') piece()
  return closeQuote(scan)
}

/** Passes over one word with all its quotes and substitutions; returns its text as written. */
export function skipWord(scan: ShellScanner): string {
  const start = scan.at
  while (scan.at < scan.text.length && !endsWord(scan.text.charAt(scan.at)))
    skipPiece(scan, { depth: 0, quoted: false })
  if (scan.at === start) scan.at++
  return scan.text.slice(start, scan.at)
}

/** Passes over a backslashed character, a quoted text, a substitution, or one plain character. */
function skipPiece(scan: ShellScanner, { depth, quoted }: { depth: number; quoted: boolean }): void {
  if (depth > DEPTH_MAX) {
    scan.at = scan.text.length
    return
  }
  const piece = shellTokenAt(scan, { quoted })
  switch (piece) {
    case 'escaped':
      readEscaped(scan)
      return
    case 'single':
    case 'ansi':
    case 'backticks':
      readQuoted(scan, piece)
      return
    case 'double':
      walkDoubleQuoted(scan, () => skipPiece(scan, { depth: depth + 1, quoted: true }))
      return
    case 'substitution':
      return skipSubstitution(scan, depth)
    case 'dollar':
    case 'plain':
      scan.at++
      return
    default:
      return assertNever(piece)
  }
}

/** From the `$` of `$(…)`, `$((…))` or `${…}` to behind its end. */
export function skipSubstitution(scan: ShellScanner, depth = 0): void {
  const open = scan.text.charAt(scan.at + 1)
  const close = open === '(' ? ')' : '}'
  let nested = 1
  scan.at += 2
  while (scan.at < scan.text.length) {
    const character = scan.text.charAt(scan.at)
    if (character === open) nested++
    if (character === close && --nested === 0) {
      scan.at++
      return
    }
    skipPiece(scan, { depth: depth + 1, quoted: false })
  }
}

export function skipComment(scan: ShellScanner): void {
  const end = scan.text.indexOf('\n', scan.at)
  scan.at = end === -1 ? scan.text.length : end
}

/** Spaces, tabs and line ends that a backslash joins. */
export function skipBlanks(scan: ShellScanner): void {
  const blanks = /(?:[ \t]|\\\n)*/y
  blanks.lastIndex = scan.at
  blanks.test(scan.text)
  scan.at = blanks.lastIndex
}
