/**
 * Finds Ralph's tags in an agent's own text as it arrives, independent of how it is split into pieces, and in bounded memory: a paragraph
 * is read when it ends, and only the beginning of a tag's body is kept.
 *
 * Of nested tags only the outer one counts. A tag that is never closed does not count and hides nothing: tags after it count by
 * themselves.
 */
import { stripControl } from '../../text/sanitize.ts'
import { blankInlineCode, isEscaped } from './inline-code.ts'
import { createLineClassifier } from './line-classifier.ts'
import { createQuotationMatcher } from './quotations.ts'

/** Tags with a body, and tags without one. */
const HOLDING = [
  'task-done',
  'task-failed',
  'promise',
  'next-model',
  'phase-complete',
  'journal',
  'knowledge',
  'verify-pass',
  'verify-fail',
] as const
const BARE = ['tasks-created'] as const

export type TagName = (typeof HOLDING)[number] | (typeof BARE)[number]

const CODE = ['pre', 'code', 'samp', 'kbd', 'q', 'blockquote', 'document', 'example']
const THOUGHT = ['think', 'thinking', 'reasoning', 'analysis', 'scratchpad']
const OTHERS = ['tool_call', 'tool_result', 'tool_response', 'function_results', 'system-reminder']
/** Elements around code, thoughts or text of others: nothing inside them counts. */
const FRAMES = [...CODE, ...THOUGHT, ...OTHERS]
const COMMENT = { from: '<!--', to: '-->' } as const

export interface Tag {
  name: TagName
  /** Its attributes by lower-case name; the first of duplicates. */
  head: Readonly<Record<string, string>>
  body: string
  /** Its body was too long and is truncated. */
  cut: boolean
}

export type TagProblem =
  | { is: 'unclosed'; name: TagName }
  | { is: 'nested'; name: TagName; within: TagName }
  /** Its opening tag cannot be parsed. */
  | { is: 'unreadable'; name: TagName }
  | { is: 'too-many' }
  | { is: 'too-long' }

export interface TagScanResult {
  tags: Tag[]
  tagErrors: TagProblem[]
  /** A task verdict is in code or in a quotation: some agents put their own there. */
  shown: boolean
}

export interface TagScan {
  push(piece: string): void
  /** Ends the message and returns what was found. */
  end(): TagScanResult
}

/** As much as is kept of a message. In a longer paragraph it is unclear what is code. */
const PARAGRAPH_MAX = 256 * 1024
/** More than the longest note or entry. */
const BODY_MAX = 8_000
/** Counted separately for notes and verdicts: too many of one kind do not hide the other. */
const TAGS_MAX = 50
const FLAWS_MAX = 20
/** Deeper nesting is not intended: the outermost tag was only mentioned. */
const DEPTH_MAX = 4

/** Ends the line and the paragraph: the next text belongs to another message. */
export const MESSAGE_END = '\n\n'

/** All tags of a whole text. */
export function scanTags(text: string): TagScanResult {
  const scan = createTagScan()
  scan.push(text)
  return scan.end()
}

/** Up to this length, text is only buffered: most messages are shorter, and a message without `<` has no tag. */
const UNREAD_MAX = 64 * 1024
const SIGN = '<'

export function createTagScan(): TagScan {
  let scan: TagScan | null = null
  let unread = ''
  const read = (): TagScan => {
    scan ??= paragraphScan()
    scan.push(unread)
    unread = ''
    return scan
  }
  return {
    push(piece) {
      if (scan !== null) return scan.push(piece)
      unread += piece
      if (unread.length > UNREAD_MAX) read()
    },
    end: () => (scan === null && !unread.includes(SIGN) ? { tags: [], tagErrors: [], shown: false } : read().end()),
  }
}

function paragraphScan(): TagScan {
  const classify = createLineClassifier()
  const reading: Reading = {
    paragraph: [],
    length: 0,
    overflown: false,
    open: [],
    found: [],
    tagErrors: [],
    shown: false,
  }
  let pending = ''
  let flood = false

  function takeLine(line: string): void {
    if (classify(line) === 'said') return addLine(reading, line)
    endParagraph(reading)
    if (TASK_WORD.test(line)) reading.shown = true
    keep(reading, `${line}\n`)
  }

  /** A complete line, or several if it contains carriage returns as line ends. */
  function endLine(): void {
    if (flood) overflow(reading, pending)
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

  function push(piece: string): void {
    const [first = '', ...others] = piece.split('\n')
    add(first)
    for (const line of others) {
      endLine()
      add(line)
    }
  }

  return {
    push,
    end() {
      push(MESSAGE_END)
      return concluded(reading)
    },
  }
}

interface Open {
  name: string
  /** The tag with its body so far; null: it is a frame. */
  tag: Tag | null
  /** Tags found since it was opened. */
  inner: Tag[]
}

interface Reading {
  paragraph: string[]
  length: number
  /** The paragraph is too long and is skipped. */
  overflown: boolean
  open: Open[]
  found: Tag[]
  tagErrors: TagProblem[]
  shown: boolean
}

function addLine(reading: Reading, line: string): void {
  reading.length += line.length + 1
  if (reading.overflown || reading.length > PARAGRAPH_MAX) return overflow(reading, line)
  reading.paragraph.push(line)
}

function overflow(reading: Reading, line: string): void {
  const text = `${[...reading.paragraph, line].join('\n')}\n`
  if (MAYBE.test(text) && !reading.tagErrors.some(({ is }) => is === 'too-long')) flaw(reading, { is: 'too-long' })
  reading.overflown = true
  reading.paragraph = []
  for (const { tag } of reading.open) if (tag !== null) tag.cut = true
}

function endParagraph(reading: Reading): void {
  if (reading.paragraph.length > 0) readParagraph(reading, `${reading.paragraph.join('\n')}\n`)
  reading.paragraph = []
  reading.length = 0
  reading.overflown = false
}

const NAMES = [...HOLDING, ...BARE].join('|')
const MAYBE = new RegExp(`</?(?:${NAMES})[\\s/>]`, 'i')
const TASK_WORD = /<task-(?:done|failed)>/i

function readParagraph(reading: Reading, text: string): void {
  const maySign = text.includes(SIGN) || text.includes(COMMENT.to)
  if (!maySign || signIn(text, 0) === null) return keep(reading, text)
  const seen = blankInlineCode(text)
  const quoted = createQuotationMatcher(seen)
  if (seen !== text && TASK_WORD.test(text) && !TASK_WORD.test(seen)) reading.shown = true
  let at = 0
  for (let sign = signIn(seen, 0); sign !== null; sign = signIn(seen, sign.index + sign[0].length)) {
    // Inside the opening tag of another element.
    if (sign.index < at) continue
    const name = nameOf(sign)
    if (name === null) continue
    const closes = sign[1] === '/' || sign[0] === COMMENT.to
    const to = closes ? closingEnd(seen, sign) : openingEnd(reading, { seen, text, sign, name, quoted })
    if (to === null) continue
    const written = text.slice(sign.index, to.at)
    keep(reading, text.slice(at, sign.index))
    if (!isTagName(name)) {
      if (closes) closeFrame(reading, name)
      else if (!to.alone) openFrame(reading, name)
      keep(reading, written)
    } else if (closes) close(reading, name, written)
    else {
      keep(reading, written)
      begin(reading, { name, head: to.head, body: '', cut: false }, to.alone)
    }
    at = to.at
  }
  keep(reading, text.slice(at))
}

const SIGNS = new RegExp(`<(/?)(${[NAMES, ...FRAMES].join('|')})(?=[\\s/>])|${COMMENT.from}|${COMMENT.to}`, 'gi')

/** The next match. `matchAll` would copy the pattern for every paragraph. */
function signIn(text: string, from: number): RegExpExecArray | null {
  SIGNS.lastIndex = from
  return SIGNS.exec(text)
}

/** In any case, except for names that may be a type in code: `Array<Promise>`. */
function nameOf(sign: RegExpExecArray): string | null {
  const [all, , said] = sign
  if (said === undefined) return all === '' ? null : COMMENT.from
  const name = said.toLowerCase()
  return name === said || !isTagName(name) || name.includes('-') ? name : null
}

function isTagName(name: string): name is TagName {
  return ([...HOLDING, ...BARE] as string[]).includes(name)
}

interface HeadEnd {
  at: number
  head: Tag['head']
  /** The tag is self-closing. */
  alone: boolean
}

function closingEnd(seen: string, sign: RegExpExecArray): HeadEnd | null {
  const end = sticky(sign[0] === COMMENT.to ? /(?:)/y : /\s*>/y, seen, sign.index + sign[0].length)
  return end && { at: end.to, head: {}, alone: false }
}

/** Characters right before a tag that is only quoted. */
const QUOTES = /["'“”„‘’‚«»‹›]/

const ATTRIBUTE = /\s+([A-Za-z][\w-]{0,40})\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>/]+)/y

interface Opening {
  seen: string
  text: string
  sign: RegExpExecArray
  name: string
  quoted: (at: number) => boolean
}

function openingEnd(reading: Reading, { seen, text, sign, name, quoted }: Opening): HeadEnd | null {
  const marked = isEscaped(seen, sign.index) || QUOTES.test(seen.charAt(sign.index - 1))
  // Notes contain quotations whose marks may pair up with those of the next note; a note too many does no harm.
  const isVerdict = isTagName(name) && !isNoteTag(name)
  if (marked || (isVerdict && quoted(sign.index))) {
    if (TASK_WORD.test(`<${name}>`)) reading.shown = true
    return null
  }
  if (name === COMMENT.from) return { at: sign.index + name.length, head: {}, alone: false }
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
  if (isTagName(name)) flaw(reading, { is: 'unreadable', name })
  return null
}

function sticky(pattern: RegExp, text: string, at: number): { found: RegExpExecArray; to: number } | null {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found === null ? null : { found, to: at + found[0].length }
}

function begin(reading: Reading, tag: Tag, alone: boolean): void {
  if (alone || (BARE as readonly string[]).includes(tag.name)) return find(reading, tag)
  reading.open.push({ name: tag.name, tag, inner: [] })
  const isHeld = (one: Open): boolean => one.tag !== null
  if (reading.open.filter(isHeld).length > DEPTH_MAX) giveUp(reading, reading.open.findIndex(isHeld))
}

/** Opens a frame once: a nested one of the same name ends with the first closing tag. */
function openFrame({ open }: Reading, frame: string): void {
  if (!open.some(({ name }) => name === frame)) open.push({ name: frame, tag: null, inner: [] })
}

function closeFrame(reading: Reading, frame: string): void {
  const { open, found } = reading
  const index = open.findLastIndex(({ name }) => name === frame)
  // Some agents omit the opening tag of a thought: then everything before the closing tag is thought.
  const isThought = frame.startsWith('think') && open.every(({ tag }) => tag === null)
  if (index === -1 && !isThought) return
  const all = index === -1 ? found.splice(0) : []
  const inside = [...all, ...open.splice(Math.max(0, index)).flatMap(({ inner }) => inner)]
  if (inside.some(({ name }) => TASK_WORD.test(`<${name}>`))) reading.shown = true
}

function close(reading: Reading, name: TagName, written: string): void {
  const index = reading.open.findLastIndex((one) => one.name === name)
  const tag = reading.open[index]?.tag ?? null
  if (tag !== null) {
    // Tags still open inside it were only mentioned.
    const inside = reading.open.splice(index).flatMap(({ inner }) => inner)
    for (const one of inside) flaw(reading, { is: 'nested', name: one.name, within: name })
  }
  keep(reading, written)
  if (tag !== null) find(reading, tag)
}

function find(reading: Reading, tag: Tag): void {
  add(reading, { tag, to: reading.open.at(-1)?.inner ?? reading.found })
}

function add({ tagErrors }: Reading, { tag, to }: { tag: Tag; to: Tag[] }): void {
  const alike = to.filter(({ name }) => isNoteTag(name) === isNoteTag(tag.name))
  if (alike.length < TAGS_MAX) to.push(tag)
  else if (!tagErrors.some(({ is }) => is === 'too-many')) tagErrors.push({ is: 'too-many' })
}

export function isNoteTag(name: TagName): boolean {
  return name === 'journal' || name === 'knowledge'
}

/** Appends the text to the body of every open tag. */
function keep({ open }: Reading, text: string): void {
  for (const { tag } of open) {
    if (tag === null) continue
    if (tag.body.length + text.length > BODY_MAX) tag.cut = true
    if (tag.body.length < BODY_MAX) tag.body += text.slice(0, BODY_MAX - tag.body.length)
  }
}

function flaw({ tagErrors }: Reading, one: TagProblem): void {
  if (tagErrors.length < FLAWS_MAX) tagErrors.push(one)
}

/** Drops a tag that is never closed: the tags found inside it count by themselves. */
function giveUp(reading: Reading, index: number): void {
  for (const open of reading.open.splice(index, 1)) {
    if (open.tag !== null) flaw(reading, { is: 'unclosed', name: open.tag.name })
    const to = reading.open[index - 1]?.inner ?? reading.found
    for (const tag of open.inner) add(reading, { tag, to })
  }
}

function concluded(reading: Reading): TagScanResult {
  while (reading.open.length > 0) giveUp(reading, 0)
  const { found: tags, tagErrors, shown } = reading
  return { tags, tagErrors, shown }
}
