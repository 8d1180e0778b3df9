/**
 * Masks keys and tokens in the output of agents and gates before anything else reads it: in place and with the same length, so that byte
 * ranges, JSON and recovery stay valid. Works on bytes as they arrive; if a chunk ends in what may be the beginning of a secret, that
 * part waits for the next chunk. The result does not depend on how the stream is cut into chunks.
 */
import {
  SECRET_SHAPES,
  SECRET_MAX_LENGTH,
  SECRET_MIN_LENGTH,
  SECRET_CHARACTERS,
} from '../../core/trust/variable-rules.ts'
import { escapeRegExp } from '../../core/text/sanitize.ts'
import { createMultiSearch, type MultiSearch } from './multi-search.ts'
import { PEM_BEGIN, createPrivateKeyFinder } from './mask-private-key.ts'
import { createMaskSpans, partialMatchAt, type MaskSpans } from './mask-spans.ts'

export interface Masker {
  /** Masks one stream and passes it on to `give`. Overwrites the chunks themselves. */
  stream(give: (bytes: Buffer) => void): MaskStream
  text(text: string): string
  /** False: masking would change nothing. True: it may. Cheaper than masking a short text. */
  mayContainSecret(text: string): boolean
}

export interface MaskStream {
  push(chunk: Buffer): void
  /** Passes on what still waits. */
  end(): void
}

/** Passes everything on unchanged. */
export const NO_OP_MASKER: Masker = {
  stream: (give) => ({ push: give, end: () => {} }),
  text: (text) => text,
  mayContainSecret: () => false,
}

/** `spellings`: known secrets, in addition to what looks like one. */
export function createMasker(spellings: readonly string[]): Masker {
  const texts = spellings.filter((text) => text !== '')
  const values = texts.map((text) => Buffer.from(text))
  const anyValue = new RegExp(texts.length === 0 ? '(?!)' : texts.map(escapeRegExp).join('|'))
  const known = { values, search: createMultiSearch(values) }
  const stream: Masker['stream'] = (give) => maskStream(known, give)
  return {
    stream,
    text(text) {
      const pieces: Buffer[] = []
      const masked = stream((bytes) => void pieces.push(bytes))
      masked.push(Buffer.from(text))
      masked.end()
      return Buffer.concat(pieces).toString('utf8')
    },
    mayContainSecret: (text) =>
      text.length > GLANCED_AT || hasRun(text) || text.includes(PEM_BEGIN) || anyValue.test(text),
  }
}

/** For longer texts a search over bytes is faster. */
const GLANCED_AT = 4_000

/** The same search as `findTokens`. A regular expression that counts to twenty takes twenty times as long. */
function hasRun(text: string): boolean {
  let at = 0
  while (at + SECRET_MIN_LENGTH <= text.length) {
    let gap = at + SECRET_MIN_LENGTH - 1
    while (gap >= at && IN_TOKEN[text.charCodeAt(gap)] === 1) gap -= 1
    if (gap < at) return true
    at = gap + 1
  }
  return false
}

/** Secrets known by their value, anywhere in the text. */
interface Known {
  values: readonly Buffer[]
  search: MultiSearch
}

const LF = 10
const SPACE = 32
const SEAM_MAX = 4 * 1024
/** How many preceding bytes it takes to know whether a word begins here. */
const CONTEXT = 8

function maskStream(known: Known, give: (bytes: Buffer) => void): MaskStream {
  let held: Buffer = Buffer.alloc(0)
  /** How many bytes at the front of the waiting ones belong to a secret that was already found. */
  let due = 0
  let before = ''
  const keys = createPrivateKeyFinder()

  function go(bytes: Buffer, { final }: { final: boolean }): void {
    const spans = createMaskSpans()
    spans.add(0, due)
    // No secret spans lines except private keys, which have their own state.
    const whole = final || bytes[bytes.length - 1] === LF
    const search: Search = { known, spans, before, whole }
    const keep = keys.find(bytes, {
      spans,
      keep: Math.min(findValues(bytes, search), findTokens(bytes, search)),
      final,
    })
    due = spans.beyond(keep)
    before = (before + bytes.toString('latin1', Math.max(0, keep - CONTEXT), keep)).slice(-CONTEXT)
    held = keep === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(keep))
    spans.mask(bytes, keep)
    if (keep > 0) give(keep === bytes.length ? bytes : bytes.subarray(0, keep))
  }

  const add = (chunk: Buffer) => go(held.length === 0 ? chunk : Buffer.concat([held, chunk]), { final: false })

  return {
    push(chunk) {
      const seam = held.length === 0 ? 0 : seamOf(chunk)
      if (seam > 0) add(chunk.subarray(0, seam))
      if (seam < chunk.length) add(chunk.subarray(seam))
    },
    end: () => {
      if (held.length > 0) go(held, { final: true })
    },
  }
}

/** How far a chunk is joined to the waiting bytes, so that not all of it is copied. */
function seamOf(chunk: Buffer): number {
  const near = chunk.subarray(0, SEAM_MAX)
  return near.indexOf(LF) + 1 || near.indexOf(SPACE) + 1 || near.length
}

interface Search {
  known: Known
  spans: MaskSpans
  before: string
  /** Nothing that begins here continues in the next chunk. */
  whole: boolean
}

/** Secrets known by their value. Returns where the bytes that must wait begin. */
function findValues(bytes: Buffer, { known, spans, before, whole }: Search): number {
  known.search.each(bytes, (at, value) => spans.add(at + escapeAt(bytes, at, before), at + value.length))
  if (whole) return bytes.length
  return known.values.reduce((first, value) => Math.min(first, partialMatchAt(bytes, value)), bytes.length)
}

/** In JSON, `\nSecret` may be a line end and `Secret`: an escape that begins before the match stays complete. */
function escapeAt(bytes: Buffer, at: number, before: string): number {
  const last = at === 0 ? before.at(-1) : String.fromCharCode(bytes[at - 1] ?? 0)
  if (last !== '\\') return 0
  return bytes[at] === 'u'.charCodeAt(0) ? 5 : 1
}

const IN_TOKEN = Uint8Array.from({ length: 256 }, (_, code) =>
  code < 128 && SECRET_CHARACTERS.test(String.fromCharCode(code)) ? 1 : 0,
)

/**
 * Keys and tokens known by their shape. All use the same characters and none is short, so the search looks only at long runs of these
 * characters, and finds such a run by probing every few bytes.
 */
function findTokens(bytes: Buffer, search: Search): number {
  const { whole } = search
  const end = bytes.length
  let at = 0
  while (at + SECRET_MIN_LENGTH <= end) {
    const gap = gapIn(bytes, at)
    if (gap !== -1) {
      at = gap + 1
      continue
    }
    const run = { start: at, end: endOfRun(bytes, at + SECRET_MIN_LENGTH) }
    at = run.end
    if ((at < end || whole) && isPromising(bytes, run)) judgeRun(bytes, run, search)
  }
  return whole ? end : unfinishedRun(bytes, search)
}

// Every byte of every stream passes through these three functions. The indexes are always valid, and the assertions tell the compiler so:
// checking costs a third of the speed.

/** The index of a byte among the next `SECRET_MIN_LENGTH` that occurs in no token, or -1. Prefers a late one, so that few bytes are
 *  read. */
function gapIn(bytes: Buffer, at: number): number {
  if (IN_TOKEN[bytes[at + SECRET_MIN_LENGTH - 1] as number] === 0) return at + SECRET_MIN_LENGTH - 1
  if (IN_TOKEN[bytes[at + SECRET_MIN_LENGTH - 6] as number] === 0) return at + SECRET_MIN_LENGTH - 6
  if (IN_TOKEN[bytes[at + SECRET_MIN_LENGTH - 4] as number] === 0) return at + SECRET_MIN_LENGTH - 4
  if (IN_TOKEN[bytes[at + SECRET_MIN_LENGTH - 9] as number] === 0) return at + SECRET_MIN_LENGTH - 9
  if (IN_TOKEN[bytes[at + SECRET_MIN_LENGTH - 12] as number] === 0) return at + SECRET_MIN_LENGTH - 12
  for (let i = at + SECRET_MIN_LENGTH - 2; i >= at; i -= 1) if (IN_TOKEN[bytes[i] as number] === 0) return i
  return -1
}

function endOfRun(bytes: Buffer, from: number): number {
  const end = bytes.length
  let at = from
  while (at < end && IN_TOKEN[bytes[at] as number] === 1) at += 1
  return at
}

/** Whether the run contains the first three bytes of some shape. */
function isPromising(bytes: Buffer, { start, end }: ByteRun): boolean {
  let before = bytes[start] as number
  for (let at = start + 1; at < end - 1; at += 1) {
    const code = bytes[at] as number
    const pair = (before << 8) | code
    if (BEGUN_BY[pair] === 1 && BEGUN_BY_THREE.has((pair << 8) | (bytes[at + 1] as number))) return true
    before = code
  }
  return false
}

interface ByteRun {
  start: number
  end: number
}

const BEGINNINGS = SECRET_SHAPES.map(({ begins }) => Buffer.from(begins))
/** Indexed by the first two bytes, and by three. */
const BEGUN_BY = new Uint8Array(1 << 16)
for (const text of BEGINNINGS) BEGUN_BY[text.readUInt16BE(0)] = 1
const BEGUN_BY_THREE = new Set(BEGINNINGS.map((text) => text.readUIntBE(0, 3)))
const BEGINNING = new RegExp(SECRET_SHAPES.map(({ begins }) => begins.replaceAll('.', String.raw`\.`)).join('|'), 'g')
const BODIES = SECRET_SHAPES.map(({ begins, body }) => ({ begins, body: new RegExp(body, 'y') }))
/** A word may begin here although a letter precedes: after a JSON escape, a terminal colour or an encoded character of a URL. */
const ESCAPE = /(?:\\(?:[nrtbf]|u[0-9a-fA-F]{4})|[[;]\d{1,3}m|%[0-9a-fA-F]{2})$/

/** Checks every place where a token may begin. Returns the first that cannot be decided yet, as an offset into the run. */
function judgeRun(
  bytes: Buffer,
  { start, end }: ByteRun,
  { spans, before }: Search,
  judgedTo = end - start,
): number | null {
  const run = bytes.toString('latin1', start, end)
  BEGINNING.lastIndex = 0
  for (let hit = BEGINNING.exec(run); hit !== null; hit = BEGINNING.exec(run)) {
    const at = hit.index
    if (at >= judgedTo) return at
    BEGINNING.lastIndex = at + 1
    const ahead = `${before}${bytes.toString('latin1', Math.max(0, start + at - CONTEXT), start + at)}`.slice(-CONTEXT)
    if (/[A-Za-z0-9]$/.test(ahead) && !ESCAPE.test(ahead)) continue
    for (const { begins, body } of BODIES) {
      body.lastIndex = at + begins.length
      if (!run.startsWith(begins, at) || !body.test(run)) continue
      spans.add(start + at + begins.length, start + body.lastIndex)
      break
    }
  }
  return null
}

/** The run at the end of the chunk: waits from where an incomplete token may begin. */
function unfinishedRun(bytes: Buffer, search: Search): number {
  const end = bytes.length
  let start = end
  while (start > 0 && IN_TOKEN[bytes[start - 1] as number] === 1) start -= 1
  const run = { start, end }
  if (start === end) return end
  const open = isPromising(bytes, run) ? judgeRun(bytes, run, search, end - start - SECRET_MAX_LENGTH) : null
  if (open !== null) return start + open
  for (let at = Math.max(start, end - BEGINNING_MAX + 1); at < end; at += 1) {
    if (BEGUN.has(bytes.toString('latin1', at, end))) return at
  }
  return end
}

const BEGINNING_MAX = Math.max(...BEGINNINGS.map((text) => text.length))
/** Every incomplete prefix. */
const BEGUN = new Set(
  SECRET_SHAPES.flatMap(({ begins }) => Array.from(begins, (_, at) => begins.slice(0, at))).filter(
    (part) => part !== '',
  ),
)
