/**
 * Finds our tags in an agent's own words while they arrive, the same however they are cut into pieces, and in bounded memory: a paragraph
 * is read when it is over, and of what a tag holds only as much is kept as anybody wants to know.
 *
 * A tag that holds others counts, and they do not. One that is never closed counts for nothing and hides nothing: what was found after it
 * stands by itself.
 */
import { stripControl } from '../../text/text.ts'
import { hideCode, isEscaped } from './inline-code.ts'
import { ownLines } from './own-lines.ts'

/** Those with words in them, and those that say all by being there. */
const HOLDING = [
  'task-done',
  'task-failed',
  'promise',
  'next-model',
  'phase-complete',
  'journal',
  'knowledge',
  'verify-fail',
] as const
const BARE = ['tasks-created', 'verify-pass'] as const

export type TagName = (typeof HOLDING)[number] | (typeof BARE)[number]

export interface Tag {
  name: TagName
  /** Its attributes, by their names in small letters; of two alike the first. */
  head: Readonly<Record<string, string>>
  body: string
  /** Its body is only the beginning of what it held. */
  cut: boolean
}

export type Flaw =
  | { is: 'unclosed'; name: TagName }
  | { is: 'nested'; name: TagName; within: TagName }
  /** Its first half cannot be read. */
  | { is: 'unreadable'; name: TagName }
  | { is: 'too-many' }
  | { is: 'too-long' }

export interface Scanned {
  tags: Tag[]
  flaws: Flaw[]
  /** The word about a task stands in code or in a quotation: some put their own there. */
  shown: boolean
}

export interface TagScan {
  push(piece: string): void
  /** Ends the paragraph: whatever comes next belongs to another message. */
  part(): void
  /** What was found. The message is over. */
  end(): Scanned
}

/** As much as is kept of a message. A paragraph that is longer is a flood, and nobody can tell what in it is code. */
const PARAGRAPH_MAX = 256 * 1024
/** More than the longest note or entry may have. */
const BODY_MAX = 8_000
const TAGS_MAX = 50
const FLAWS_MAX = 20
/** Nobody means so many in one another: the outermost was only spoken of. */
const DEPTH_MAX = 4

/** All tags of a whole text. */
export function tagsOf(text: string): Scanned {
  const scan = tagScan()
  scan.push(text)
  return scan.end()
}

/** So much is only kept, not read: most messages are shorter, and a message without this sign has no tag. */
const UNREAD_MAX = 64 * 1024
const SIGN = '<'

/** The end of a paragraph, among pieces. */
const PART = Symbol('part')

export function tagScan(): TagScan {
  let scan: TagScan | null = null
  let unread: (string | typeof PART)[] = []
  let length = 0
  const read = (): TagScan => {
    const begun = scan ?? paragraphScan()
    scan = begun
    for (const piece of unread) {
      if (piece === PART) begun.part()
      else begun.push(piece)
    }
    unread = []
    return begun
  }
  return {
    push(piece) {
      if (scan !== null) return scan.push(piece)
      unread.push(piece)
      length += piece.length
      if (length > UNREAD_MAX || unread.length > PIECES_MAX) read()
    },
    part() {
      if (scan === null) unread.push(PART)
      else scan.part()
    },
    end() {
      const isPlain = scan === null && !unread.some((piece) => piece !== PART && piece.includes(SIGN))
      return isPlain ? { tags: [], flaws: [], shown: false } : read().end()
    },
  }
}

/** A stream of single characters would cost more in its list than in its text. */
const PIECES_MAX = 10_000

function paragraphScan(): TagScan {
  const lines = ownLines()
  const reading = nothingRead()
  let pending = ''
  let flood = false

  function takeLine(line: string): void {
    const kind = lines.take(line)
    if (kind === 'said') return addLine(reading, line)
    endParagraph(reading)
    if (TASK_WORD.test(line)) reading.shown = true
    keep(reading, `${line}\n`)
  }

  /** A whole line, or several where an old machine's ends of lines are in it. */
  function endLine(): void {
    if (flood) overflow(reading, pending)
    else if (!pending.includes('\r')) takeLine(stripControl(pending))
    else for (const line of pending.replace(/\r$/, '').split('\r')) takeLine(stripControl(line))
    pending = ''
    flood = false
  }

  function add(piece: string): void {
    if (flood || piece === '') return
    pending += piece
    if (pending.length <= PARAGRAPH_MAX) return
    flood = true
    pending = pending.slice(0, PARAGRAPH_MAX)
  }

  function part(): void {
    endLine()
    takeLine('')
  }

  return {
    push(piece) {
      let from = 0
      for (let to = piece.indexOf('\n'); to !== -1; to = piece.indexOf('\n', from)) {
        add(piece.slice(from, to))
        endLine()
        from = to + 1
      }
      add(from === 0 ? piece : piece.slice(from))
    },
    part,
    end() {
      part()
      return concluded(reading)
    },
  }
}

interface Open {
  tag: Tag
  /** Found since it was opened. */
  inner: Tag[]
}

interface Reading {
  paragraph: string[]
  length: number
  /** The paragraph is too long: all of it is passed over. */
  overflown: boolean
  open: Open[]
  found: Tag[]
  flaws: Flaw[]
  shown: boolean
}

function nothingRead(): Reading {
  return { paragraph: [], length: 0, overflown: false, open: [], found: [], flaws: [], shown: false }
}

function addLine(reading: Reading, line: string): void {
  reading.length += line.length + 1
  if (reading.overflown || reading.length > PARAGRAPH_MAX) return overflow(reading, line)
  reading.paragraph.push(line)
}

function overflow(reading: Reading, line: string): void {
  const text = `${[...reading.paragraph, line].join('\n')}\n`
  if (MAYBE.test(text) && !reading.flaws.some(({ is }) => is === 'too-long'))
    flaw(reading, { is: 'too-long' })
  reading.overflown = true
  reading.paragraph = []
  for (const { tag } of reading.open) tag.cut = true
}

function endParagraph(reading: Reading): void {
  if (reading.paragraph.length > 0) readParagraph(reading, `${reading.paragraph.join('\n')}\n`)
  reading.paragraph = []
  reading.length = 0
  reading.overflown = false
}

const NAMES = [...HOLDING, ...BARE].join('|')
const MAYBE = new RegExp(`</?(?:${NAMES})[\\s/>]`)
const TASK_WORD = /<task-(?:done|failed)>/

function readParagraph(reading: Reading, text: string): void {
  if (!text.includes('<') || !MAYBE.test(text)) return keep(reading, text)
  const seen = hideCode(text)
  if (TASK_WORD.test(text) && !TASK_WORD.test(seen)) reading.shown = true
  let at = 0
  for (const sign of seen.matchAll(new RegExp(`<(/?)(${NAMES})(?=[\\s/>])`, 'g'))) {
    // Inside the head of another tag.
    if (sign.index < at) continue
    const name = sign[2] as TagName
    const to = sign[1] === '/' ? closingEnd(seen, sign) : openingEnd(reading, { seen, text, sign, name })
    if (to === null) continue
    keep(reading, text.slice(at, sign.index))
    if (sign[1] === '/') close(reading, { name, written: text.slice(sign.index, to.at) })
    else begin(reading, { name, head: to.head, alone: to.alone, written: text.slice(sign.index, to.at) })
    at = to.at
  }
  keep(reading, text.slice(at))
}

interface HeadEnd {
  at: number
  head: Tag['head']
  /** It closes itself. */
  alone: boolean
}

function closingEnd(seen: string, sign: RegExpExecArray): HeadEnd | null {
  const end = sticky(/\s*>/y, seen, sign.index + sign[0].length)
  return end === null ? null : { at: end.to, head: {}, alone: false }
}

/** Signs that stand right before a tag that somebody quotes. */
const QUOTES = /["'“”„‘’‚«»‹›]/

const ATTRIBUTE = /\s+([A-Za-z][\w-]{0,40})\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>/]+)/y

function openingEnd(
  reading: Reading,
  { seen, text, sign, name }: { seen: string; text: string; sign: RegExpExecArray; name: TagName },
): HeadEnd | null {
  if (isEscaped(seen, sign.index) || QUOTES.test(seen.charAt(sign.index - 1))) {
    if (TASK_WORD.test(`<${name}>`)) reading.shown = true
    return null
  }
  const head: Record<string, string> = {}
  let at = sign.index + sign[0].length
  for (let next = sticky(ATTRIBUTE, seen, at); next !== null; next = sticky(ATTRIBUTE, seen, at)) {
    at = next.to
    const [, key = '', value = ''] = next.found
    const written = text.slice(at - value.length, at)
    if (!Object.hasOwn(head, key.toLowerCase()))
      head[key.toLowerCase()] = /^["']/.test(written) ? written.slice(1, -1) : written
  }
  const end = sticky(/\s*(\/?)>/y, seen, at)
  if (end !== null) return { at: end.to, head, alone: end.found[1] === '/' }
  flaw(reading, { is: 'unreadable', name })
  return null
}

function sticky(pattern: RegExp, text: string, at: number): { found: RegExpExecArray; to: number } | null {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found === null ? null : { found, to: at + found[0].length }
}

interface Beginning {
  name: TagName
  head: Tag['head']
  alone: boolean
  written: string
}

function begin(reading: Reading, { name, head, alone, written }: Beginning): void {
  const tag: Tag = { name, head, body: '', cut: false }
  const bare = (BARE as readonly string[]).includes(name)
  keep(reading, written)
  // The Rust tool knew this one only so.
  if (name === 'verify-pass' && !alone) return
  if (bare || alone) return find(reading, tag)
  reading.open.push({ tag, inner: [] })
  if (reading.open.length > DEPTH_MAX) giveUp(reading)
}

function close(reading: Reading, { name, written }: { name: TagName; written: string }): void {
  const index = reading.open.findLastIndex(({ tag }) => tag.name === name)
  const opened = reading.open[index]
  if (opened !== undefined) {
    // What is still open inside it was only spoken of.
    const inside = reading.open.splice(index).flatMap(({ inner }) => inner)
    for (const tag of inside) flaw(reading, { is: 'nested', name: tag.name, within: name })
  }
  keep(reading, written)
  if (opened !== undefined) find(reading, opened.tag)
}

function find({ open, found, flaws }: Reading, tag: Tag): void {
  const list = open.at(-1)?.inner ?? found
  if (list.length < TAGS_MAX) list.push(tag)
  else if (!flaws.some(({ is }) => is === 'too-many')) flaws.push({ is: 'too-many' })
}

/** Belongs to whatever is open. */
function keep({ open }: Reading, text: string): void {
  for (const { tag } of open) {
    if (tag.body.length + text.length > BODY_MAX) tag.cut = true
    if (tag.body.length < BODY_MAX) tag.body += text.slice(0, BODY_MAX - tag.body.length)
  }
}

function flaw({ flaws }: Reading, one: Flaw): void {
  if (flaws.length < FLAWS_MAX) flaws.push(one)
}

/** The outermost one that is open is never closed: what was found in it stands by itself. */
function giveUp(reading: Reading): void {
  const outermost = reading.open.shift()
  if (outermost === undefined) return
  flaw(reading, { is: 'unclosed', name: outermost.tag.name })
  reading.found.push(...outermost.inner.slice(0, TAGS_MAX - reading.found.length))
}

function concluded(reading: Reading): Scanned {
  while (reading.open.length > 0) giveUp(reading)
  const { found: tags, flaws, shown } = reading
  return { tags, flaws, shown }
}
