/**
 * The one scanner of shell text: where words, quotes and substitutions begin and end. It runs nothing and evaluates nothing. Command
 * lines (`shell.ts`) and the bash tool's settings (`compat/bash`) are read on top of it.
 */

export interface Scanner {
  readonly text: string
  at: number
}

/** Deeper nesting than any person writes; beyond it the rest of the file counts as unreadable. */
const DEPTH_MAX = 40

/** What ends a word that is not quoted. */
export function endsWord(character: string): boolean {
  return /[\s;&|()<>]/.test(character)
}

/** From a backslash on: the character that it takes its meaning from; empty at the end of the text. */
export function readEscaped(scan: Scanner): string {
  const next = scan.text.charAt(scan.at + 1)
  scan.at += 2
  return next
}

export interface Quoted {
  /** As it stands between the quotes. */
  text: string
  closed: boolean
}

/** From a single quote on: nothing in it means anything. */
export function readSingle(scan: Scanner): Quoted {
  const end = scan.text.indexOf("'", scan.at + 1)
  const text = scan.text.slice(scan.at + 1, end === -1 ? undefined : end)
  scan.at = end === -1 ? scan.text.length : end + 1
  return { text, closed: end !== -1 }
}

/** From a double quote on to the next that is not escaped. Whoever substitutes looks into it for more quotes: see `skipDouble`. */
export function readDouble(scan: Scanner): Quoted {
  const start = scan.at + 1
  scan.at = start
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== '"')
    scan.at += scan.text.charAt(scan.at) === '\\' ? 2 : 1
  const closed = scan.at < scan.text.length
  const text = scan.text.slice(start, scan.at)
  scan.at = closed ? scan.at + 1 : scan.text.length
  return { text, closed }
}

/** Passes over one word with all its quotes and substitutions; returns its text as written. */
export function skipWord(scan: Scanner): string {
  const start = scan.at
  while (scan.at < scan.text.length && !endsWord(scan.text.charAt(scan.at))) skipPiece(scan, 0)
  if (scan.at === start) scan.at++
  return scan.text.slice(start, scan.at)
}

/** Passes over a backslashed character, a quoted text, a substitution, or one plain character. */
function skipPiece(scan: Scanner, depth: number): void {
  const character = scan.text.charAt(scan.at)
  const next = scan.text.charAt(scan.at + 1)
  if (depth > DEPTH_MAX) scan.at = scan.text.length
  else if (character === '\\') readEscaped(scan)
  else if (character === "'") readSingle(scan)
  else if (character === '"') skipDouble(scan, depth)
  else if (character === '`') skipBackticks(scan)
  else if (character === '$' && next === "'") skipAnsi(scan)
  else if (character === '$' && (next === '(' || next === '{')) skipSubstitution(scan, depth)
  else scan.at++
}

/** From the `$` of `$(…)`, `$((…))` or `${…}` to behind its end. */
export function skipSubstitution(scan: Scanner, depth = 0): void {
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
    skipPiece(scan, depth + 1)
  }
}

export function skipBackticks(scan: Scanner): void {
  scan.at++
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== '`') {
    scan.at += scan.text.charAt(scan.at) === '\\' ? 2 : 1
  }
  scan.at++
}

export function skipComment(scan: Scanner): void {
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== '\n') scan.at++
}

/** Spaces, tabs and line ends that a backslash joins. */
export function skipBlanks(scan: Scanner): void {
  for (;;) {
    if (scan.text.startsWith('\\\n', scan.at)) scan.at += 2
    else if (/[ \t]/.test(scan.text.charAt(scan.at))) scan.at++
    else return
  }
}

function skipDouble(scan: Scanner, depth: number): void {
  scan.at++
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== '"') {
    if (scan.text.charAt(scan.at) === "'") scan.at++
    else skipPiece(scan, depth + 1)
  }
  scan.at++
}

function skipAnsi(scan: Scanner): void {
  scan.at += 2
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== "'") {
    scan.at += scan.text.charAt(scan.at) === '\\' ? 2 : 1
  }
  scan.at++
}
