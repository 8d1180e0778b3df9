/** Command lines: quotes words for a POSIX shell, and splits lines without running one. */
import { assertNever } from '../assert-never.ts'
import { endsWord, shellTokenAt, readEscaped, readQuoted, type ShellScanner } from './shell-scan.ts'

/** Quotes a word if needed, so that the shell expands and runs nothing in it. */
export function quoteShellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** The command line that `splitCommand` splits into these words again. */
export function joinCommand(words: readonly string[]): string {
  return words.map(quoteShellWord).join(' ')
}

/** A shell that may get a line with `-c`. */
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|k|z)?sh$/

/** The command as a person would type it: for `sh -c LINE`, the line. */
export function commandAsTyped(words: readonly string[]): string {
  const [program = '', flag = '', line = ''] = words
  const isLine = words.length === 3 && SHELL.test(program) && /^-l?c$/.test(flag)
  return isLine ? line : joinCommand(words)
}

/** The words of a command line: resolves quotes and backslashes, expands nothing. Null: a quote is not closed, or there is no word. */
export function splitCommand(line: string): string[] | null {
  const scan: ShellScanner = { text: line, at: 0 }
  const words: string[] = []
  for (;;) {
    while (isBlank(line.charAt(scan.at))) scan.at += 1
    if (scan.at >= line.length) return words.length === 0 ? null : words
    const word = readPlainWord(scan, isBlank)
    if (word === null) return null
    words.push(word)
  }
}

function isBlank(character: string): boolean {
  return /\s/.test(character)
}

/** The word that begins here, without its quotes and without expansion. Null: a quote is not closed, or a backslash ends the text. */
export function readPlainWord(scan: ShellScanner, ends: (character: string) => boolean = endsWord): string | null {
  let word = ''
  while (scan.at < scan.text.length && !ends(scan.text.charAt(scan.at))) {
    const text = unquoted(scan)
    if (text === null) return null
    word += text
  }
  return word
}

/** The next piece of a word without its quotes; null: it is not closed. */
function unquoted(scan: ShellScanner): string | null {
  const piece = shellTokenAt(scan, { quoted: false })
  switch (piece) {
    case 'escaped':
      return readEscaped(scan) || null
    case 'single':
    case 'double': {
      const { text, closed } = readQuoted(scan, piece)
      if (!closed || piece === 'single') return closed ? text : null
      return text.replace(/\\(["\\$`])|\\[^]/g, (all, kept?: string) => kept ?? all)
    }
    case 'ansi':
    case 'backticks':
    case 'substitution':
    case 'dollar':
    case 'plain':
      scan.at += 1
      return scan.text.charAt(scan.at - 1)
    default:
      return assertNever(piece)
  }
}

/**
 * The commands of a line, to check for each whether it is allowed. Null: the line substitutes, writes to a file or cannot be parsed, so
 * a list of its commands would not show what it does.
 */
export function commandsInLine(line: string): string[] | null {
  const scan: ShellScanner = { text: line.replace(HARMLESS, ' '), at: 0 }
  const parts: string[] = []
  let part = ''
  while (scan.at < scan.text.length) {
    const from = scan.at
    const sign = scan.text.charAt(from)
    const piece = shellTokenAt(scan, { quoted: false })
    if (piece === 'backticks' || piece === 'substitution') return null
    if (piece === 'escaped') readEscaped(scan)
    else if (piece === 'single' || piece === 'double') {
      const { text, closed } = readQuoted(scan, piece)
      // Inside double quotes the shell still substitutes.
      if (!closed || (piece === 'double' && substitutes(text.replaceAll(/\\[^]/g, '  ')))) return null
    } else {
      if (/[<>(){}]/.test(sign)) return null
      scan.at += 1
    }
    const isEnd = /^[;&|\n]$/.test(sign)
    if (isEnd) parts.push(part)
    part = isEnd ? '' : part + scan.text.slice(from, scan.at)
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== '')
}

function substitutes(text: string): boolean {
  return text.includes('`') || text.includes('$(')
}

/** Redirections that write no file. Inside quotes they are plain words, which are no commands either. */
const HARMLESS = /(?<=\s|^)\d?>{1,2}\s*(?:&\d|\/dev\/null)(?=\s|[;&|]|$)|(?<=\s|^)<\s*\/dev\/null(?=\s|[;&|]|$)/g
