/**
 * Finds where a piece of shell ends without understanding it: quotes, substitutions, blocks, here-documents. What it
 * passes over is never run and never evaluated; the only question is where ordinary assignments begin again.
 */

export interface Scanner {
  readonly text: string
  at: number
}

/** Deeper nesting than any person writes; beyond it the rest of the file counts as unreadable. */
const DEPTH_MAX = 40

const OPENERS: Readonly<Record<string, string>> = {
  if: 'fi',
  for: 'done',
  while: 'done',
  until: 'done',
  select: 'done',
  case: 'esac',
  '{': '}',
  '[[': ']]',
}

/** Words after which another command begins. */
const LEADERS = new Set(['then', 'else', 'elif', 'do', '!', 'time'])

/** Passes over one statement to the start of the next: a simple command, a whole `if … fi`, a function. */
export function skipStatement(scan: Scanner): void {
  const closers: string[] = []
  const heredocs: Heredoc[] = []
  let atCommand = true
  let afterOperator = false
  while (scan.at < scan.text.length) {
    const character = scan.text.charAt(scan.at)
    if (character === '\n') {
      scan.at++
      skipHeredocs(scan, heredocs.splice(0))
      if (closers.length === 0 && !afterOperator) return
      atCommand = true
    } else if (character === '#') {
      skipComment(scan)
    } else if (character === ';') {
      scan.at++
      if (closers.length === 0 && heredocs.length === 0) return
      atCommand = true
    } else if (character === '&' || character === '|') {
      scan.at++
      afterOperator = true
      atCommand = true
    } else if (character === '(') {
      scan.at++
      closers.push(')')
      atCommand = true
    } else if (character === ')') {
      scan.at++
      if (closers.at(-1) === ')') closers.pop()
      atCommand = true
    } else if (character === '<' || character === '>') {
      const heredoc = heredocAt(scan)
      if (heredoc !== null) heredocs.push(heredoc)
    } else if (/\s/.test(character)) {
      scan.at++
    } else {
      const word = skipWord(scan)
      afterOperator = false
      if (word === closers.at(-1) && (atCommand || word === ']]')) {
        closers.pop()
        atCommand = false
      } else if (atCommand && Object.hasOwn(OPENERS, word)) {
        closers.push(OPENERS[word] ?? '')
        atCommand = word === '{'
      } else if (word === 'function') {
        skipBlanks(scan)
        skipWord(scan)
        atCommand = true
      } else {
        atCommand = atCommand && LEADERS.has(word)
      }
    }
  }
}

/** Passes over one word with all its quotes and substitutions; returns its text as written. */
function skipWord(scan: Scanner): string {
  const start = scan.at
  while (scan.at < scan.text.length && !/[\s;&|()<>]/.test(scan.text.charAt(scan.at))) skipPiece(scan, 0)
  if (scan.at === start) scan.at++
  return scan.text.slice(start, scan.at)
}

/** Passes over a backslashed character, a quoted text, a substitution, or one plain character. */
function skipPiece(scan: Scanner, depth: number): void {
  const character = scan.text.charAt(scan.at)
  const next = scan.text.charAt(scan.at + 1)
  if (depth > DEPTH_MAX) scan.at = scan.text.length
  else if (character === '\\') scan.at += 2
  else if (character === "'") skipTo(scan, "'")
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

function skipTo(scan: Scanner, end: string): void {
  const found = scan.text.indexOf(end, scan.at + 1)
  scan.at = found === -1 ? scan.text.length : found + 1
}

function skipAnsi(scan: Scanner): void {
  scan.at += 2
  while (scan.at < scan.text.length && scan.text.charAt(scan.at) !== "'") {
    scan.at += scan.text.charAt(scan.at) === '\\' ? 2 : 1
  }
  scan.at++
}

interface Heredoc {
  end: string
  indented: boolean
}

/** A redirection; `<<END` and `<<-END` announce lines that belong to the command and must not be read as assignments. */
function heredocAt(scan: Scanner): Heredoc | null {
  const match = /<<(-?)[ \t]*(?!<)(["']?)([^\s"';&|()<>]+)\2/y
  match.lastIndex = scan.at
  const found = scan.text.startsWith('<<<', scan.at) ? null : match.exec(scan.text)
  if (found === null) {
    scan.at += scan.text.startsWith('<<<', scan.at) ? 3 : 1
    return null
  }
  scan.at += found[0].length
  return { end: (found[3] ?? '').replace(/\\/g, ''), indented: found[1] === '-' }
}

function skipHeredocs(scan: Scanner, heredocs: readonly Heredoc[]): void {
  for (const { end, indented } of heredocs) {
    while (scan.at < scan.text.length) {
      const newline = scan.text.indexOf('\n', scan.at)
      const stop = newline === -1 ? scan.text.length : newline
      const line = scan.text.slice(scan.at, stop)
      scan.at = newline === -1 ? stop : stop + 1
      if ((indented ? line.replace(/^\t+/, '') : line) === end) break
    }
  }
}
