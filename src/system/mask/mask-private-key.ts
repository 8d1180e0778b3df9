/**
 * Finds private keys in PEM armour (`-----BEGIN … PRIVATE KEY-----`), also with JSON line ends, listing numbers or diff signs between
 * their lines. Only actual lines of a key are masked: text that merely mentions a key stays readable.
 */
import { partialMatchAt, type MaskSpans } from './mask-spans.ts'

/** The shortest line that certainly belongs to a key; the others are 64 or 70 long. */
const LINE_MIN = 40
/** The most bytes between two lines of a key: its headers, a line number. After that the key is over. */
const BETWEEN_MAX = 256
/** The last line is short; a number may precede it. */
const SHORT_ENDS = 2

export const PEM_BEGIN = '-----BEGIN '
const BEGIN = Buffer.from(PEM_BEGIN)
/** The search uses this part of it: code and listings are full of hyphens. */
const RARE = BEGIN.subarray(5)
const HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const HEAD_BEGUN = /^-----BEGIN [A-Z0-9 ]{0,60}-{0,5}$/
const HEAD_MAX = 100

const BACKSLASH = '\\'.charCodeAt(0)
const HYPHEN = '-'.charCodeAt(0)
const QUOTE = '"'.charCodeAt(0)
const LETTER_U = 'u'.charCodeAt(0)
const IN_LINE = Uint8Array.from({ length: 256 }, (_, code) =>
  code < 128 && /[A-Za-z0-9+/=]/.test(String.fromCharCode(code)) ? 1 : 0,
)

interface Block {
  /** Bytes since the head, or since the last line of the key. */
  since: number
  /** Inside a line of the key. */
  inLine: boolean
  /** How many short lines may still belong to it. */
  shorts: number
}

export interface PrivateKeyFinder {
  /** Marks what to mask before `keep`; returns the `keep` that it needs itself. */
  find(bytes: Buffer, options: { spans: MaskSpans; keep: number; final: boolean }): number
}

export function createPrivateKeyFinder(): PrivateKeyFinder {
  let block: Block | null = null
  return {
    find(bytes, { spans, keep, final }) {
      let at = 0
      for (;;) {
        if (block !== null) {
          const walked = walk(bytes, block, { at, spans, keep, final })
          if (!walked.over) return walked.at
          block = null
          at = walked.at
        }
        const head = nextHead(bytes, { at, keep, final })
        if (head.is === 'none') return keep
        if (head.is === 'unfinished') return head.at
        block = { since: 0, inLine: false, shorts: 0 }
        at = head.end
      }
    },
  }
}

type Head = { is: 'none' } | { is: 'unfinished'; at: number } | { is: 'head'; end: number }

function nextHead(bytes: Buffer, { at, keep, final }: { at: number; keep: number; final: boolean }): Head {
  for (let begin = nextBegin(bytes, at); begin !== -1 && begin < keep; begin = nextBegin(bytes, begin + 1)) {
    const text = bytes.toString('latin1', begin, begin + HEAD_MAX)
    HEAD.lastIndex = 0
    const found = HEAD.exec(text)
    if (found !== null) {
      const end = begin + found[0].length
      return end <= keep ? { is: 'head', end } : { is: 'unfinished', at: begin }
    }
    if (!final && HEAD_BEGUN.test(text)) return { is: 'unfinished', at: begin }
  }
  const part = final ? bytes.length : partialMatchAt(bytes, BEGIN)
  return part < keep ? { is: 'unfinished', at: part } : { is: 'none' }
}

function nextBegin(bytes: Buffer, from: number): number {
  const before = BEGIN.length - RARE.length
  let at = bytes.indexOf(RARE, from + before)
  while (at !== -1 && bytes.compare(BEGIN, 0, before, at - before, at) !== 0) at = bytes.indexOf(RARE, at + 1)
  return at === -1 ? -1 : at - before
}

interface Walk {
  at: number
  spans: MaskSpans
  keep: number
  final: boolean
}

/** Scans a block as far as the bytes allow. `over`: the key has ended, or there was none. */
function walk(bytes: Buffer, block: Block, { at, spans, keep, final }: Walk): { at: number; over: boolean } {
  let i = at
  while (i < keep) {
    const code = bytes[i] ?? 0
    if (IN_LINE[code] === 1) {
      let end = i
      while (end < keep && IN_LINE[bytes[end] ?? 0] === 1) end += 1
      const long = block.inLine || end - i >= LINE_MIN
      if (!long && end === keep && !final) return { at: i, over: false }
      if (long || block.shorts > 0) spans.add(i, end)
      if (long) {
        block.since = 0
        block.shorts = SHORT_ENDS
        block.inLine = end === keep && !final
      } else {
        block.shorts -= 1
        block.since += end - i
      }
      i = end
    } else {
      block.inLine = false
      const hyphens = code === HYPHEN ? hyphensAt(bytes, i, keep) : 0
      const step = code === BACKSLASH ? escapeLength(bytes, i, keep) : Math.max(1, hyphens)
      const cut = hyphens > 0 ? i + step === keep : i + step > keep
      if (cut && !final) return { at: i, over: false }
      // No key contains a quote: a JSON text or a value of a settings file ends here.
      if (hyphens >= 5 || bytes[i + step - 1] === QUOTE) return { at: i, over: true }
      block.since += step
      i += step
    }
    if (block.since > BETWEEN_MAX) return { at: i, over: true }
  }
  return { at: keep, over: false }
}

/** `\n`, and `\\n` in JSON inside JSON, and `\u000a`. */
function escapeLength(bytes: Buffer, at: number, keep: number): number {
  let i = at
  while (i < keep && bytes[i] === BACKSLASH) i += 1
  return i - at + (bytes[i] === LETTER_U ? 5 : 1)
}

function hyphensAt(bytes: Buffer, at: number, keep: number): number {
  let i = at
  while (i < keep && bytes[i] === HYPHEN) i += 1
  return i - at
}
