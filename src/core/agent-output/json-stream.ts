/**
 * Splits a program's output as it arrives into JSON documents and the lines of text between them. A document may be one line, many
 * lines (pretty-printed), or an element of one large array; the last may be truncated. Text that only happens to begin with a bracket is
 * text. Memory is bounded for any input.
 */
import { createJsonObjectScan, MAX_JSON_PART } from './json-object-scan.ts'
import { asObject, type JsonObject, jsonOrNull } from '../text/json.ts'
import { createTextTail } from './text-tail.ts'

export interface JsonDocument {
  json: JsonObject
  /** The original text, or the end of it. */
  raw: string
  /** The document is an element of an array. */
  inArray: boolean
  /** The document was too large, so parts of it are missing. */
  shortened: boolean
}

export interface JsonStreamHandlers {
  onDocument: (document: JsonDocument) => void
  /** One line, without its line end. */
  onText: (line: string, info: { cut: boolean }) => void
  /** An array of documents began; it may be empty. */
  onArray: () => void
  /** The text ended inside a document: its message as far as it arrived. Its keys do not count: the one that matters may be missing. */
  onCut: (cut: { words: string | null; raw: string }) => void
}

export interface JsonStreamReader {
  push(text: string): void
  /** All input was consumed, so the next piece starts a new line. */
  between(): boolean
  /** Nothing more comes. */
  end(): void
}

export function createJsonStreamReader({ onDocument, onText, onArray, onCut }: JsonStreamHandlers): JsonStreamReader {
  /** Pieces not consumed yet, the next one last. They are not joined: a large input would be copied again and again. */
  const waiting: string[] = []
  let state: keyof typeof take = 'lines'
  /** The current line, which has not ended. */
  let line: { text: string; is: 'open' | 'text' | 'passed-over' } = NEW_LINE
  /** The progress of the current array, if there is one. */
  let array: 'none' | 'empty' | 'begun' = 'none'
  /** The text since the last document, in case it turns out not to be JSON. */
  let raw = createTextTail(MAX_JSON_PART)
  let scan = createJsonObjectScan()

  const take = { lines: takeLines, array: takeBetween, object: takeObject, after: takeAfter }

  function takeLines(text: string): void {
    let at = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      const { text: begun, is } = line
      const whole = begun + text.slice(at, end)
      const below = waiting.length
      at = end + 1
      line = NEW_LINE
      if (is !== 'passed-over') readLine(whole, { is, end: '\n' })
      // A document began: its line is read again first.
      if (waiting.length > below) return void waiting.splice(below, 0, text.slice(at))
    }
    if (at === text.length || line.is === 'passed-over') return
    line = { text: line.text + text.slice(at), is: line.is }
    if (line.text.length > MAX_JSON_PART) takeLong()
  }

  function takeLong(): void {
    const { text, is } = line
    line = { text: '', is: 'passed-over' }
    if (is === 'open' && mayBegin(text)) begin(text)
    else onText(text.slice(0, MAX_JSON_PART), { cut: true })
  }

  /** A complete line. If it may begin a multi-line document, it is read again as one. */
  function readLine(text: string, { is, end }: { is: 'open' | 'text'; end: string }): void {
    const value = is === 'open' ? valueOf(text) : null
    if (value === undefined && mayBegin(text)) return begin(text + end)
    if (Array.isArray(value)) return readArray(value, text)
    const json = asObject(value)
    if (json === null) onText(text.replace(/\r$/, ''), { cut: false })
    else onDocument({ json, raw: text, inArray: false, shortened: false })
  }

  function readArray(values: unknown[], text: string): void {
    const documents = values.map(asObject)
    if (documents.includes(null)) return onText(text.replace(/\r$/, ''), { cut: false })
    onArray()
    for (const json of documents.filter((document) => document !== null))
      onDocument({ json, raw: JSON.stringify(json), inArray: true, shortened: false })
  }

  function begin(text: string): void {
    const at = text.search(/[{[]/)
    const isObject = text.charAt(at) === '{'
    line = NEW_LINE
    state = isObject ? 'object' : 'array'
    array = isObject ? 'none' : 'empty'
    raw = createTextTail(MAX_JSON_PART)
    scan = createJsonObjectScan()
    const from = isObject ? at : at + 1
    raw.push(text.slice(0, from))
    waiting.push(text.slice(from))
  }

  /** Before, between and after the elements of an array. */
  function takeBetween(text: string): void {
    const at = text.search(array === 'begun' ? /[^\s,]/ : /\S/)
    const sign = text.charAt(at)
    if (at !== -1 && sign !== '{' && sign !== ']') return giveUp(text)
    const end = at === -1 ? text.length : sign === ']' ? at + 1 : at
    raw.push(text.slice(0, end))
    waiting.push(text.slice(end))
    if (at === -1) return
    if (sign === ']') {
      state = 'after'
      return
    }
    if (array === 'empty') onArray()
    array = 'begun'
    state = 'object'
    raw = createTextTail(MAX_JSON_PART)
    scan = createJsonObjectScan()
  }

  function takeObject(text: string): void {
    const end = scan.feed(text)
    raw.push(text.slice(0, end))
    const rest = text.slice(end)
    if (scan.is() === 'open') return
    if (scan.is() === 'broken' || (array !== 'none' && !tellScanned())) return giveUp(rest)
    state = array === 'none' ? 'after' : 'array'
    waiting.push(rest)
  }

  /** A document or an array ended: only another one, or nothing, may follow on the same line. */
  function takeAfter(text: string): void {
    const at = text.search(/[^ \t\r]/)
    const sign = text.charAt(at)
    if (at === -1) return raw.push(text)
    if (!/[\n{[]/.test(sign) || !settle()) return giveUp(text)
    if (sign === '\n') waiting.push(text.slice(at + 1))
    else begin(text.slice(at))
  }

  /** Confirms that the text just read is JSON. */
  function settle(): boolean {
    if (array === 'none' && !tellScanned()) return false
    if (array === 'empty') onArray()
    array = 'none'
    state = 'lines'
    return true
  }

  function tellScanned(): boolean {
    const read = scan.value()
    if (read === null) return false
    onDocument({ ...read, raw: raw.text(), inArray: array !== 'none' })
    raw = createTextTail(MAX_JSON_PART)
    return true
  }

  /** The text is not JSON: its first line becomes text, and everything after that line is read again. */
  function giveUp(rest: string): void {
    waiting.push(rest, raw.text())
    state = 'lines'
    array = 'none'
    line = { text: '', is: 'text' }
    raw = createTextTail(MAX_JSON_PART)
  }

  function push(text: string): void {
    waiting.push(text)
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) if (next !== '') take[state](next)
  }

  function endLine(): void {
    const { text, is } = line
    line = NEW_LINE
    if (text === '' || is === 'passed-over') return
    readLine(text, { is, end: '' })
    push('')
  }

  function endDocument(): void {
    if (state === 'lines' || (state === 'after' && settle())) return
    const cut = state === 'object' && (array === 'begun' || scan.isWellFormed())
    const [words, text] = [scan.words(), raw.text()]
    const isJson = cut || array === 'begun'
    state = 'lines'
    array = 'none'
    if (isJson) onCut({ words: cut ? words : null, raw: text })
    else for (const one of text.replace(/\n$/, '').split('\n')) onText(one.replace(/\r$/, ''), { cut: false })
  }

  return {
    push,
    between: () => state === 'lines' && line === NEW_LINE,
    end() {
      do {
        endLine()
        endDocument()
        // Text that was mistaken for a document becomes a line again.
      } while (line.text !== '')
      line = NEW_LINE
    },
  }
}

const NEW_LINE = { text: '', is: 'open' } as const

const BRACE = '{'.charCodeAt(0)
const BRACE_END = '}'.charCodeAt(0)

/** Null: no bracket at the start; undefined: a bracket, but the line alone is not JSON. A failing parse is expensive. */
function valueOf(line: string): unknown {
  // Most lines are an object from the first character to the last; trimming those would cost a tenth of the reading time.
  const text = line.charCodeAt(0) === BRACE && line.charCodeAt(line.length - 1) === BRACE_END ? line : line.trim()
  if (!text.startsWith('{') && !text.startsWith('[')) return null
  return text.endsWith('}') || text.endsWith(']') ? (jsonOrNull(text) ?? undefined) : undefined
}

/** Prose that begins with a bracket rarely continues like this. */
function mayBegin(text: string): boolean {
  return /^\s*(?:\{\s*(?:["}]|$)|\[\s*(?:[{\]]|$))/.test(text)
}
