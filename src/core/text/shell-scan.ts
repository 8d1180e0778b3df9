/**
 * The only scanner of shell text: what a character starts, and where words, quotes and substitutions end. It runs and evaluates nothing.
 * Command lines (`shell.ts`), scripts (`protection/imports.ts`) and the bash tool's settings (`compat/bash`) are parsed on top of it.
 *
 * It does not cover here-documents and blocks of bash (`compat/bash/shell-skip.ts`), the values of variables and defaults
 * (`compat/bash/shell-expand.ts`), arithmetic, which is skipped like the command it looks like, and texts that only mention a command
 * (`protection/gate-commands.ts`).
 */
import { assertNever } from '../assert-never.ts'

export interface ShellScanner {
  readonly text: string
  at: number
}

/** No person nests deeper than this; beyond it, the rest of the file counts as unreadable. */
const DEPTH_MAX = 40

/** Whether this character ends an unquoted word. */
export function endsWord(character: string): boolean {
  return /[\s;&|()<>]/.test(character)
}

/** The token at the scanner. `dollar`: a variable, or only the character; `substitution`: `$(…)`, `$((…))` or `${…}`. */
export type ShellToken = 'escaped' | 'single' | 'double' | 'ansi' | 'backticks' | 'substitution' | 'dollar' | 'plain'

/** `quoted`: between double quotes, where single quotes are plain characters. */
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

/** Reads a backslash and returns the character it escapes; empty at the end of the text. */
export function readEscaped(scan: ShellScanner): string {
  const next = scan.text.charAt(scan.at + 1)
  scan.at += 2
  return next
}

export interface QuotedText {
  /** The raw text between the quotes. */
  text: string
  closed: boolean
}

/** Reads from an opening quote (`$'` for `ansi`) to the closing one that is not escaped; single quotes have no escapes. Callers that
 *  expand substitutions use `walkDoubleQuoted` for double quotes. */
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

/** Reads a double-quoted text piece by piece; `piece` advances the scanner. False: the closing quote is missing. */
export function walkDoubleQuoted(scan: ShellScanner, piece: () => void): boolean {
  scan.at++
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== '"') piece()
  return closeQuote(scan)
}

/** Skips one word with all its quotes and substitutions; returns its text as written. */
export function skipWord(scan: ShellScanner): string {
  const start = scan.at
  while (scan.at < scan.text.length && !endsWord(scan.text.charAt(scan.at)))
    skipPiece(scan, { depth: 0, quoted: false })
  if (scan.at === start) scan.at++
  return scan.text.slice(start, scan.at)
}

/** Skips an escaped character, a quoted text, a substitution, or one plain character. */
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

/** Skips from the `$` of `$(…)`, `$((…))` or `${…}` to after its end. */
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

/** Skips spaces, tabs and escaped line ends. */
export function skipBlanks(scan: ShellScanner): void {
  const blanks = /(?:[ \t]|\\\n)*/y
  blanks.lastIndex = scan.at
  blanks.test(scan.text)
  scan.at = blanks.lastIndex
}
