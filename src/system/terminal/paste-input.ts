/**
 * The keyboard for a one-line question. Pasted text arrives as one piece, marked by the terminal: otherwise each of its line ends would
 * be an answer, and the question would be redrawn for every character. In the line a placeholder represents it.
 */
import { PassThrough, type Readable } from 'node:stream'

const ON = '\u001B[?2004h'
const OFF = '\u001B[?2004l'
const START = '\u001B[200~'
const END = '\u001B[201~'

/** Shorter pasted text appears in the line itself. */
const SHORT = 200

export interface PasteReader {
  /** The typed part of the data, with placeholders for pasted text. */
  read: (data: string) => string
  /** The line with pasted text in place of its placeholders. */
  whole: (line: string) => string
}

export function createPasteReader(): PasteReader {
  const pasted = new Map<string, string>()
  /** Null: no paste is in progress. */
  let pasting: string | null = null
  let rest = ''

  function mark(text: string): string {
    if (text.length <= SHORT && !text.includes('\n')) return text
    const lines = text.split('\n').length
    const size = lines > 1 ? `${lines} lines` : `${text.length} characters`
    const name = `[pasted ${pasted.size + 1}: ${size}]`
    pasted.set(name, text)
    return name
  }

  return {
    read(data) {
      let left = rest + data
      let typed = ''
      rest = ''
      for (;;) {
        const at = left.indexOf(pasting === null ? START : END)
        if (at < 0) break
        if (pasting === null) typed += left.slice(0, at)
        else typed += mark((pasting + left.slice(0, at)).replace(/\r\n?/g, '\n').replace(/\n+$/, ''))
        left = left.slice(at + START.length)
        pasting = pasting === null ? '' : null
      }
      // An escape sequence may arrive in two pieces. An escape alone is a key.
      const cut = beginning(left)
      rest = left.slice(cut)
      if (pasting === null) return typed + left.slice(0, cut)
      pasting += left.slice(0, cut)
      return typed
    },
    whole: (line) => [...pasted].reduce((text, [name, words]) => text.replace(name, () => words), line),
  }
}

/** Where an incomplete escape sequence begins; the length if there is none. */
function beginning(text: string): number {
  const at = text.lastIndexOf('\u001B[2')
  const isPart = at >= 0 && [START, END].some((sign) => sign.startsWith(text.slice(at)))
  return isPart ? at : text.length
}

export interface PasteInput extends Pick<PasteReader, 'whole'> {
  input: Readable
  close(): void
}

/** Behaves like a terminal. */
class Typed extends PassThrough {
  readonly isTTY = true

  setRawMode(isRaw: boolean): this {
    process.stdin.setRawMode(isRaw)
    return this
  }
}

/** Only if standard input and output are a terminal. */
export function openPasteInput(): PasteInput {
  const { stdin, stdout } = process
  const reader = createPasteReader()
  const input = new Typed()
  const decoder = new TextDecoder()
  const hear = (data: Buffer): void => {
    const typed = reader.read(decoder.decode(data, { stream: true }))
    if (typed !== '') input.write(typed)
  }
  stdin.on('data', hear)
  stdin.resume()
  stdout.write(ON)
  return {
    input,
    whole: reader.whole,
    close() {
      stdout.write(OFF)
      stdin.off('data', hear)
      stdin.pause()
    },
  }
}
