/**
 * Finds the end of a bash statement without understanding it: blocks, functions, here-documents. A skipped statement is never run or
 * evaluated; only the start of the next assignment matters. The scanner (`core/text/shell-scan.ts`) reads words and quotes; this file
 * knows which of them open and close a block.
 */
import { readPlainWord } from '../../core/text/shell.ts'
import { skipBlanks, skipComment, skipWord, type ShellScanner } from '../../core/text/shell-scan.ts'

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

/** Words that start another command. */
const LEADERS = new Set(['then', 'else', 'elif', 'do', '!', 'time'])

/** Skips one statement: a simple command, a whole `if … fi`, a function. */
export function skipShellStatement(scan: ShellScanner): void {
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

interface Heredoc {
  end: string
  indented: boolean
}

/** A redirection; `<<END` and `<<-END` start lines that belong to the command and must not be read as assignments. */
function heredocAt(scan: ShellScanner): Heredoc | null {
  if (scan.text.startsWith('<<<', scan.at)) {
    scan.at += 3
    return null
  }
  const opening = /<<(-?)[ \t]*/y
  opening.lastIndex = scan.at
  const found = opening.exec(scan.text)
  const word: ShellScanner = { text: scan.text, at: opening.lastIndex }
  const end = found === null ? null : readPlainWord(word)
  if (found === null || end === null || end === '' || end.includes('\n')) {
    scan.at += 1
    return null
  }
  scan.at = word.at
  return { end, indented: found[1] === '-' }
}

/** Until the end marker, their lines contain no words or quotes of the shell. */
function skipHeredocs(scan: ShellScanner, heredocs: readonly Heredoc[]): void {
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
