/** Command lines: words written so that a POSIX shell takes them as they are, and lines taken apart without being a shell. */
import { readDouble, readEscaped, readSingle, type Scanner } from './shell-scan.ts'

/** Quoted where it must be, so that nothing in it is expanded or run. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** The command line that `splitCommand` takes apart into these words again. */
export function joinCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

/** The words of a command line: quotes and backslashes, no expansion of any kind. Null when a quote is not closed or there is no word. */
export function splitCommand(line: string): string[] | null {
  const scan: Scanner = { text: line, at: 0 }
  const words: string[] = []
  let word: string | null = null
  while (scan.at < line.length) {
    const sign = line.charAt(scan.at)
    if (/\s/.test(sign)) {
      if (word !== null) words.push(word)
      word = null
      scan.at += 1
      continue
    }
    const text = unquoted(scan)
    if (text === null) return null
    word = (word ?? '') + text
  }
  if (word !== null) words.push(word)
  return words.length === 0 ? null : words
}

/** The next piece of a word without its quotes; null: it has no end. */
function unquoted(scan: Scanner): string | null {
  const sign = scan.text.charAt(scan.at)
  if (sign === '\\') return readEscaped(scan) || null
  if (sign === "'" || sign === '"') {
    const { text, closed } = sign === "'" ? readSingle(scan) : readDouble(scan)
    if (!closed) return null
    return sign === "'" ? text : text.replace(/\\(["\\$`])|\\[^]/g, (all, kept?: string) => kept ?? all)
  }
  scan.at += 1
  return sign
}

/**
 * The commands of a line that are run one after the other, for asking about each of them whether it is allowed. Null: the line
 * substitutes, writes into a file or cannot be read, so that no list of its commands would tell what it does.
 */
export function partsOf(line: string): string[] | null {
  const scan: Scanner = { text: line.replace(HARMLESS, ' '), at: 0 }
  const parts: string[] = []
  let part = ''
  while (scan.at < scan.text.length) {
    const from = scan.at
    const sign = scan.text.charAt(from)
    if (sign === '\\') readEscaped(scan)
    else if (sign === "'" || sign === '"') {
      const { text, closed } = sign === "'" ? readSingle(scan) : readDouble(scan)
      // Inside double quotes the shell still substitutes.
      if (!closed || (sign === '"' && substitutes(text.replaceAll(/\\[^]/g, '  ')))) return null
    } else {
      if (/[<>(){}`]/.test(sign) || scan.text.startsWith('$(', from)) return null
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
const HARMLESS =
  /(?<=\s|^)\d?>{1,2}\s*(?:&\d|\/dev\/null)(?=\s|[;&|]|$)|(?<=\s|^)<\s*\/dev\/null(?=\s|[;&|]|$)/g
