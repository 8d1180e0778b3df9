/** Command lines: words written so that a POSIX shell takes them as they are, and lines taken apart without being a shell. */
import { assertNever } from '../assert-never.ts'
import { endsWord, shellTokenAt, readEscaped, readQuoted, type ShellScanner } from './shell-scan.ts'

/** Quoted where it must be, so that nothing in it is expanded or run. */
export function quoteShellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** The command line that `splitCommand` takes apart into these words again. */
export function joinCommand(words: readonly string[]): string {
  return words.map(quoteShellWord).join(' ')
}

/** A shell that is given one line. */
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|k|z)?sh$/

/** As a person would type it: where a shell is given a line, that line. */
export function displayCommand(words: readonly string[]): string {
  const [program = '', flag = '', line = ''] = words
  const isLine = words.length === 3 && SHELL.test(program) && /^-l?c$/.test(flag)
  return isLine ? line : joinCommand(words)
}

/** The words of a command line: quotes and backslashes, no expansion of any kind. Null when a quote is not closed or there is no word. */
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

/** The word that begins here without its quotes, nothing in it expanded. Null: a quote or a backslash in it has no end. */
export function readPlainWord(scan: ShellScanner, ends: (character: string) => boolean = endsWord): string | null {
  let word = ''
  while (scan.at < scan.text.length && !ends(scan.text.charAt(scan.at))) {
    const text = unquoted(scan)
    if (text === null) return null
    word += text
  }
  return word
}

/** The next piece of a word without its quotes; null: it has no end. */
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
 * The commands of a line that are run one after the other, for asking about each of them whether it is allowed. Null: the line
 * substitutes, writes into a file or cannot be read, so that no list of its commands would tell what it does.
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

/** Redirections that write no file. Quoted they are plain words, which are no command either. */
const HARMLESS = /(?<=\s|^)\d?>{1,2}\s*(?:&\d|\/dev\/null)(?=\s|[;&|]|$)|(?<=\s|^)<\s*\/dev\/null(?=\s|[;&|]|$)/g
